"""The build step with specs of one's own, wherever they are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from spec.build_step import ROOT, build, texts

from lmparse import cli
from lmparse.spec.layout import Layout

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
