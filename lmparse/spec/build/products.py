"""Products: makes the texts of all files in `generated/`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from lmparse.spec.build.compiler import NAME, VERSION, Compiler
from lmparse.spec.build.emitted import docstrings, foreign_in_layouts, foreign_in_parser, foreign_in_stub
from lmparse.spec.build.layouts import Layouts
from lmparse.spec.build.refusals import idle_repeats, refusals
from lmparse.spec.build.scopes import Scope
from lmparse.spec.build.specs import Problem, SpecError, SpecFile, closure, on_disk, read_all, with_imports, wrong_ids
from lmparse.spec.build.stubs import stub
from lmparse.spec.built import MANIFEST
from lmparse.spec.catalog import class_name
from lmparse.spec.documents import DocumentError, file_bytes, read_json
from lmparse.spec.layout import Code, Field, Layout

LAYOUTS = "layouts.py"
DEBUG = "debug/"
"""Folder of the parsers that record the offsets of each field."""
_PACKAGES = ("__init__.py", f"{DEBUG}__init__.py")
_START_OF_BITS = re.compile(r"('start'.*self\._io\.pos\(\))(.*\n.*\.read_bits_int_)")
_GUARD = "from lmparse.spec.repeats import advancing"
_IN_BYTE = r"\1 - (self._io.bits_left > 0)\2"
"""The compiler records the next whole byte as the start of a bit field, which may begin in the byte before."""


def selected(source: Path) -> tuple[list[SpecFile], dict[str, SpecFile]]:
    """The spec of a `.ksy` file, or those of a folder, with their imports, imported specs first; and all by place."""
    shelf, places = on_disk(source)
    own, problems = read_all(shelf, places)
    known, more = with_imports(own, shelf)
    specs = closure(known, places)
    # The compiler names its output after the id.
    if problems := problems + more or wrong_ids(specs):
        raise SpecError(problems)
    return specs, known


def make(source: Path, engine: str, compiler_path: Path | None) -> dict[str, str]:
    """Every product of a `.ksy` file or of a folder, by file name. Raises SpecError or CompilerUnavailable."""
    specs, known = selected(source)
    named = {spec.id: spec for spec in specs}
    if problems := [spec.problem(*finding) for spec in specs for finding in refusals(spec, named)]:
        raise SpecError(problems)
    compiler = Compiler(engine, compiler_path)
    products = _parsers(specs, compiler.compile(specs, known))
    if problems := [found for spec in specs if (found := _broken(spec, products[f"{spec.id}.py"]))]:
        raise SpecError(problems)
    layouts = Layouts(specs).by_id
    products |= {f"{spec.id}.pyi": stub(spec, named) for spec in specs}
    products[LAYOUTS] = _layouts_text(layouts)
    debug = _parsers(specs, compiler.compile(specs, known, debug=True))
    products |= {DEBUG + name: _START_OF_BITS.sub(_IN_BYTE, text) for name, text in debug.items()}
    if problems := list(_foreign(specs, products)):
        raise SpecError(problems)
    products |= dict.fromkeys(_PACKAGES, '"""Generated from the specs by build.py. Do not edit."""\n')
    products[MANIFEST] = _manifest(specs, products, compiler.sha256)
    return products


def _foreign(specs: list[SpecFile], products: dict[str, str]) -> Iterator[Problem]:
    """The specs of which more is generated than the compiler is known to emit."""
    named = {spec.id: spec for spec in specs}
    scopes = [scope for spec in specs for scope in Scope(named, spec).all()]
    names = {(scope.path or (scope.spec.id,))[-1] for scope in scopes}
    classes = {class_name(name) for name in names.union(*(scope.tree.get("enums", {}) for scope in scopes))}
    for spec in specs:
        docs = docstrings(spec.tree)
        found = [
            *(
                foreign_in_parser(products[name], named, classes, docs)
                for name in (f"{spec.id}.py", f"{DEBUG}{spec.id}.py")
            ),
            foreign_in_stub(products[f"{spec.id}.pyi"]),
        ]
        for text in filter(None, found):
            yield spec.problem("/meta", f"what is generated from it holds more than a parser: {text}")
    in_layouts = foreign_in_layouts(products[LAYOUTS])
    if in_layouts:
        yield specs[0].problem("/meta", f"what is generated from these specs holds more than layouts: {in_layouts}")


def _guarded(text: str, repeats: dict[str, str]) -> str:
    """A parser whose loops over what may be empty end where they do not advance."""
    for name, stream in repeats.items():
        text = re.sub(
            rf"^( +)(self\.(?:_m_)?{name}\.append\()", rf"\1advancing({stream})\n\1\2", text, flags=re.MULTILINE
        )
    return re.sub(r"(?m)^(from kaitaistruct import .*)$", rf"\1\n{_GUARD}", text, count=1) if repeats else text


def _parsers(specs: list[SpecFile], compiled: dict[str, str]) -> dict[str, str]:
    """The compiler's texts as modules of one package, by file name."""
    imports = re.compile(rf"^import ({'|'.join(sorted(compiled))})$", re.MULTILINE)
    named = {spec.id: spec for spec in specs}
    texts = {spec.id: _guarded(compiled[spec.id], idle_repeats(spec, named)) for spec in specs}
    return {f"{spec.id}.py": _parser(spec, texts[spec.id], imports) for spec in specs}


def _parser(spec: SpecFile, text: str, imports: re.Pattern[str]) -> str:
    body = imports.sub(r"from . import \1", text)
    body = body.split("\n", 1)[1] if body.startswith("# This is a generated file!") else body
    return (
        f"# Generated by build.py from formats/{spec.place}.ksy. Do not edit.\n"
        f"# SHA-256 of the spec: {spec.sha256}\n"
        f"# Compiler: {NAME} {VERSION}\n{body}"
    )


def _broken(spec: SpecFile, text: str) -> Problem | None:
    try:
        compile(text, f"{spec.id}.py", "exec")
    except SyntaxError as error:
        line = (error.text or "").strip().partition("\n")[0]  # some Pythons give more than the line, or none
        place = f" in {line!r}" if line else ""
        return spec.problem("/meta", f"what is generated from it is not Python: {error.msg}{place}")
    return None


def _layouts_text(layouts: dict[str, Layout]) -> str:
    lines = [
        '"""Generated from the specs by build.py. Do not edit."""',
        "",
        "from lmparse.spec.layout import Code, Field, Layout",
        "",
        "LAYOUTS: dict[str, Layout] = {",
    ]
    for layout_id in sorted(layouts):
        lines.append(f"    {layout_id!r}: {_construct(layouts[layout_id], 1)},")
    return "\n".join([*lines, "}", ""])


def _construct(value: Any, depth: int) -> str:
    """A constructor call without default values, one argument a line when it is long."""
    if isinstance(value, Layout | Field | Code):
        arguments = [
            f"{entry.name}={_construct(getattr(value, entry.name), depth + 1)}"
            for entry in fields(value)
            if getattr(value, entry.name) != _default(entry)
        ]
        return _wrapped(f"{type(value).__name__}(", arguments, ")", depth)
    if isinstance(value, tuple) and value:
        return _wrapped("(", [_construct(item, depth + 1) for item in value], ",)" if len(value) == 1 else ")", depth)
    if isinstance(value, dict) and value:
        items = [f"{key!r}: {_construct(item, depth + 1)}" for key, item in value.items()]
        return _wrapped("{", items, "}", depth)
    return repr(value)


def _default(entry: Any) -> Any:
    return entry.default_factory() if entry.default_factory is not MISSING else entry.default


def _wrapped(start: str, items: list[str], end: str, depth: int) -> str:
    line = start + ", ".join(items) + end
    if len(line) + 4 * depth <= 110 and "\n" not in line:
        return line
    indent = "    " * (depth + 1)
    return start + "".join(f"\n{indent}{item}," for item in items) + "\n" + "    " * depth + end.lstrip(",")


def _manifest(specs: list[SpecFile], products: dict[str, str], compiler_sha256: str) -> str:
    content = {
        "compiler": {"name": NAME, "version": VERSION, "sha256": compiler_sha256},
        "specs": {
            spec.id: {
                "path": f"{spec.place}.ksy",
                "sha256": spec.sha256,
                "outputs": {name: _hash(products[name]) for name in _names(spec)},
            }
            for spec in sorted(specs, key=lambda entry: entry.id)
        },
        "outputs": {name: _hash(products[name]) for name in (*_PACKAGES, LAYOUTS)},
    }
    return json.dumps(content, indent=2) + "\n"


def _names(spec: SpecFile) -> tuple[str, ...]:
    return f"{spec.id}.py", f"{spec.id}.pyi", f"{DEBUG}{spec.id}.py"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def files_in(out: Path) -> dict[str, bytes]:
    """The files in a folder of products, by name."""
    folders = [folder for folder in (out, out / DEBUG) if folder.is_dir()]
    paths = sorted(path for folder in folders for path in folder.iterdir() if path.is_file())
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}


def files_of_build(out: Path) -> set[str]:
    """The names of the files that a build made in a folder, as its manifest lists them; none without a manifest."""
    try:
        manifest = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
        return {MANIFEST}.union(*(entry["outputs"] for entry in (*manifest["specs"].values(), manifest)))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return set()


def differences_from_manifest(source: Path, out: Path) -> list[str]:
    """The specs and products that do not have the hash in the manifest."""
    specs, _ = selected(source)
    try:
        manifest = read_json(file_bytes(out / MANIFEST))
        stated = {f"formats/{entry['path']}": entry["sha256"] for entry in manifest["specs"].values()}
        for entry in (*manifest["specs"].values(), manifest):
            stated |= {f"{out.name}/{name}": hash_ for name, hash_ in entry["outputs"].items()}
    except (DocumentError, LookupError, TypeError, AttributeError):
        return [f"{out.name}/{MANIFEST}"]
    found = {f"formats/{spec.place}.ksy": spec.sha256 for spec in specs}
    for name, data in files_in(out).items():
        if name != MANIFEST:
            found[f"{out.name}/{name}"] = hashlib.sha256(data).hexdigest()
    return sorted(name for name in {*stated, *found} if stated.get(name) != found.get(name))
