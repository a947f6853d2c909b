"""Specs that are edited while the server reads records with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from served import SPEC, answered, ids, parsed, process

from lmparse.errors import OptionError
from lmparse.review.serve.live import LiveSpecs, spec_file
from lmparse.review.serve.record_list import ServedFile

# -- live specs --------------------------------------------------------------------------------------


def test_an_edited_spec_is_built_and_its_records_are_read_anew(tmp_path: Path) -> None:
    spec, file = tmp_path / "specs" / "acme_a.ksy", tmp_path / "two.bin"
    spec.parent.mkdir()
    spec.write_text(SPEC)
    file.write_bytes(b"\1abc\2xyz")
    with process(file, "--specs", spec.parent, "--framing", "fixed", "--record-length", "4") as (_, address):

        def state_after(version: int) -> Any:
            while (state := json.loads(answered(address, "state")))["version"] <= version:
                sleep(0.05)
            return state

        def shown() -> list[str]:
            return [one for one in ids(parsed(answered(address, "record", record=1))) if "length" not in one]

        state = state_after(0)
        assert (shown(), state["problems"]) == (["one", "rest"], [])
        spec.write_text(SPEC.replace("id: one", "id: uno"))
        state = state_after(state["version"])
        assert (shown(), state["problems"]) == (["uno", "rest"], [])
        spec.write_text(SPEC.replace("type: u1", "type: u77"))
        broken = state_after(state["version"])
        (problem,) = broken["problems"]
        assert "acme_a.ksy:2:" in problem["text"]
        assert broken["generation"] == state["generation"]
        assert shown() == ["uno", "rest"]  # the last good one
        spec.write_text(SPEC)
        state = state_after(broken["version"])
        assert (shown(), state["problems"]) == (["one", "rest"], [])
        file.write_bytes(b"\1abc\2xyz\3xyz")
        while (now := json.loads(answered(address, "state")))["generation"] == state["generation"]:
            sleep(0.05)
        assert now["problems"] == []
        assert "3 records" in answered(address)


class Edited:
    """A folder with one spec that is edited, and the records that are read with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "specs"
        self.spec, file = self.folder / "acme_a.ksy", folder / "two.bin"
        self.folder.mkdir()
        self.spec.write_text(SPEC)
        file.write_bytes(b"\1abc\2xyz")
        options = {"framing": "fixed", "record_length": "4"}
        self.file = ServedFile(str(file), None)
        self.live = LiveSpecs(self.spec, [self.file], options).start()

    def after(self, change: Callable[[], object]) -> list[dict[str, Any]]:
        """The problems of the build that follows a change."""
        version = self.live.state()["version"]
        change()
        while (state := self.live.state())["version"] == version:
            assert self.live._thread.is_alive()
            sleep(0.02)
        found: list[dict[str, Any]] = state["problems"]
        return found

    def ids(self) -> list[str]:
        """The fields of a record."""
        return [line.node.field.id for line in self.file.records().record(1).main.lines if line.node is not None]


@pytest.fixture
def edited(tmp_path: Path) -> Iterator[Edited]:
    found = Edited(tmp_path)
    yield found
    found.live.close()


def test_what_is_wrong_in_a_spec_is_said_at_its_line_and_the_next_edit_is_built(edited: Edited) -> None:
    for text, code in {
        "": "LMP-S008",
        "- 1\n": "LMP-S008",
        "meta: {id: acme_a}\nseq: " + "[" * 3000 + "]" * 3000: "LMP-L001",
        SPEC + "\0": "LMP-S008",
        "meta: {id: acme_a, ks-opaque-types: true}\nseq: [{id: one, type: os_system}]\n": "LMP-S008",
        "meta: {id: acme_a}\nseq: [{id: one, process: os.system(1), size-eos: true}]\n": "LMP-S008",
        "meta: {id: acme_a}\nseq: [{id: one, type: u77}]\n": "LMP-S008",
    }.items():
        problems = edited.after(partial(edited.spec.write_text, text))
        assert {(problem["code"], "acme_a.ksy:" in problem["text"]) for problem in problems} == {(code, True)}
        assert edited.ids() == ["one", "rest"]
    away = edited.folder.with_name("away")
    assert edited.after(lambda: edited.folder.rename(away))
    assert edited.after(lambda: away.rename(edited.folder))
    assert edited.after(partial(edited.spec.write_text, SPEC.replace("one", "uno"))) == []
    assert edited.ids() == ["uno", "rest"]


def test_builds_that_nobody_reads_with_are_removed(edited: Edited) -> None:
    for name in ("uno", "due", "tre", "quattro"):
        assert edited.after(partial(edited.spec.write_text, SPEC.replace("one", name))) == []
        assert edited.ids() == [name, "rest"]
    folder = Path(edited.live._folder.name)
    assert sum(path.is_dir() for path in folder.iterdir()) == 2
    edited.live.close()
    assert not folder.exists()


def test_of_a_tree_of_specs_the_named_one_is_built_with_what_it_imports(tmp_path: Path) -> None:
    """A fault in a spec that it does not import is nobody's matter here."""
    for place, text in {
        "acme/acme_a": SPEC.replace("acme_a", "acme_a, imports: [/common/acme_c]").replace("u1", "acme_c"),
        "common/acme_c": "meta: {id: acme_c}\nseq: [{id: inner, type: u1}]\n",
        "other/acme_bad": "meta: {id: acme_bad}\nseq: [{id: x, type: u77}]\n",
    }.items():
        path = tmp_path / "specs" / f"{place}.ksy"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    file = tmp_path / "two.bin"
    file.write_bytes(b"\1abc\2xyz")
    given = (file, "--specs", tmp_path / "specs", "--spec", "acme_a", "--framing", "fixed", "--record-length", "4")
    with process(*given) as (_, address):
        assert json.loads(answered(address, "state"))["problems"] == []
        assert "inner" in ids(parsed(answered(address, "record", record=0)))


def test_the_spec_is_named_where_several_may_be_meant(tmp_path: Path) -> None:
    (tmp_path / "acme_a.ksy").write_text(SPEC)
    assert spec_file(tmp_path, None) == spec_file(tmp_path / "acme_a.ksy", None) == tmp_path / "acme_a.ksy"
    (tmp_path / "acme_b.ksy").write_text(SPEC.replace("acme_a", "acme_b").replace("one", "other"))
    assert spec_file(tmp_path, "acme_b").name == "acme_b.ksy"
    with pytest.raises(OptionError, match="several specs may be that of the records: acme_a, acme_b"):
        spec_file(tmp_path, None)
    for name in ("**", "[", "*", ""):
        with pytest.raises(OptionError, match="there is no "):
            spec_file(tmp_path, name)
