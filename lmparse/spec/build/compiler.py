"""The compiler: kaitai-struct-compiler from npm, fetched when needed, never vendored.

The compiler is one JavaScript file, which dukpy runs. It reads no YAML, reports one error in a run, and attributes an
error in an import to the spec being compiled. So every spec is compiled separately, imported specs first.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from lmparse.spec.build.scopes import Scope
from lmparse.spec.build.specs import FORMATS, Faults, Problem, SpecFile, closure, shown
from lmparse.storage.addresses import user_cache

NAME = "kaitai-struct-compiler"
VERSION = "0.11.0"
SHA256 = "c9aacee51040be0977299210fc2624e6bbf2a51770b3dca579accbbaa84ba353"
"""Hash of the package's file that is run."""
_LARGEST = (1 << 31) - 1
"""The largest integer that the compiler takes as a number."""
_IS_CHECKOUT = (FORMATS.parent / "build.py").is_file()
CACHE = FORMATS.parent / ".cache" if _IS_CHECKOUT else user_cache()


class CompilerUnavailable(Exception):
    """No compiler can run: none is in the cache or fetched, its hash differs, or dukpy is missing."""


_DRIVER = Path(__file__).with_name("compiler_driver.js")


class Dukpy:
    """Runs the compiler in QuickJS inside Python."""

    def __init__(self, path: Path) -> None:
        import dukpy

        self._dukpy, self._interpreter = dukpy, dukpy.JSInterpreter()
        compiler, driver = path.read_text(encoding="utf-8"), _DRIVER.read_text("utf-8")
        for code in ("var self = this", compiler, f"var KSC = this.KaitaiStructCompiler || module.exports;{driver}"):
            self._evaluate(f"{path} does not run:", f"{code};0")

    def run(self, job: dict[str, Any]) -> list[dict[str, Any]]:
        """Compile each spec of `job['places']` among `job['files']`; returns `files` or `error` for each."""
        failure = f"{NAME} ends with"
        self._evaluate(failure, "compileAll(dukpy.job); 0", job=job)  # returns when no promise is left
        results: list[dict[str, Any]] = json.loads(self._evaluate(failure, "JSON.stringify(globalThis.results)"))
        return results

    def _evaluate(self, failure: str, code: str, **names: Any) -> Any:
        """The value of JavaScript code. Raises CompilerUnavailable with the line that names the error."""
        try:
            return self._interpreter.evaljs(code, **names)
        except self._dukpy.JSRuntimeError as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            last = next((line for line in lines if "Error" in line), lines[-1] if lines else "no message")
            raise CompilerUnavailable(f"{failure} {last}") from None


class Compiler:
    """The compiler in the cache, or at a path. Raises CompilerUnavailable."""

    def __init__(self, path: Path | None = None) -> None:
        try:
            import dukpy  # noqa: F401
        except ImportError:
            raise CompilerUnavailable("dukpy is not installed: pip install 'lmparse[build]'") from None
        if path is not None and not path.is_file():
            raise CompilerUnavailable(f"there is no compiler {path}")
        file = path or fetched()
        self.sha256 = _sha256(file)
        if path is None and self.sha256 != SHA256:
            raise CompilerUnavailable(f"{shown(file)} is not {NAME} {VERSION}: its SHA-256 is {self.sha256}; delete it")
        self._engine = Dukpy(file)

    def compile(
        self, specs: list[SpecFile], known: dict[str, SpecFile], *, debug: bool = False
    ) -> tuple[dict[str, str], Faults]:
        """The Python texts of specs by place, imported specs first, and the problems of specs without a text.

        `known` are all specs that may be imported. Importing a broken spec is not reported again. Parsers made with
        `debug` note start and end of every field in `_debug`, and read only when `_read()` is called.
        """
        files = {spec.place: _for_compiler(spec) for spec in closure(known, [spec.place for spec in specs])}
        texts: dict[str, str] = {}
        faults: Faults = {}
        broken: set[str] = set()
        job = {"debug": debug, "places": [spec.place for spec in specs], "files": files}
        for spec, result in zip(specs, self._engine.run(job) if specs else (), strict=True):
            if "error" not in result:
                texts[spec.place] = result["files"][f"{spec.id}.py"]
                continue
            if not broken.intersection(spec.imports):
                faults[spec.place] = _problems(spec, result["error"])
            broken.add(spec.place)
        return texts, faults


def fetched() -> Path:
    """The compiler's file in the cache, fetched if missing. Raises CompilerUnavailable."""
    file = CACHE / f"{NAME}-{VERSION}.js"
    if not file.is_file():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            found = _from_registry(Path(scratch))
            if found is None:
                raise CompilerUnavailable(
                    f"{NAME} {VERSION} is not in {shown(CACHE)}/ and cannot be fetched; "
                    f"give it with --compiler PATH, or put its one file there as {file.name}"
                )
            if _sha256(found) != SHA256:
                raise CompilerUnavailable(f"what was fetched is not {NAME} {VERSION}: its SHA-256 is {_sha256(found)}")
            found.replace(file)
    return file


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _from_registry(folder: Path) -> Path | None:
    try:
        from dukpy.install import install_jspackage

        with contextlib.redirect_stdout(io.StringIO()):
            install_jspackage(NAME, VERSION, str(folder))
    except Exception:  # whatever the reason, such as no package or no network
        return None
    return next(folder.rglob(f"{NAME}.js"), None)


def _for_compiler(spec: SpecFile) -> Any:
    """A spec as JSON with imports from the root: the importer does not know which spec has a relative import."""
    tree = _for_json(spec.tree)
    if spec.imports:
        tree["meta"]["imports"] = [f"/{place}" for place in spec.imports]
    return tree


def _for_json(value: Any, key: str = "") -> Any:
    """A spec in JSON's types, with keys as text. Floats become text, because JavaScript would turn 5.0 into 5; so do
    integers above 32 bits, which the compiler refuses."""
    if isinstance(value, dict):
        names = {name: str(name).lower() if isinstance(name, bool) else str(name) for name in value}
        return {text: _for_json(value[name], text) for name, text in names.items()}
    if isinstance(value, list):
        return [_for_json(item, key) for item in value]
    if isinstance(value, float) or (isinstance(value, int) and abs(value) > _LARGEST):
        return repr(value)
    if key in ("doc", "doc-ref") and isinstance(value, str):  # the compiler writes this text to a docstring unchanged
        return value.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace("\0", "\\x00")
    return value


def _problems(spec: SpecFile, message: str) -> list[Problem]:
    """The problems in a message of the compiler, which has the form `FILE: /path:\\n\\terror: text`."""
    problems = []
    where = ""
    for line in message.splitlines():
        text = line.strip()
        if text.startswith("error:"):
            advice = next((advice for part, advice in _ADVICE.items() if part in text), "")
            problems.append(spec.problem(where, text.removeprefix("error:").strip() + advice))
        elif ": /" in text:
            where = _COMPILED_CASE.sub(r"\1::\2", "/" + text.split(": /", 1)[1].rstrip(":"))
    if problems:
        return problems
    name = message.strip()  # for values that need each other, the message is only the name of one of them
    for scope in Scope({spec.id: spec}, spec).all():
        if name in scope.tree.get("instances", {}):
            text = "its value leads back to itself, or to what has no type"
            return [spec.problem(f"{scope.where}/instances/{name}", text)]
    return [spec.problem("/meta", name)]


_COMPILED_CASE = re.compile(r"EnumByLabel\(identifier\((\w+)\),identifier\((\w+)\),[^/]*\)")
"""The compiler's form of a switch case that is a member of an enumeration."""
_ADVICE = {
    "without default endianness": "; give endian: be or endian: le under meta",
    "but no encoding found": "; give an encoding, or -codec in place of the type, as -codec: ebcdic",
}
