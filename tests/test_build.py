"""The build step: what it makes, and what it says of faulty specs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FAULTY = Path(__file__).parent / "cases_bad_specs"

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


def build(*arguments: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "build.py"), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A formats folder with one sound spec."""
    folder = tmp_path / "formats"
    (folder / "acme").mkdir(parents=True)
    (folder / "acme" / "acme_reading.ksy").write_text(SOUND)
    return folder


def texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_spec_of_ones_own_is_built_with_what_it_imports(own: Path, tmp_path: Path) -> None:
    done = build("generate", "--formats", own, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert set(texts(tmp_path / "out")) == {
        "MANIFEST.json", "__init__.py", "layouts.py",
        "acme_reading.py", "acme_reading.pyi", "common_timestamp17.py", "common_timestamp17.pyi",
    }  # fmt: skip
    assert b"from . import common_timestamp17\n" in texts(tmp_path / "out")["acme_reading.py"]


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


def test_two_builds_give_the_same_bytes(own: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert build("generate", "--formats", own, "--out", tmp_path / name).returncode == 0
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
    assert len(CASES) >= 12


@pytest.mark.parametrize(("case", "command"), CASES)
def test_faults_are_named_with_file_line_and_column(case: str, command: str, tmp_path: Path) -> None:
    wanted = expected(FAULTY / case, command)
    done = build(command, "--formats", FAULTY / case, "--out", tmp_path / "out", cwd=FAULTY / case)
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "error:" in line] == wanted
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
