"""Files that come behind others with later positions, or are of another log, and those that are read again."""

from __future__ import annotations

import json
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from db2.resumed_extracts import FORM, Extracts
from samples import db2_scripts as luw
from writers.db2.stream import Stream

import lmparse
from lmparse.errors import FramingError


@pytest.mark.parametrize(
    ("form", "order"), [(FORM, "120"), (("v10", "big", "bare"), "021"), (("v9.7", "little", "lsn8"), "02a")]
)
def test_a_file_that_comes_too_late(form: tuple[str, str, str], order: str, tmp_path: Path) -> None:
    """Its records lie in front of what has been read, and have not been read: nobody may take them for known ones."""
    log = Extracts(tmp_path, form)
    first, second = (log.places[len(log.places) * part // 3] for part in (1, 2))
    bounds = {"0": (0, first), "1": (first, second), "2": (second, len(log.data)), "a": (0, second)}
    files = {name: log.file(*cut) for name, cut in bounds.items()}
    for name in order[:-1]:
        log.run(files[name])
    before = log.state.read_text()
    for late in ([files[order[-1]]], [*files.values()]):
        with pytest.raises(FramingError) as found:
            log.run(*late)
        assert found.value.code == "LMP-F014"
    assert log.state.read_text() == before
    assert log.run(files[order[0]], files[order[1]]) == []


def test_the_newest_files_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Older ones look like files that come too late."""
    monkeypatch.setattr("lmparse.db2.files.resuming.MOST_FILES", 2)
    log = Extracts(tmp_path)
    places = [0, *log.places[10::10]][:5]
    files = [log.file(*cut) for cut in pairwise(places)]
    for path in files:
        log.run(path)
    assert len(json.loads(log.state.read_text())["files"]) == 2
    opened = lmparse.open_log(files[2:], checkpoint=log.state, **log.options)
    assert list(opened.changes()) == []
    assert "files that were read before: 2; they are skipped" in opened.tally.notices
    with pytest.raises(FramingError, match="LMP-F014"):
        log.run(files[1])


OTHER_LOG = [("inside", 3, 9, "F014"), ("of a file", 4, 8, "F014"), ("up to the end", 8, 10, "F014"),
             ("past it", 8, 12, "F013"), ("from far in front", 5, 12, "F014")]  # fmt: skip


@pytest.mark.parametrize(
    ("begin", "end", "code"), [case[1:] for case in OTHER_LOG], ids=[case[0] for case in OTHER_LOG]
)
@pytest.mark.parametrize("other", ["values", "positions"])
def test_a_file_of_another_log_that_has_the_positions_that_were_read(
    begin: int, end: int, code: str, other: str, tmp_path: Path
) -> None:
    """It is not taken for one that was read before."""
    streams = [Stream(*FORM), Stream(*FORM, first_commit=datetime(2026, 4, 1))]
    cuts: list[list[int]] = [[0], [0]]
    for number, (stream, places) in enumerate(zip(streams, cuts, strict=True)):
        for row in range(12):
            unit = stream.begin()
            text = "a word" + "s" * (number * row if other == "positions" else 0)
            unit.insert(luw.ITEM, luw.item(row + 100 * number, text))
            unit.commit()
            places.append(len(stream.bytes()))
    (tmp_path / "other").mkdir()
    log, foreign = Extracts(tmp_path, stream=streams[0]), Extracts(tmp_path / "other", stream=streams[1])
    own = [log.file(cuts[0][start], cuts[0][behind]) for start, behind in ((0, 4), (4, 8), (8, 10))]
    log.run(*own[:2])
    log.run(own[2])
    before = log.state.read_text()
    strange = foreign.file(cuts[1][begin], cuts[1][end])
    with pytest.raises(FramingError) as found:
        log.run(strange)
    assert (found.value.code, found.value.file) == (f"LMP-{code}", str(strange))
    assert log.state.read_text() == before
    # Its own files are known, and one that has grown; a part of them is not.
    assert log.run(*own) == []
    with pytest.raises(FramingError, match="LMP-F014"):
        log.run(*own, log.file(cuts[0][2], cuts[0][9]))
    assert len(log.run(log.file(cuts[0][8], cuts[0][12]))) == 2
