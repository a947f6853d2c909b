"""The file of a checkpoint: what is in it, what is none, what it needs, and two runs with one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from db2.resumed_extracts import Extracts, with_gaps

import lmparse
from lmparse.changes.checkpoint import Checkpoint
from lmparse.errors import FramingError, LmparseError, OptionError


def test_what_is_in_a_checkpoint(tmp_path: Path) -> None:
    log = Extracts(tmp_path, stream=with_gaps(0))
    log.run(log.file(0, log.places[-1]))
    text = log.state.read_text()
    wanted = {"checkpoint_version", "sha256", "spec", "seq", "reached", "ends", "needed", "described", "files", "form"}
    assert json.loads(text).keys() == wanted | {"ranges", "open_units", "tables"}
    assert Checkpoint.of_json(text.encode(), "a").to_json() == text


def test_what_a_checkpoint_needs(tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    place = next(place for place in log.places if needs(log, place))
    needed = json.loads(log.state.read_text())["needed"]
    path = Path(needed[0]["path"])
    raw = bytearray(path.read_bytes())
    before, second = log.state.read_bytes(), log.file(place, len(log.data))
    raw[-1] ^= 1
    path.write_bytes(raw)
    with pytest.raises(LmparseError, match="are not those that were read before") as found:
        log.run(second)
    assert found.value.code == "LMP-F012"
    path.unlink()
    with pytest.raises(FramingError) as gone:
        log.run(second)
    assert (gone.value.code, gone.value.file) == ("LMP-F001", str(path))
    assert log.state.read_bytes() == before


def needs(log: Extracts, place: int) -> bool:
    log.state.unlink(missing_ok=True)
    log.run(log.file(0, place))
    return bool(json.loads(log.state.read_text())["needed"])


def test_files_that_are_no_checkpoint(tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    path = log.file(0, log.places[10])
    for text in ("", "[]", "{}", '{"checkpoint_version": 9}', "\0", '{"checkpoint_version": 2, "spec": 1, "seq": 2}'):
        log.state.write_text(text)
        with pytest.raises(OptionError) as found:
            log.run(path)
        assert found.value.code == "LMP-S030"
        assert log.state.read_text() == text


@pytest.mark.parametrize("name", ["seq", "reached", "ends", "needed", "described", "files", "form", "open_units"])
def test_a_checkpoint_that_was_changed_is_none(name: str, tmp_path: Path) -> None:
    log = Extracts(tmp_path)
    log.run(log.file(0, log.places[-4]))
    sound, rest = json.loads(log.state.read_text()), log.file(log.places[-4], len(log.data))
    for value in (None, "00", [], {}, [1], [{"path": "../a"}], {"0": [1, 2]}):
        if sound[name] != value:
            log.state.write_text(json.dumps({**sound, name: value}))
            with pytest.raises(OptionError, match="its digest is another one") as found:
                log.run(rest)
            assert found.value.code == "LMP-S030"


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("parts", [2, 3])
def test_two_runs_with_one_checkpoint(parts: int, *, is_first: bool, tmp_path: Path) -> None:
    """The one that ends last does not set the checkpoint back, and what it gave is said to be given already; also if
    both have read the same files, so that they would write the same."""
    log = Extracts(tmp_path)
    first, second = (log.places[len(log.places) * part // 3] for part in (1, 2))
    if not is_first:
        log.run(log.file(0, first))
    end = len(log.data) if parts == 3 else second
    start = 0 if is_first else first
    slow, quick = (
        lmparse.open_log(path, checkpoint=log.state, **log.options)
        for path in (log.file(start, second), log.file(start, end))
    )
    quick.save_checkpoint()
    quick.save_checkpoint()
    before = log.state.read_text()
    with pytest.raises(OptionError, match="was written by another run") as found:
        slow.save_checkpoint()
    assert found.value.code == "LMP-S022"
    assert log.state.read_text() == before
    log.state.unlink()
    if is_first:
        return
    with pytest.raises(OptionError, match="was written by another run"):
        slow.save_checkpoint()  # it would leave out what another one reads from the beginning
