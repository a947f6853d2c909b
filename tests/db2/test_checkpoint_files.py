"""The file of a checkpoint: what is in it, what is none, what it needs, and two runs with one."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from db2.resumed_extracts import Extracts, with_gaps

import lmparse
from lmparse.errors import FramingError, LmparseError, OptionError


def test_parts_of_a_checkpoint_that_are_none(tmp_path: Path) -> None:
    log = Extracts(tmp_path, stream=with_gaps(0))
    log.run(log.file(0, log.places[-1]))
    sound = json.loads(log.state.read_text())
    wanted = {"spec", "seq", "reached", "ends", "needed", "described", "files", "form"}
    wanted |= {"ranges", "open_units", "tables"}
    assert sound.keys() - {"checkpoint_version"} == wanted
    file = sound["files"][0]
    bad: list[tuple[str, Any]] = [
        *(("ends", one) for one in ([1], {"0": [1]}, {"0": [[1, 2]]}, {"0": [1, 1 << 64]}, {"x": [1, 2]}, {"0": 1})),
        *(("files", [one]) for one in (1, {}, {**file, "digest": "zz"}, {**file, "size": -1}, {**file, "last": [1]})),
        *(("form", one) for one in (["filter"], ["filter", "little"], [*sound["form"][:3], "2"], ["x"] * 9)),
    ]
    for name, value in bad:
        log.state.write_text(json.dumps({**sound, name: value}))
        with pytest.raises(OptionError) as found:
            log.run(log.file(log.places[-1], len(log.data)))
        assert found.value.code == "LMP-S030", (name, value)


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


def test_checkpoints_with_other_values(tmp_path: Path) -> None:
    """A checkpoint may be damaged too: an error with a code, or the reading that it asks for."""
    log, chosen = Extracts(tmp_path), random.Random(11)
    log.run(log.file(0, log.places[-4]))
    sound, rest = json.loads(log.state.read_text()), log.file(log.places[-4], len(log.data))
    assert sound["described"]
    values = [None, -1, 1 << 70, "", "00", "zz", [], {}, [1], "../" * 9, 3.5, True, "00" * 40, "G" * 72, "\0"]
    for value in values:
        log.state.write_text(json.dumps({**sound, "seq": value}, indent=2))
        with suppress(LmparseError):
            log.run(rest)
    for text in ("0000", "00" * 40, "ff" * 40, sound["described"][0][:-2], "0000" + sound["described"][0]):
        log.state.write_text(json.dumps({**sound, "described": [text]}, indent=2))
        with pytest.raises(OptionError) as found:
            log.run(rest)
        assert found.value.code == "LMP-S030"
    for _ in range(120):
        damaged = json.loads(json.dumps(sound))
        place: Any = damaged
        while isinstance(place, dict | list) and place:
            key = chosen.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not isinstance(place[key], dict | list) or not place[key] or chosen.random() < 0.3:
                place[key] = chosen.choice(values)
                break
            place = place[key]
        log.state.write_text(json.dumps(damaged, indent=2))
        with suppress(LmparseError):
            log.run(rest)


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
