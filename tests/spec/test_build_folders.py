"""The build step with specs of one's own, wherever they are."""

from __future__ import annotations

import json
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


IMPORTING = """\
meta:
  id: acme_a
  imports: [/shared/shared_c, plain]
  endian: be
seq:
  - {id: one, type: shared_c}
  - {id: two, type: plain}
"""


@pytest.fixture
def shelves(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A folder of specs that import what is in two other folders only, at the top of one and in a folder of one."""
    own, first, second = (tmp_path / name for name in ("own", "first", "second"))
    for path, text in (
        (own / "acme" / "acme_a.ksy", IMPORTING),
        (first / "shared" / "shared_c.ksy", PART.format(id="shared_c", imports="shared_d", type="shared_d")),
        (first / "shared" / "shared_d.ksy", PART.format(id="shared_d", imports="", type="u1")),
        (second / "plain.ksy", PART.format(id="plain", imports="", type="u2")),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return own, first, second


def test_imports_are_looked_for_in_other_folders(
    shelves: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The products are whole: nothing is read from these folders afterwards."""
    own, first, second = shelves
    for source in (own, own / "acme" / "acme_a.ksy"):
        out = tmp_path / f"out of {source.name}"
        folders = ["--import", first, "--import", second, "--formats", source]
        assert build("lint", *folders).returncode == 0
        done = build("generate", *folders, "--out", out)
        assert (done.returncode, done.stderr) == (0, "")
        assert parsers(out) == {"acme_a", "shared_c", "shared_d", "plain"}
        assert build("check", *folders, "--out", out).returncode == 0
    for folder in shelves:
        shutil.rmtree(folder)
    (tmp_path / "a.bin").write_bytes(bytes((7, 1, 2)))
    words = ["--framing", "fixed", "--record-length", "3"]
    assert cli.main(["records", str(tmp_path / "a.bin"), "--spec", str(out / "acme_a"), *words]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["one"], row["two"]) == ({"one": {"one": 7}}, {"one": 258})


def test_what_is_beside_the_specs_comes_first(shelves: tuple[Path, Path, Path], tmp_path: Path) -> None:
    own, first, second = shelves
    (own / "acme" / "plain.ksy").write_text(PART.format(id="plain", imports="", type="u4"))
    build("generate", "--import", first, "--import", second, "--formats", own, "--out", tmp_path / "out")
    names: dict[str, dict[str, Layout]] = {}
    exec((tmp_path / "out" / "layouts.py").read_text(), names)
    assert names["LAYOUTS"]["plain"].width == 4


def test_an_import_that_is_nowhere_is_named(shelves: tuple[Path, Path, Path], tmp_path: Path) -> None:
    own, first, _ = shelves
    done = build("generate", "--import", first, "--formats", own, "--out", tmp_path / "out", cwd=tmp_path)
    assert done.returncode == 1
    assert "own/acme/acme_a.ksy:3:31: error: there is no spec acme/plain [/meta/imports/1]" in done.stderr
    (first / "plain.ksy").write_text("meta: [")
    done = build("generate", "--import", first, "--formats", own, "--out", tmp_path / "out", cwd=tmp_path)
    assert "first/plain.ksy:1:8: error: expected the node content" in done.stderr
    for words in (["lint", "--import", tmp_path / "none"], ["new", "acme_b", "--import", first]):
        done = build(*words, "--formats", own)
        assert (done.returncode, "--import" in done.stderr) == (2, True)


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
