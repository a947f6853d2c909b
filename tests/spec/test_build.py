"""The build step: what it makes, and what it says of faulty specs."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import build as front
from lmparse import cli
from lmparse.errors import RecordError
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.spec.build import compiler, specs
from lmparse.spec.build.products import Builder, Made, differences_from_manifest, make
from lmparse.spec.layout import Layout

ROOT = Path(__file__).parents[2]
FAULTY = Path(__file__).parents[1] / "cases_bad_specs"

SOUND = """\
meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  imports:
    - /common/common_timestamp17
  endian: be
doc: One reading of one meter.
doc-ref: 'Meters, "Reading"'
seq:
  - id: number
    type: u2
    doc: Number of the meter
  - id: state
    -codec: ebcdic
    type: u1
    enum: state
    doc: Whether the meter works
  - id: taken
    type: common_timestamp17
    doc: When it was taken
  - id: more
    size-eos: true
    doc: Everything else
enums:
  state:
    0xd6:
      id: working
      -orig-id: 'O'
      doc: It works
"""


@pytest.fixture(autouse=True, scope="module")
def _started_once() -> Iterator[None]:
    """The compiler is started once, and a spec's text is parsed once, as in one run of the build step."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "Dukpy", cache(compiler.Dukpy))
        patch.setattr(specs, "parsed", cache(specs.parsed))
        yield


def build(*arguments: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command of build.py in this process."""
    words, out, err = list(map(str, arguments)), io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = front.main(words)
        except SystemExit as end:
            code = int(str(end.code))
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def output(command: str, folder: Path) -> list[object]:
    """The option for what a command writes; `lint` writes nothing, and refuses it."""
    return [] if command == "lint" else ["--out", folder / "out"]


def process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command of build.py in a process of its own."""
    command = [sys.executable, str(ROOT / "build.py"), *map(str, arguments)]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A formats folder with one sound spec."""
    folder = tmp_path / "formats"
    (folder / "acme").mkdir(parents=True)
    (folder / "acme" / "acme_reading.ksy").write_text(SOUND)
    return folder


def texts(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_spec_of_ones_own_is_built_with_what_it_imports(own: Path, tmp_path: Path) -> None:
    done = build("generate", "--formats", own, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert set(texts(tmp_path / "out")) == {
        "MANIFEST.json", "__init__.py", "layouts.py",
        "acme_reading.py", "acme_reading.pyi", "common_timestamp17.py", "common_timestamp17.pyi",
        "debug/__init__.py", "debug/acme_reading.py", "debug/common_timestamp17.py",
    }  # fmt: skip
    assert b"from . import common_timestamp17\n" in texts(tmp_path / "out")["acme_reading.py"]
    with pytest.raises(RecordError) as caught:
        RecordReader(catalog.load(str(tmp_path / "out" / "acme_reading"))).parse(b"\0\1\xd62026")
    assert (caught.value.field, caught.value.field_offset) == ("taken", 3)


def test_layouts_hold_place_kind_and_codes(own: Path, tmp_path: Path) -> None:
    build("generate", "--formats", own, "--out", tmp_path / "out")
    names: dict[str, object] = {}
    exec((tmp_path / "out" / "layouts.py").read_text(), names)
    layout = names["LAYOUTS"]["acme_reading"]  # type: ignore[index]
    assert [(field.id, field.offset, field.width, field.kind) for field in layout] == [
        ("number", 0, 2, "uint"),
        ("state", 2, 1, "code"),
        ("taken", 3, 17, "timestamp17"),
        ("more", 20, None, "variable"),
    ]
    (code,) = layout["state"].codes
    assert (code.value, code.text, code.id, code.doc) == (0xD6, "O", "working", "It works")


RICH = """\
meta:
  id: acme_log
  title: Log of a meter
  license: CC0-1.0
  ks-version: '0.11'
  imports:
    - /acme/acme_codes
  endian: be
  bit-endian: be
doc: Whatever the compiler allows.
doc-ref: 'Meters, "Log"'
params:
  - {id: kind, type: u1, enum: acme_codes::kind}
  - {id: stream, type: io}
seq:
  - {id: magic, contents: [LOG, 0]}
  - {id: high, type: b4}
  - {id: acme_codes, type: u1, enum: acme_codes::kind}
  - {id: text, size: 2 * 4, type: str, encoding: ASCII}
  - {id: part, type: outer::inner}
  - {id: node, type: node}
  - {id: many, type: outer, repeat: expr, repeat-expr: 1}
  - {id: late, type: u2}
types:
  outer:
    seq:
      - {id: one, type: inner}
      - {id: state, type: u1, enum: state}
      - id: choice
        size: 2
        type:
          switch-on: state
          cases:
            'state::on': inner
    enums:
      state:
        1: {id: 'on', doc: It runs}
    types:
      inner:
        seq:
          - {id: x, type: s2le}
  node:
    seq:
      - {id: more, type: u1}
      - {id: next, type: node, if: more == 1}
"""
CODES = """\
meta:
  id: acme_codes
  title: Codes
  license: CC0-1.0
  ks-version: '0.11'
doc: Codes.
doc-ref: 'Meters, "Codes"'
enums:
  kind:
    1: gas
    '0x20000000000001': power
"""


@pytest.fixture
def rich(own: Path, tmp_path: Path) -> Path:
    """What is built from a spec with nested, recursive and imported names."""
    (own / "acme" / "acme_log.ksy").write_text(RICH)
    (own / "acme" / "acme_codes.ksy").write_text(CODES)
    done = build("generate", "--formats", own, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    return tmp_path / "out"


def test_layouts_follow_the_compilers_rules(rich: Path) -> None:
    names: dict[str, dict[str, Layout]] = {}
    exec((rich / "layouts.py").read_text(), names)
    layouts = names["LAYOUTS"]
    assert [(field.id, field.offset, field.width, field.kind, field.type) for field in layouts["acme_log"]] == [
        ("magic", 0, 4, "bytes", None),
        ("high", 4, None, "uint", None),
        ("acme_codes", 5, 1, "uint", None),  # on the next whole byte
        ("text", 6, 8, "str", None),
        ("part", 14, 2, "struct", "acme_log.outer.inner"),
        ("node", 16, None, "struct", "acme_log.node"),  # a node in a node: the data says how many
        ("many", None, None, "struct", "acme_log.outer"),
        ("late", None, 2, "uint", None),
    ]
    assert [(code.value, code.id) for code in layouts["acme_log"]["acme_codes"].codes] == [
        (1, "gas"),
        ((1 << 53) + 1, "power"),
    ]
    assert layouts["acme_log.outer"].width == 5
    assert layouts["acme_log.outer"]["choice"].cases == ("acme_log.outer.inner",)
    assert [code.doc for code in layouts["acme_log.outer"]["state"].codes] == ["It runs"]
    assert layouts["acme_log"].params == ("kind", "stream")


USE = """\
from io import BytesIO
from kaitaistruct import KaitaiStream
from out.acme_codes import AcmeCodes
from out.acme_log import AcmeLog

DATA = b"LOG\\0" b"\\xf0" b"\\1" b"readings" b"\\2\\0" b"\\0" b"\\3\\0\\1\\4\\0" b"\\0\\5"
log = AcmeLog(AcmeCodes.Kind.gas, None, KaitaiStream(BytesIO(DATA)))
kind: AcmeCodes.Kind | int = log.acme_codes
text: str = log.text
x: int = log.part.x
many: list[AcmeLog.Outer] = log.many
choice: AcmeLog.Outer.Inner | bytes = many[0].choice
assert isinstance(choice, AcmeLog.Outer.Inner)
assert (kind, text, x, choice.x, log.late) == (AcmeCodes.Kind.gas, "readings", 2, 4, 5)
"""


def test_parsers_and_stubs_are_fit_for_use(rich: Path) -> None:
    """What a strict type check of the stubs and of their use accepts also runs."""
    folder = rich.parent
    (folder / "use.py").write_text(USE)
    stubs = [str(path.relative_to(folder)) for path in sorted(rich.glob("*.pyi"))]
    strict = ["mypy", "--strict", "--no-error-summary", "--disable-error-code=import-untyped"]
    for command in ([*strict, "use.py", *stubs], ["use"]):
        done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_two_builds_give_the_same_bytes(own: Path, tmp_path: Path) -> None:
    """Whatever the process: sets have another order in each."""
    assert build("generate", "--formats", own, "--out", tmp_path / "one").returncode == 0
    done = process("generate", "--formats", own, "--out", tmp_path / "two", PYTHONHASHSEED="7")
    assert (done.returncode, done.stderr) == (0, "")
    assert texts(tmp_path / "one") == texts(tmp_path / "two")


@pytest.mark.skipif(shutil.which("node") is None, reason="the second engine needs Node")
def test_node_gives_the_same_bytes(own: Path, tmp_path: Path) -> None:
    build("generate", "--formats", own, "--out", tmp_path / "out")
    done = build("--check", "--engine", "node", "--formats", own, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("damage", ["changed", "missing", "surplus"])
def test_check_says_what_differs_and_how_to_repair_it(own: Path, tmp_path: Path, damage: str) -> None:
    out = tmp_path / "out"
    build("generate", "--formats", own, "--out", out)
    assert build("--check", "--formats", own, "--out", out).returncode == 0
    if damage == "changed":
        (out / "layouts.py").write_text("LAYOUTS = {}\n")
    elif damage == "missing":
        (out / "layouts.py").unlink()
    else:
        (out / "old.py").write_text("")
    done = build("--check", "--formats", own, "--out", out)
    assert done.returncode == 1
    assert ("out/old.py" if damage == "surplus" else "out/layouts.py") + " is not what the specs give" in done.stderr
    assert "python build.py generate" in done.stderr


def test_check_of_an_empty_or_odd_folder_names_the_files(own: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = build("--check", "--formats", own, "--out", out)
    assert done.returncode == 1
    assert "out/MANIFEST.json is not what the specs give" in done.stderr
    build("generate", "--formats", own, "--out", out)
    (out / "odd.bin").write_bytes(b"\xff")
    done = build("--check", "--formats", own, "--out", out)
    assert done.stderr.splitlines() == [
        "out/odd.bin is not what the specs give",
        f"repair it with: python build.py generate --formats {own} --out {out}",
    ]


def test_a_folder_with_files_of_others_is_left_alone(own: Path, tmp_path: Path) -> None:
    out = tmp_path / "home"
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")
    done = build("generate", "--formats", own, "--out", out)
    assert done.returncode == 1
    assert "holds files that are not from here" in done.stderr
    assert texts(out) == {"thesis.txt": b"years of work"}


def test_specs_of_ones_own_do_not_replace_the_projects(own: Path) -> None:
    for arguments in (["generate"], ["--check"]):
        done = build(*arguments, "--formats", own)
        assert done.returncode == 2
        assert "give --out as well" in done.stderr


def test_without_the_compiler_hashes_are_compared(own: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build("generate", "--formats", own, "--out", out)
    copy = tmp_path / "project"
    shutil.copytree(ROOT / "formats", copy / "formats")
    shutil.copytree(ROOT / "lmparse", copy / "lmparse", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "build.py", copy)
    # A folder that stands where dukpy is looked for, and no network: nothing can run the compiler.
    (copy / "dukpy").mkdir()
    (copy / "dukpy" / "__init__.py").write_text("raise ImportError('dukpy')\n")
    command = [sys.executable, str(copy / "build.py"), "--check", "--formats", str(own), "--out", str(out)]
    environment = {"PATH": "", "PYTHONPATH": str(copy)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "compared with the hashes of MANIFEST.json only" in done.stdout
    (own / "acme" / "acme_reading.ksy").write_text(SOUND.replace("One reading", "Any reading"))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "formats/acme/acme_reading.ksy is not what the specs give" in done.stderr


def test_a_compiler_of_ones_own_is_recorded(own: Path, tmp_path: Path) -> None:
    compiler = tmp_path / "kaitai-struct-compiler.js"
    build("generate", "--formats", own, "--out", tmp_path / "first")
    (cached,) = (ROOT / ".cache").glob("kaitai-struct-compiler-*.js")
    compiler.write_text(cached.read_text() + "\n// changed\n")
    done = build("generate", "--formats", own, "--out", tmp_path / "out", "--compiler", compiler)
    assert done.returncode == 0, done.stderr
    first, second = texts(tmp_path / "first"), texts(tmp_path / "out")
    assert first.pop("MANIFEST.json") != second.pop("MANIFEST.json")
    assert first == second


@pytest.mark.parametrize("engine", ["dukpy", "node"])
@pytest.mark.parametrize(
    ("text", "message"), [(None, "there is no compiler"), ("var broken = ;", "does not run: SyntaxError")]
)
def test_a_compiler_that_is_none_is_named(
    own: Path, tmp_path: Path, engine: str, text: str | None, message: str
) -> None:
    if engine == "node" and shutil.which("node") is None:
        pytest.skip("the second engine needs Node")
    compiler = tmp_path / "compiler.js"
    if text is not None:
        compiler.write_text(text)
    done = build("generate", "--formats", own, "--out", tmp_path / "out", "--compiler", compiler, "--engine", engine)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_another_compiler_in_the_cache_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nor do the hashes of the manifest stand in for it: somebody has to look."""
    monkeypatch.setattr(compiler, "CACHE", tmp_path)
    (tmp_path / f"{compiler.NAME}-{compiler.VERSION}.js").write_text("anything")
    with pytest.raises(compiler.CompilerUnfit, match=r"is not kaitai-struct-compiler 0\.11\.0: its SHA-256 is"):
        compiler.Compiler()


@pytest.mark.parametrize("way", ["_with_dukpy", "_with_npm"])
def test_the_compiler_is_fetched_and_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str) -> None:
    if way == "_with_npm" and shutil.which("npm") is None:
        pytest.skip("the second way needs npm")
    monkeypatch.setattr(compiler, "CACHE", tmp_path / "cache")
    for other in {"_with_dukpy", "_with_npm"} - {way}:
        monkeypatch.setattr(compiler, other, lambda folder: None)
    assert compiler.fetched().parent == tmp_path / "cache"
    monkeypatch.setattr(compiler, "CACHE", tmp_path / "other")
    monkeypatch.setattr(compiler, "SHA256", "0" * 64)
    with pytest.raises(compiler.CompilerUnfit, match="what was fetched is not"):
        compiler.fetched()
    assert not list((tmp_path / "other").iterdir())


@pytest.mark.parametrize("command", ["generate", "lint"])
def test_text_that_is_not_utf_8_is_named(tmp_path: Path, command: str) -> None:
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "acme_a.ksy").write_bytes(b"meta:\n  title: M\xfcller\n")
    done = build(command, "--formats", tmp_path, *output(command, tmp_path), cwd=tmp_path)
    assert done.stderr == "acme/acme_a.ksy:2:11: error: the text is not UTF-8\n"


# -- specs of one's own, wherever they are ---------------------------------------------------

PART = """\
meta:
  id: {id}
  imports: [{imports}]
  endian: be
seq:
  - {{id: one, type: {type}}}
"""


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """Specs at three depths, which import each other and the project's in every way."""
    folder = tmp_path / "specs"
    for place, imports, type_ in [
        ("top", "vendor/meters/acme_a, /shared/shared_c", "acme_a"),
        ("vendor/meters/acme_a", "acme_b", "acme_b"),
        ("vendor/meters/acme_b", "../../shared/shared_c", "shared_c"),
        ("shared/shared_c", "/common/common_rid", "common_rid"),
        (".hidden/shared_c", "", "u1"),
    ]:
        path = folder / f"{place}.ksy"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PART.format(id=path.stem, imports=imports, type=type_))
    return folder


def parsers(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.py")} - {"__init__", "layouts"}


def test_a_tree_of_any_depth_is_built_whole(deep: Path, tmp_path: Path) -> None:
    done = build("generate", "--formats", deep, "--out", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert parsers(tmp_path / "out") == {"top", "acme_a", "acme_b", "shared_c", "common_rid"}
    assert build("check", "--formats", deep, "--out", tmp_path / "out").returncode == 0
    names: dict[str, dict[str, Layout]] = {}
    exec((tmp_path / "out" / "layouts.py").read_text(), names)
    top = names["LAYOUTS"]["top"]
    assert (top.width, top["one"].type) == (names["LAYOUTS"]["common_rid"].width, "acme_a")


def test_one_file_is_built_with_what_it_imports(deep: Path, tmp_path: Path) -> None:
    done = build("generate", "--formats", deep / "shared" / "shared_c.ksy", "--out", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert parsers(tmp_path / "out") == {"shared_c", "common_rid"}
    done = build("generate", "--formats", deep / "vendor" / "meters" / "acme_a.ksy", "--out", tmp_path / "other")
    assert (done.returncode, parsers(tmp_path / "other")) == (1, set())
    assert "../../shared/shared_c leads out of the folder of the specs [/meta/imports/0]" in done.stderr


@pytest.mark.parametrize("command", ["generate", "lint", "check"])
def test_where_there_is_no_spec_it_is_said(tmp_path: Path, command: str) -> None:
    for name, text in (("none", "this is neither a .ksy nor a folder"), (".", "there is no .ksy in this folder")):
        done = build(command, "--formats", tmp_path / name, *output(command, tmp_path))
        assert (done.returncode, done.stderr) == (1, f"{tmp_path / name}:1:1: error: {text}\n")


def test_the_command_builds_what_build_py_builds(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build("generate", "--formats", own, "--out", tmp_path / "out")
    assert cli.main(["build", "--formats", str(own), "--out", str(tmp_path / "other")]) == 0
    assert texts(tmp_path / "out") == texts(tmp_path / "other")
    (tmp_path / "other" / "layouts.py").write_text("LAYOUTS = {}\n")
    capsys.readouterr()
    assert cli.main(["build", "check", "--formats", str(own), "--out", str(tmp_path / "other")]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "other/layouts.py is not what the specs give",
        f"repair it with: lmparse build generate --formats {own} --out {tmp_path / 'other'}",
    ]


@pytest.mark.parametrize("words", [[], ["lint"], ["new", "acme_a"], ["check", "--formats", "FORMATS"]])
def test_the_command_asks_for_a_place(own: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["build", *(str(own) if word == "FORMATS" else word for word in words)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.startswith("give --")) == ("", True)


def test_what_cannot_be_written_is_said_in_one_line(own: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = build("generate", "--formats", own, "--out", tmp_path / "file" / "out")
    assert (done.returncode, done.stderr) == (
        1,
        f"{tmp_path / 'file' / 'out'}: cannot be written: Not a directory [LMP-S022]\n",
    )


@pytest.mark.parametrize("broken", [False, True])
def test_the_projects_own_are_built_where_none_are(tmp_path: Path, broken: bool) -> None:
    """Nothing that the build step imports needs what it makes. One family shows it; all are built by `--check`."""
    for name in ("formats/common", "lmparse", ".cache"):
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "build.py", tmp_path)
    if broken:
        (tmp_path / "generated").mkdir()
        (tmp_path / "generated" / "layouts.py").write_text("not Python")
    done = subprocess.run([sys.executable, "build.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    made, whole = texts(tmp_path / "generated"), texts(ROOT / "generated")
    parsers_made = {name for name in made if Path(name).name.startswith("common_")}
    assert {name: made[name] for name in parsers_made} == {name: whole[name] for name in parsers_made} != {}
    assert {"layouts.py", "MANIFEST.json"} <= made.keys()


# -- specs with faults -----------------------------------------------------------------------


# Each faulty spec holds, as comments in its first lines, what the build step must say of it.
def expected(folder: Path, command: str) -> list[str]:
    lines = [line for path in sorted(folder.glob("*/*.ksy")) for line in path.read_text().splitlines()]
    return [line.removeprefix(f"# {command}: ") for line in lines if line.startswith(f"# {command}: ")]


CASES = [
    (path.name, command)
    for path in sorted(FAULTY.iterdir())
    for command in ("generate", "lint")
    if expected(path, command)
]


def test_there_are_faulty_specs() -> None:
    assert len(CASES) >= 22


@pytest.mark.parametrize(("case", "command"), CASES)
def test_faults_are_named_with_file_line_and_column(case: str, command: str, tmp_path: Path) -> None:
    wanted = expected(FAULTY / case, command)
    done = build(command, "--formats", FAULTY / case, *output(command, tmp_path), cwd=FAULTY / case)
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "error:" in line] == wanted
    assert "Traceback" not in done.stderr
    for line in wanted:
        assert not (tmp_path / "out" / Path(line.partition(":")[0]).with_suffix(".py").name).exists()


FAULTY_ONE = """\
meta: {id: acme_faulty, imports: [acme_reading, deep/acme_below]}
seq: [{id: one, sizzle: 1}]
"""
ABOVE = "meta: {id: acme_above, imports: [acme_faulty]}\n"
CIRCLE = "meta: {{id: acme_{0}, imports: [acme_{1}]}}\nseq: [{{id: one, type: acme_{1}, if: 1 == 2}}]\n"


def test_a_faulty_spec_is_not_built_and_the_others_are(own: Path, tmp_path: Path) -> None:
    """At any depth, whoever imports whom, and `check` says the same with and without the compiler."""
    out, deep = tmp_path / "out", own / "acme" / "deep"
    deep.mkdir()
    (deep / "acme_below.ksy").write_text("meta: {id: acme_below}\nseq: [{id: one, type: u1}]\n")
    (own / "acme" / "acme_above.ksy").write_text(ABOVE)
    (own / "acme" / "acme_faulty.ksy").write_text(FAULTY_ONE)
    (own / "acme" / "acme_no_yaml.ksy").write_text("meta: [")
    (own / "acme" / "acme_asks.ksy").write_text("meta: {id: acme_asks, imports: [acme_no_yaml]}\n")
    for one, two in (("left", "right"), ("right", "left")):
        (own / "acme" / f"acme_{one}.ksy").write_text(CIRCLE.format(one, two))
    problems = [
        "formats/acme/acme_above.ksy:1:34: error: it imports acme/acme_faulty, which is not built [/meta/imports/0]",
        "formats/acme/acme_asks.ksy:1:33: error: it imports acme/acme_no_yaml, which is not built [/meta/imports/0]",
        "formats/acme/acme_faulty.ksy:2:17: error: there is no key sizzle in a field; did you mean size? "
        "[/seq/0/sizzle]",
        "formats/acme/acme_no_yaml.ksy:1:8: error: expected the node content, but found '<stream end>'",
        "4 of 9 specs are not built",
    ]
    done = build("generate", "--formats", own, "--out", out, cwd=tmp_path)
    assert (done.returncode, done.stderr.splitlines()) == (1, problems)
    built = {"acme_reading", "acme_below", "acme_left", "acme_right", "common_timestamp17"}
    assert {path.stem for path in out.glob("*.pyi")} == built
    assert not hasattr(catalog.load(str(out / "acme_right")).parser.from_bytes(b""), "one")
    done = build("check", "--formats", own, "--out", out, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.splitlines()) == (1, "generated files are up to date\n", problems)
    assert differences_from_manifest(own, out) == ([], [f"formats/acme/acme_{name}.ksy" for name in UNBUILT])
    (own / "acme" / "acme_faulty.ksy").write_text(FAULTY_ONE.replace("sizzle", "size"))
    assert differences_from_manifest(own, out)[0] == ["formats/acme/acme_faulty.ksy"]


def test_lint_asks_specs_of_others_for_no_style(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The house style is a warning where it is asked for, and strict for the specs of lmparse."""
    spec = own / "acme" / "acme_reading.ksy"
    assert cli.main(["build", "lint", "--formats", str(own)]) == 0
    assert capsys.readouterr() == ("1 spec has no fault that is found without the compiler\n", "")
    spec.write_text(SOUND.replace("  title: Reading of a meter\n", ""))
    assert cli.main(["build", "lint", "--formats", str(own)]) == 0
    assert cli.main(["build", "lint", "--style", "--formats", str(own)]) == 0
    assert capsys.readouterr().err == f"{spec}:1:1: warning: title is missing [/meta]\n"
    assert build("lint", "--formats", own).stderr == f"{spec}:1:1: error: title is missing [/meta]\n"
    spec.write_text(SOUND.replace("type: u2", "type: u2\n    tpye: u2"))
    assert cli.main(["build", "lint", "--formats", str(own)]) == 1
    assert "there is no key tpye in a field; did you mean type?" in capsys.readouterr().err


OF_OTHERS = [
    ("--style", "generate"), ("--watch", "lint"), ("--out=x", "lint"), ("--engine=dukpy", "lint"), ("--check", "lint"),
    ("--compiler=x", "lint"), ("--out=x", "new"), ("--engine=node", "new"), ("--compiler=x", "new"), ("--check", "new"),
]  # fmt: skip


@pytest.mark.parametrize(("option", "command"), OF_OTHERS)
def test_an_option_of_another_command_is_refused(
    own: Path, option: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = texts(own)
    words = ["build", command, *["acme_thing"] * (command == "new"), option, "--formats", str(own)]
    assert cli.main(words) == 2
    assert f"{option.partition('=')[0]} is for " in capsys.readouterr().err
    assert texts(own) == before


UNBUILT = ("above", "asks", "faulty", "no_yaml")


def test_what_is_wrong_with_all_specs_leaves_the_products(own: Path, tmp_path: Path) -> None:
    build("generate", "--formats", own, "--out", tmp_path / "out")
    before = texts(tmp_path / "out")
    (own / "acme" / "acme_reading.ksy").write_text("meta: [")
    assert build("generate", "--formats", own, "--out", tmp_path / "out").returncode == 1
    assert texts(tmp_path / "out") == before


@pytest.mark.parametrize("name", ["thesis.txt", "zos_rdw.ksy", "setup.py", "debug/setup.py"])
def test_no_manifest_makes_files_of_others_ours(own: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    (out / "debug").mkdir(parents=True)
    (out / name).write_text("years of work")
    listed = {"specs": {"setup": {"outputs": {name: "", "setup.py": ""}}}, "outputs": {name: ""}}
    (out / "MANIFEST.json").write_text(json.dumps(listed))
    before = texts(out)
    done = build("generate", "--formats", own, "--out", out)
    assert done.returncode == 1
    assert "holds files that are not from here" in done.stderr
    assert texts(out) == before


@pytest.mark.parametrize("is_first", [True, False])
def test_a_build_that_was_killed_is_repaired_by_the_next(
    is_first: bool, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it was killed, its products are not run, or are whole, and the next one takes them for its own."""
    out, spec = tmp_path / "out", own / "acme" / "acme_reading.ksy"
    (own / "acme" / "acme_gone.ksy").write_text(SOUND.replace("acme_reading", "acme_gone"))
    old = make(own, "dukpy", None)
    (own / "acme" / "acme_gone.ksy").unlink()
    spec.write_text(SOUND.replace("Reading of", "A reading of"))
    (own / "acme" / "acme_more.ksy").write_text(SOUND.replace("acme_reading", "acme_more"))
    new = make(own, "dukpy", None)
    monkeypatch.setattr(Builder, "make", lambda *_: Made(new, [], 2))
    whole, left = {name: text.encode() for name, text in new.items()}, 0
    while True:
        shutil.rmtree(out, ignore_errors=True)
        for name, text in {} if is_first else old.items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_text(text)
        if not _killed(left, own, out, monkeypatch):
            break
        assert build("generate", "--formats", own, "--out", out).returncode == 0, left
        assert texts(out) == whole
        left += 1
    assert left >= 10, "it was killed before each file that it moves or removes"


def _killed(left: int, own: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a build ends before it has moved or removed one file more than `left`."""

    class Killed(BaseException):
        """Not caught by anything."""

    def counted(real: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Any, **named: Any) -> None:
            nonlocal left
            place = Path(arguments[-1])
            if place.is_relative_to(out) and ".partial" not in str(place):
                left -= 1
                if left < 0:
                    raise Killed
            real(*arguments, **named)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", counted(os.replace))
        patch.setattr(os, "unlink", counted(os.unlink))
        try:
            build("generate", "--formats", own, "--out", out)
        except Killed:
            return True
        return False


def test_a_build_does_not_follow_a_link_out_of_its_folder(own: Path, tmp_path: Path) -> None:
    out, home = tmp_path / "out", tmp_path / "home"
    out.mkdir()
    home.mkdir()
    (out / "debug").symlink_to(home)
    done = build("generate", "--formats", own, "--out", out)
    assert done.returncode == 1
    assert not any(home.iterdir())


@pytest.mark.parametrize("words", [("--formats", "LOOP/x.ksy", "--out", "OUT"), ("--formats", "OWN", "--out", "LOOP")])
def test_links_that_lead_in_a_circle_are_named(
    words: tuple[str, ...], own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    places = {"LOOP": str(loop), "LOOP/x.ksy": f"{loop}/x.ksy", "OWN": str(own), "OUT": str(tmp_path / "out")}
    assert cli.main(["build", *(places.get(word, word) for word in words)]) == 1
    assert cli.main(["records", str(tmp_path / "none"), "--spec", f"{loop}/x"]) == 2
    assert "loop" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["title: .nan", "title: t, doc: {switch-on: a}", "title: t, encoding: 'a\\0b'"])
@pytest.mark.parametrize("command", ["generate", "lint"])
def test_what_the_compiler_does_not_expect_is_no_traceback(tmp_path: Path, text: str, command: str) -> None:
    spec = tmp_path / "odd_a.ksy"
    spec.write_text(f"meta: {{id: odd_a, endian: be, {text}}}\nseq: [{{id: a, type: u1, doc-ref: {{a: 1}}}}]\n")
    done = build(command, "--formats", spec, *output(command, tmp_path))
    assert done.returncode == 1
    assert "odd_a.ksy" in done.stderr
    assert "Traceback" not in done.stderr
