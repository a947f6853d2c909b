"""The record table: both engines fill it with the same, record by record and column by column."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from amounts import amount
from samples.db2_random import written

from lmparse.db2.log import Db2Log
from lmparse.db2.record.forms import Role
from lmparse.db2.record.record_table import RecordTable, joined
from lmparse.db2.transactions import units
from lmparse.db2.transactions.part_reader import PartReader
from lmparse.errors import FramingError
from lmparse.framing.extents import Span
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

PAGE = " ".join((Path(__file__).parents[2] / "docs" / "db2-luw.md").read_text("utf-8").split())
_ARRAYS = ("members", "rows", "undos", "ends", "pieces")
_NUMBERED = ("form", "authid")
"""Numbers of words, which each engine gives in its own order."""
_PLACES = ("before", "before_length", "after", "after_length")
"""Where rows are, which the parser does not say."""


def table(path: Path, options: dict[str, str], engine: str) -> RecordTable:
    log = open_changes(path, read_options({**options, "engine": engine}), on_error=lambda _: None)
    assert isinstance(log, Db2Log)
    reader = PartReader(log, 1 << 16)
    columns: list[RecordTable] = []
    with suppress(FramingError):  # up to damage
        columns.extend(reader.windows(Span(0, len(log.buffer), 0)))
    return reader.named(joined(columns))


@pytest.mark.parametrize("seed", range(300, amount(306, 400)))
def test_both_engines_fill_it_alike(seed: int, tmp_path: Path) -> None:
    path, options, _ = written(tmp_path, seed, 40)
    one, other = table(path, options, "columnar"), table(path, options, "kaitai")
    assert len(one.members) > 40
    rows = one.rows
    size = one.members.nbytes // len(one.members) + rows.nbytes // len(rows)
    assert f"leaves {size} bytes for a record with one row" in PAGE
    for kind in _ARRAYS:
        left, right = getattr(one, kind), getattr(other, kind)
        for entry in fields(left):
            if entry.name not in (*_NUMBERED, *_PLACES):
                np.testing.assert_array_equal(getattr(left, entry.name), getattr(right, entry.name), entry.name)
    members = np.flatnonzero(one.members.role != Role.MEMBER).tolist()
    assert [*map(one.kind, members)] == [*map(other.kind, members)]
    assert [one.authids[n] if n >= 0 else None for n in one.ends.authid.tolist()] == [
        other.authids[n] if n >= 0 else None for n in other.ends.authid.tolist()
    ]
    assert one.address_forms == other.address_forms
    assert one.links == other.links
    assert (one.count, one.end, one.counts, one.loads) == (other.count, other.end, other.counts, other.loads)


@pytest.mark.parametrize("together", [1, 7])
def test_units_are_the_same_however_many_members_are_looked_at_together(
    together: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, options, _ = written(tmp_path, 311, 40)
    found: list[list[object]] = []
    for size in (1 << 20, together):
        monkeypatch.setattr(units, "_TOGETHER", size)
        records = table(path, options, "columnar")
        # Every other record is not there: units are broken.
        *of_units, unit_of = units.find_units(replace(records, members=records.members.take(slice(None, None, 2))))
        columns = [getattr(one, entry.name) for one in of_units for entry in fields(one)]
        found.append([*columns, unit_of, records.links.named])
    assert len(records.links.named) > 3
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
