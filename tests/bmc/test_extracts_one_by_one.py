"""Extracts of a Log Master log that are read one by one, or as they arrive, give each change of the whole log once."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from bmc_extracts import example
from writers.bmc import framing
from writers.bmc.logs import changed, field, opened

import lmparse
from lmparse.changes.checkpoint import Checkpoint
from lmparse.errors import FramingError, LmparseError
from lmparse.samples import bmc_log


class Extracts:
    """A log, and extracts of it with control files of their own, in which units that end later are open."""

    def __init__(self, folder: Path, data: Sequence[bytes], control: Sequence[bytes]) -> None:
        self.folder, self.data, self.control = folder, list(data), list(control)
        self.landing = folder / "landing"
        self.landing.mkdir()
        whole = self.file(0, len(data), folder)
        self.rows = shown(lmparse.open_log(whole, control=str(whole.with_suffix(".ctl"))).changes())
        self.options = {"control": str(self.landing / "{stem}.ctl")}
        self.state = folder / "state.json"
        self.left_out: Mapping[str, int] = {}

    def file(self, start: int, end: int, folder: Path | None = None) -> Path:
        path = (folder or self.landing) / f"{start:04}-{end:04}.dat"
        path.with_suffix(".ctl").write_bytes(framing.rdw(self.control))
        path.write_bytes(framing.rdw(opened(self.data[start:end], self.data[end:])))
        return path

    def places(self) -> list[int]:
        """Where the log can be cut: not between segments of one change, whose records have one position."""
        positions = [field(one, "loglrsn") for one in self.data]
        return [place for place in range(1, len(positions)) if not {*positions[:place]} & {*positions[place:]}]

    def write(self, name: str, data: Sequence[bytes]) -> Path:
        """An extract that has these records as they are."""
        path = self.landing / f"{name}.dat"
        path.with_suffix(".ctl").write_bytes(framing.rdw(self.control))
        path.write_bytes(framing.rdw(data))
        return path

    def run(self, *paths: Path) -> list[dict[str, Any]]:
        """The changes that one reading gives."""
        rows, error = self.tried(*paths)
        if error is not None:
            raise error
        return rows

    def tried(self, *paths: Path) -> tuple[list[dict[str, Any]], LmparseError | None]:
        """The same, and an error, perhaps of a record, behind which there is no checkpoint."""
        try:
            log = lmparse.open_log(paths, checkpoint=self.state, **self.options)
            rows = list(log.changes())
        except FramingError as error:
            return [], error
        self.left_out = log.left_out
        if log.tally.errors:
            return [], log.tally.errors[0]
        log.save_checkpoint()
        return shown(rows), None


def shown(rows: Any) -> list[dict[str, Any]]:
    kept = [{name: value for name, value in row.items() if name != "_metadata"} for row in rows]
    return sorted(kept, key=lambda row: str(row["seq"]))


@pytest.fixture
def log(tmp_path: Path) -> Extracts:
    made = bmc_log.make(units=5, seed=2)
    return Extracts(tmp_path, made.data, undescribed(made.control))


def undescribed(control: Sequence[bytes]) -> list[bytes]:
    """A control file without records that describe the header, so that `opened` knows its fields."""
    return [one for one in control if one[:4] != "XHDF".encode("cp037")]


def test_a_log_in_two_extracts_at_every_record_boundary(log: Extracts) -> None:
    size = len(log.data)
    assert log.rows
    for place in log.places():
        log.state.unlink(missing_ok=True)
        first, second = log.run(log.file(0, place)), log.run(log.file(place, size))
        assert shown(first + second) == log.rows
        assert log.run(log.file(place, size)) == []


def test_an_extract_with_open_units_is_given_again_when_they_have_ended(tmp_path: Path) -> None:
    """They are not open once more, nor compared with an extract that is needed and has none of their records."""
    found = example(tmp_path)
    log = Extracts(tmp_path, found.data, found.control)
    no_end = {"uordisp": b"\x40", "uorcommittimestamp": b"", "uorcommitlrsn": b"", "uorcommitpoint": b""}
    data, are_open = log.data, [changed(one, **no_end) for one in log.data]
    first = log.write("first", [are_open[place] for place in (0, 1, 2, 4, 6)])
    second = log.write("second", [data[place] for place in (4, 6, 8)])  # it has all of the unit that begins at 4
    assert log.run(first) == []
    assert len(log.run(second)) == 3
    third = log.write("third", [are_open[place] for place in (0, 1, 2, 9, 10)])  # and this of the one that is open
    for path in (first, second, third, first, second):
        assert log.run(path) == []
    assert len(log.run(log.write("fourth", [data[place] for place in (0, 1, 2, 9, 10)]))) == 5


def test_every_range_that_was_read_is_kept(log: Extracts) -> None:
    """However many there are, a position between two of them was not read."""
    low, high = (log.places()[len(log.places()) * part // 3] for part in (1, 2))
    log.run(log.file(0, low))
    last = log.file(high, len(log.data))
    log.run(last)
    state = Checkpoint.read(log.state)
    ranges = tuple((state.reached[1] + 2 * number,) * 2 for number in range(1, 1500))
    log.state.write_text(replace(state, ranges=state.ranges + ranges, reached=ranges[-1]).to_json())
    log.run(last)
    assert Checkpoint.read(log.state).ranges == state.ranges + ranges
    _, error = log.tried(log.file(low, high))
    assert error is not None
    assert error.code == "LMP-F014"


@pytest.mark.parametrize("seed", range(24))
def test_extracts_in_any_order_give_all_changes_or_are_refused(tmp_path: Path, seed: int) -> None:
    """One of which nothing would be left out may come late; any other one is LMP-F014."""
    chosen = random.Random(seed)
    made = bmc_log.make(units=6, seed=seed)
    log = Extracts(tmp_path, made.data, undescribed(made.control))
    cuts = [0, *sorted(chosen.sample(log.places(), 3)), len(log.data)]
    spans = list(pairwise(cuts))
    chosen.shuffle(spans)
    given: list[dict[str, Any]] = []
    refused = 0
    for start, end in spans:
        before = log.state.read_bytes() if log.state.exists() else b""
        rows, error = log.tried(log.file(start, end))
        given += rows
        if error is None:
            assert not log.left_out.get("outside the range")
        else:
            refused += 1
            assert (error.code, Path(error.file or "").name) == ("LMP-F014", f"{start:04}-{end:04}.dat")
            assert (log.state.read_bytes() if log.state.exists() else b"") == before
    assert shown(given) == log.rows or refused
    assert len({row["seq"] for row in given}) == len(given)


def test_a_commit_in_front_of_those_of_the_extract_before_it_is_refused(tmp_path: Path) -> None:
    """The records come in order, and a unit of the second extract was committed before one of the first."""
    found = example(tmp_path)
    log = Extracts(tmp_path, found.data, found.control)
    codes: list[str | None] = []
    for place in log.places():
        log.state.unlink(missing_ok=True)
        first = log.run(log.file(0, place))
        rows, error = log.tried(log.file(place, len(log.data)))
        codes.append(error and error.code)
        if error is None:
            assert shown(first + rows) == log.rows
        else:
            assert re.search(r"it comes too late: unit of recovery \w{20} was committed at \w{20}, and", str(error))
    assert set(codes) == {None, "LMP-F014"}


def test_commits_without_a_position_have_no_checkpoint(log: Extracts) -> None:
    """Nothing says which of their changes were given: they were given again with the next extract."""
    path = log.write("unplaced", [changed(one, uorcommitlrsn=b"", uorcommitpoint=b"") for one in log.data])
    with pytest.raises(FramingError, match="neither UORCOMMITLRSN nor UORCOMMITPOINT says where") as caught:
        log.run(path)
    assert (caught.value.code, caught.value.file) == ("LMP-F013", str(path))
    assert not log.state.exists()
    with pytest.raises(FramingError, match="LMP-F013"):
        lmparse.land(path, log.folder / "lake", as_="parquet", **log.options)
    assert not list((log.folder / "lake").rglob("*.parquet"))
    assert list(lmparse.open_log(path, **log.options).changes())


def test_extracts_of_other_tables_of_the_same_stretch(log: Extracts) -> None:
    """Read together they are the log; one behind the other, the second one's changes would be left out as given."""
    tables = [field(one, "dbid") + field(one, "tbobid") for one in log.data]
    assert len(set(tables)) > 1
    data, chosen = log.data, max(set(tables), key=tables.count)
    paths = []
    for number, is_chosen in enumerate((True, False)):
        log.data = [one for one, table in zip(data, tables, strict=True) if (table == chosen) == is_chosen]
        paths.append(log.file(0, len(log.data)).rename(log.landing / f"{number}.dat"))
        paths[-1].with_suffix(".ctl").write_bytes(framing.rdw(log.control))
    assert log.run(*paths) == log.rows
    log.state.unlink()
    first = log.run(paths[0])
    rows, error = log.tried(paths[1])
    assert (rows, error and error.code) == ([], "LMP-F014")
    assert 0 < len(first) < len(log.rows)
    assert log.run(paths[0]) == []
