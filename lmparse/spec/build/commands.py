"""Commands: those of `build.py` and of `lmparse build`.

`build.py` uses the specs of lmparse by default; `lmparse build` has no default.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from lmparse.errors import OptionError
from lmparse.spec.build.compiler import CompilerUnavailable
from lmparse.spec.build.lint import RESERVED_IDS, linted
from lmparse.spec.build.products import DEBUG, Builder, Made, files_in, files_of_build
from lmparse.spec.build.specs import FORMATS, GENERATED, SUFFIX, Problem, SpecError, real_path, selected, shown
from lmparse.spec.built import MANIFEST
from lmparse.storage.outputs import write_files

_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", re.ASCII)


def run(parsed: argparse.Namespace, program: str) -> int:
    """Run one command of `program`; returns 0, or 1 after reporting an error.

    Raises OptionError for contradicting arguments.
    """
    if parsed.check and parsed.command == "generate":
        parsed.command = "check"
    _validate(parsed)
    try:
        if parsed.command == "lint":
            selection = linted(selected(parsed.formats, parsed.folders))
            if selection.problems:
                return _say(*map(str, selection.problems))
            count = len(selection.wanted)
            print(f"{count} {'spec has' if count == 1 else 'specs have'} no fault that is found without the compiler")
            return 0
        if parsed.command == "new":
            print("\n".join(new(parsed.id, parsed.formats, program)))
            return 0
        return _check(parsed, program) if parsed.command == "check" else _build(parsed)
    except (SpecError, CompilerUnavailable, OptionError) as error:
        return _say(str(error))
    except OSError as error:
        if error.filename is None:  # the reader of standard output has gone
            raise
        return _say(f"{error.filename}: {error.strerror}")


def _validate(parsed: argparse.Namespace) -> None:
    if (parsed.command == "new") != (parsed.id is not None):
        raise OptionError("new takes the id of a spec, <family>_<thing>; the other commands take none")
    if parsed.command not in ("generate", "check"):
        for name in ("out", "compiler", "check"):
            if getattr(parsed, name):
                raise OptionError(f"--{name} is for generate and check")
    parsed.folders = parsed.folders or []
    for folder in parsed.folders:
        if parsed.command == "new" or not folder.is_dir():
            raise OptionError(
                f"--import {folder}: " + ("new takes none" if folder.is_dir() else "there is no such folder")
            )
    if parsed.formats is None:
        raise OptionError("give --formats as well: a .ksy file, or a folder with such files")
    is_own = real_path(parsed.formats) != FORMATS
    if parsed.command == "new" and parsed.formats.is_file():
        raise OptionError("new takes a folder of specs as --formats, not a file")
    if parsed.command in ("generate", "check"):
        parsed.out = parsed.out or parsed.usual_out
        if parsed.out is None:
            raise OptionError("give --out as well: the folder for what is made of the specs")
        if is_own and real_path(parsed.out) == GENERATED:
            raise OptionError(f"give --out as well: {shown(GENERATED)} holds what the project's own specs give")


def _build(parsed: argparse.Namespace) -> int:
    """Make and place the products of sound specs. Products of the project are placed all or none."""
    out: Path = parsed.out
    present = files_in(out)
    is_ours = real_path(out) == GENERATED or present.keys() <= files_of_build(out)
    # Other files are removed, and a link would lead to other folders.
    if not is_ours or (os.path.lexists(out) and not out.is_dir()) or (out / DEBUG).is_symlink():
        return _say(f"{shown(out)} holds files that are not from here: give another --out, or empty it")
    products, problems, count = _made(parsed)
    changed = {name: data for name, text in products.items() if present.get(name) != (data := text.encode())}
    # Write the manifest first: the next build then recognizes the remains of a killed build. Their hashes keep users'
    # specs from running.
    files = {name: changed[name] for name in sorted(changed, key=lambda name: name != MANIFEST)}
    write_files(out, files, removed=present.keys() - products.keys())
    print(f"{len(products)} files in {shown(out)}")
    return _unbuilt(problems, count)


def _made(parsed: argparse.Namespace) -> Made:
    made = Builder(parsed.compiler, parsed.folders).make(parsed.formats)
    if made.problems and (not made.products or real_path(parsed.out) == GENERATED):
        raise SpecError(made.problems)
    return made


def _unbuilt(problems: list[Problem], count: int) -> int:
    """Report the specs without products; each has at least one problem."""
    if not problems:
        return 0
    failed = len({problem.path for problem in problems})
    return _say(*map(str, problems), f"{failed} of {count + failed} specs are not built")


def _check(parsed: argparse.Namespace, program: str) -> int:
    out: Path = parsed.out
    folders = "".join(f" --import {folder}" for folder in parsed.folders)
    own = "" if real_path(out) == GENERATED else f" --formats {parsed.formats}{folders} --out {out}"
    repair = f"repair it with: {program} generate{own}"
    products, problems, count = _made(parsed)
    present = files_in(out)
    names = sorted(present.keys() | products.keys())
    different = [name for name in names if name not in products or present.get(name) != products[name].encode()]
    if different:
        _say(*(f"{out.name}/{name} is not what the specs give" for name in different), repair)
    else:
        print("generated files are up to date")
    return max(bool(different), _unbuilt(problems, count))


def _say(*lines: str) -> int:
    print("\n".join(lines), file=sys.stderr)
    return 1


def new(spec_id: str, formats: Path, program: str) -> list[str]:
    """Write the skeleton of a spec to a formats folder, and a good and a bad sample to `tests/cases` and
    `tests/cases_bad` beside the folder; returns the lines that list the next steps.

    The texts are in `skeleton/`. The bytes are made from the expected values here, not read back from a parser. Raises
    OptionError for a wrong id or the id of an existing spec, and then writes nothing.
    """
    if not _ID.fullmatch(spec_id):
        raise OptionError(f"{spec_id!r} is not an id: it is <family>_<thing> in lower case, such as acme_reading")
    if spec_id in RESERVED_IDS:
        raise OptionError(f"{spec_id!r} means something else in the generated code")
    root = real_path(formats).parent
    good, bad = Path("tests", "cases", spec_id), Path("tests", "cases_bad", spec_id)
    spec = Path(real_path(formats).name, spec_id.split("_")[0], f"{spec_id}{SUFFIX}")
    for path in (root / spec, root / good, root / bad):
        if os.path.lexists(path):
            raise OptionError(f"{shown(path)} is there: {spec_id} is the id of a spec already")
    first, second = _record(b"FIRST"), _record(b"SECOND", b"\1\2")
    head, title = _text("head"), spec_id.replace("_", " ").capitalize()
    good_head = head.format(program=program, title="Two records, one with bytes behind the fields that are known")
    bad_head = head.format(program=program, title="A record that ends inside its name")
    files = {
        good / "first.yaml": (good_head + _text("good")).encode(),
        good / "first.bin": _framed(first, second),
        bad / "cut.yaml": (bad_head + _text("bad")).encode(),
        bad / "cut.bin": _framed(first, second[:5]),
        spec: _text("spec").format(id=spec_id, title=title).encode(),
    }
    write_files(root, {str(path): data for path, data in files.items()})
    where = shown(formats)
    return [
        *(shown(root / path) for path in files),
        "",
        "What to do next:",
        f"1. put the fields of the manual's table into {shown(root / spec)}: one line, one field",
        f"2. {program} lint --formats {where} && {program} --formats {where} --out OUT",
        f"3. put bytes and values of real records into {shown(root / good)}; {shown(root / bad)} is for damaged ones",
        f"4. lmparse records {shown(root / good)}/first.bin --spec OUT/{spec_id} --framing rdw",
    ]


def _text(name: str) -> str:
    """A part of the skeleton, with fields to fill in."""
    return (Path(__file__).with_name("skeleton") / f"{name}.txt").read_text("utf-8")


def _record(name: bytes, rest: bytes = b"") -> bytes:
    """A record: its length in two bytes, a name of eight bytes in EBCDIC, and further bytes."""
    return (10 + len(rest)).to_bytes(2, "big") + name.ljust(8).decode().encode("cp037") + rest


def _framed(*records: bytes) -> bytes:
    """Records behind record descriptor words: a length that includes the word, and two zero bytes."""
    return b"".join((len(record) + 4).to_bytes(2, "big") + bytes(2) + record for record in records)
