"""Files that come behind others with later positions, or are of another log, and those that are read again."""

from __future__ import annotations

import json
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from db2.resumed_extracts import FORM, Extracts
from samples import db2_scripts as luw
from writers.db2.columns import Column
from writers.db2.stream import Stream
from writers.db2.tables import Table

import lmparse
from lmparse.errors import FramingError


def test_an_old_file_is_given_again(tmp_path: Path) -> None:
    """What was open at its end has ended since."""
    stream, table = Stream("v10", "little", "filter"), Table(3, 4, "T", [Column("NO", "INTEGER", nullable=False)])
    unit = stream.begin()
    unit.initialize(table)
    unit.insert(table, {"NO": 0})
    unit.commit()
    log = Extracts(tmp_path, stream=stream)
    first = log.places[1]
    log.run(log.file(0, first))
    assert json.loads(log.state.read_text())["needed"]
    log.run(log.file(first, len(log.data)))
    before = json.loads(log.state.read_text())
    assert log.run(log.file(0, first)) == []
    assert json.loads(log.state.read_text()) == before


@pytest.mark.parametrize("form", [FORM, ("v10", "big", "bare"), ("v9.7", "little", "lsn8")])
@pytest.mark.parametrize("order", ["120", "021", "02a"])
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


def test_places_without_a_record_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lmparse.db2.resuming.MOST_UNREAD", 2)
    log = Extracts(tmp_path)
    for start, end in list(pairwise([0, *log.places]))[::2][:6]:
        log.run(log.file(start, end))
    places = json.loads(log.state.read_text())["unread"]
    assert len(places) == 2
    assert places == sorted(places)


@pytest.mark.parametrize("is_alone", [True, False])
@pytest.mark.parametrize("records_kept", [2, 1000])
@pytest.mark.parametrize("form", [FORM, ("v10", "little", "lsn8")])
def test_a_file_in_front_of_the_places_that_are_kept(
    form: tuple[str, str, str], records_kept: int, *, is_alone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it was read before or not is not known then, unless its last record is, or addresses show it; its changes
    are left out, but not without a word."""
    for module in ("resuming", "file_chain"):
        monkeypatch.setattr(f"lmparse.db2.{module}.MOST_UNREAD", 2)
    monkeypatch.setattr("lmparse.db2.resuming.MOST_KNOWN", records_kept)
    stream, cuts = Stream(*form), [0]
    for number in range(12):
        unit = stream.begin()
        unit.insert(luw.ITEM, luw.item(number, "one"))
        unit.commit()
        cuts.append(len(stream.bytes()))
    log = Extracts(tmp_path, form, stream)
    files = [log.file(*cut) for cut in pairwise(cuts)]
    for path in files[:-2:2]:
        assert len(log.run(path)) == 1
    beside = [] if is_alone else [files[-1]]
    late = () if form == FORM else ((1, "whether"),)
    for number, word in (*late, (0, "whether" if records_kept == 2 else ""), (8, "")):
        opened = lmparse.open_log([files[number], *beside], checkpoint=log.state, **log.options)
        assert len(list(opened.changes())) == len(beside)
        said = [text for text in opened.tally.notices if "was read before is not known" in text]
        assert [text.partition(" ")[0] for text in said] == ([word] if word else [])
    for number in (1, 7) if form == FORM else (7,):
        with pytest.raises(FramingError, match="LMP-F014"):
            log.run(files[number])


OTHER_LOG = [
    ("inside", 3, 9, "F013"),
    ("up to the end", 5, 10, "F013"),
    ("past it", 5, 12, "F013"),
    ("short", 6, 7, ""),
]


@pytest.mark.parametrize(
    ("begin", "end", "code"), [case[1:] for case in OTHER_LOG], ids=[case[0] for case in OTHER_LOG]
)
@pytest.mark.parametrize("other", ["values", "positions"])
def test_a_file_of_another_log_that_has_the_positions_that_were_read(
    begin: int, end: int, code: str, other: str, tmp_path: Path
) -> None:
    """It is not taken for one that was read before: the last record of each file is known again."""
    streams = [Stream(*FORM), Stream(*FORM, first_commit=datetime(2026, 4, 1))]
    cuts: list[list[int]] = [[0], [0]]
    for number, (stream, places) in enumerate(zip(streams, cuts, strict=True)):
        for row in range(12):
            unit = stream.begin()
            text = "a word" + "s" * (number * row if other == "positions" else 0)
            unit.insert(luw.ITEM, luw.item(row + 100 * number, text))
            unit.commit()
            places.append(len(stream.bytes()))
    log, foreign = (Extracts(tmp_path, stream=stream) for stream in streams)
    own = [log.file(cuts[0][start], cuts[0][behind]) for start, behind in ((0, 4), (4, 8), (8, 10))]
    log.run(*own[:2])
    log.run(own[2])
    before = log.state.read_text()
    strange = foreign.file(cuts[1][begin], cuts[1][end])
    if code:
        with pytest.raises(FramingError) as found:
            log.run(strange)
        assert (found.value.code, found.value.file) == (f"LMP-{code}", str(strange))
        assert "a file that was read before" in str(found.value)
        assert log.state.read_text() == before
    else:
        opened = lmparse.open_log(strange, checkpoint=log.state, **log.options)
        assert list(opened.changes()) == []
        assert ["was read before is not known" in text for text in opened.tally.notices] == [True]
    # Its own files, a part of two of them, and one that has grown, are known.
    inside = log.file(cuts[0][2], cuts[0][9])
    opened = lmparse.open_log([*own, inside], checkpoint=log.state, **log.options)
    assert list(opened.changes()) == []
    assert not [text for text in opened.tally.notices if "not known" in text]
    assert len(log.run(log.file(cuts[0][6], cuts[0][12]))) == 2
