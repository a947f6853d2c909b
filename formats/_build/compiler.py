"""The compiler: kaitai-struct-compiler from npm, fetched when it is needed, never vendored.

It is one JavaScript file. dukpy runs it without Node; Node is the second engine and must
give the same bytes. The file knows no YAML and reports one error a run, so every spec is
compiled on its own, imported ones first.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from _build.specs import ROOT, Problem, SpecError, SpecFile

NAME = "kaitai-struct-compiler"
VERSION = "0.11.0"
SHA256 = "c9aacee51040be0977299210fc2624e6bbf2a51770b3dca579accbbaa84ba353"
"""Of the one file of the package that is run."""
CACHE = ROOT / ".cache"
_LARGEST_EXACT = 1 << 53


class CompilerUnavailable(Exception):
    """The compiler is not in the cache and cannot be fetched, or nothing here can run it."""


_DRIVER = """
function compile(job) {
  var importer = {importYaml: function (name, mode) {
    var path = []; name.split('/').forEach(function (part) {
      if (part === '..') path.pop(); else if (part !== '' && part !== '.') path.push(part); });
    var found = job.files[path.join('/')];
    return found ? Promise.resolve(found) : Promise.reject(new Error('no such import: ' + name));
  }};
  return KSC.compile('python', job.main, importer, false).then(
    function (files) { return {files: files}; },
    function (error) { return {error: String(error.message || error)}; });
}
"""


class Engine(Protocol):
    """Something that runs the compiler."""

    def run(self, job: dict[str, Any]) -> dict[str, Any]:
        """Compile `job['main']`; gives `files` or `error`."""


class Dukpy:
    """QuickJS inside Python."""

    def __init__(self, source: str) -> None:
        try:
            import dukpy
        except ImportError:
            text = "dukpy is not installed: pip install dukpy==0.6.0, or use --engine node"
            raise CompilerUnavailable(text) from None
        self._interpreter = dukpy.JSInterpreter()
        self._evaluate("var self = this; 0")
        self._evaluate(source + ";0")
        self._evaluate("var KSC = this.KaitaiStructCompiler || module.exports;" + _DRIVER + ";0")

    def run(self, job: dict[str, Any]) -> dict[str, Any]:
        self._evaluate(
            "globalThis.result = null;"
            "compile(dukpy.job).then(function (r) { globalThis.result = JSON.stringify(r); }); 0",
            job=job,
        )
        result: dict[str, Any] = json.loads(self._evaluate("globalThis.result"))
        return result

    def _evaluate(self, code: str, **names: Any) -> Any:
        return self._interpreter.evaljs(code, **names)


class Node:
    """Node of the system."""

    def __init__(self, path: Path) -> None:
        if shutil.which("node") is None:
            raise CompilerUnavailable("there is no node on PATH")
        self._script = (
            f"const KSC = require({json.dumps(str(path))}); {_DRIVER}"
            "compile(JSON.parse(require('fs').readFileSync(0, 'utf8')))"
            ".then(result => process.stdout.write(JSON.stringify(result)));"
        )

    def run(self, job: dict[str, Any]) -> dict[str, Any]:
        done = subprocess.run(
            ["node", "-e", self._script], input=json.dumps(job), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CompilerUnavailable(f"node failed: {done.stderr.strip()[-300:]}")
        result: dict[str, Any] = json.loads(done.stdout)
        return result


class Compiler:
    """The compiler with the engine that runs it."""

    def __init__(self, engine: str = "dukpy", path: Path | None = None) -> None:
        file = path or fetched()
        data = file.read_bytes()
        self.sha256 = hashlib.sha256(data).hexdigest()
        if path is None and self.sha256 != SHA256:
            raise CompilerUnavailable(f"{file} is not {NAME} {VERSION}: its SHA-256 is {self.sha256}; delete it")
        self._engine: Engine = Dukpy(data.decode()) if engine == "dukpy" else Node(file.resolve())

    def compile(self, specs: Iterable[SpecFile], known: dict[str, SpecFile]) -> dict[str, str]:
        """The Python text of each spec by id. Raises SpecError with the problems of all of them.

        `known` are all specs that may be imported. What imports a broken spec is not tried.
        """
        files = {place: _for_json(spec.tree) for place, spec in known.items()}
        texts: dict[str, str] = {}
        problems: list[Problem] = []
        broken: set[str] = set()
        for spec in specs:
            missing = [name for name in spec.imports if name not in known]
            problems.extend(
                spec.problem(f"/meta/imports/{spec.imports.index(name)}", f"there is no spec {name}")
                for name in missing
            )
            if missing or broken & set(spec.imports):
                broken.add(spec.place)
                continue
            result = self._engine.run({"main": files[spec.place], "files": files})
            if "error" in result:
                problems.extend(_problems(spec, result["error"]))
                broken.add(spec.place)
            else:
                name = f"{spec.tree['meta']['id']}.py"
                texts[spec.id] = result["files"][name]
        if problems:
            raise SpecError(problems)
        return texts


def fetched() -> Path:
    """The compiler's file in the cache; fetches it when it is not there.

    Raises CompilerUnavailable when it can not be fetched.
    """
    file = CACHE / f"{NAME}-{VERSION}.js"
    if not file.is_file():
        CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            found = _with_dukpy(Path(scratch)) or _with_npm(Path(scratch))
            if found is None:
                raise CompilerUnavailable(
                    f"{NAME} {VERSION} is not in {CACHE.name}/ and cannot be fetched; "
                    f"give it with --compiler PATH, or put its one file there as {file.name}"
                )
            found.replace(file)
    return file


def _with_dukpy(folder: Path) -> Path | None:
    try:
        from dukpy.install import install_jspackage

        with contextlib.redirect_stdout(io.StringIO()):
            install_jspackage(NAME, VERSION, str(folder))
    except Exception:  # whatever it is (no package, no network), the other way is tried next
        return None
    return next(folder.rglob(f"{NAME}.js"), None)


def _with_npm(folder: Path) -> Path | None:
    npm = shutil.which("npm")
    if npm is None:
        return None
    command = [npm, "pack", f"{NAME}@{VERSION}", "--pack-destination", str(folder), "--silent"]
    if subprocess.run(command, capture_output=True, cwd=folder, check=False).returncode:
        return None
    for packed in folder.glob("*.tgz"):
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")
    return next(folder.rglob(f"{NAME}.js"), None)


def _for_json(value: Any) -> Any:
    """A spec as JSON has it: keys as text, integers that JSON would round as text too."""
    if isinstance(value, dict):
        return {str(key): _for_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_for_json(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST_EXACT:
        return str(value)
    return value


def _problems(spec: SpecFile, message: str) -> list[Problem]:
    """The compiler's message, `FILE: /path:\\n\\terror: text`, as problems of the spec."""
    problems = []
    where = ""
    for line in message.splitlines():
        text = line.strip()
        if text.startswith("error:"):
            problems.append(spec.problem(where, text.removeprefix("error:").strip()))
        elif ": /" in text:
            where = "/" + text.split(": /", 1)[1].rstrip(":")
    return problems or [spec.problem("/meta", message.strip())]
