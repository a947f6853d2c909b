"""The record table: both engines fill it with the same, record by record and column by column."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from amounts import amount
from samples.db2_random import written

from lmparse.db2.log import Db2Log
from lmparse.db2.part_reader import PartReader
from lmparse.db2.record_columns import RecordColumns
from lmparse.db2.record_forms import Role
from lmparse.errors import FramingError
from lmparse.framing.extents import Span
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

ROOT = Path(__file__).parents[2]
_PARSED = {Role.CHANGE: Role.IRREGULAR, Role.UNDO: Role.IRREGULAR, Role.PIECE: Role.IRREGULAR}
"""Of what changes rows, the parser leaves all to the reader of single records."""


def table(path: Path, options: dict[str, str], engine: str) -> RecordColumns:
    log = open_changes(path, read_options({**options, "engine": engine}), on_error=lambda _: None)
    assert isinstance(log, Db2Log)
    reader = PartReader(log, 1 << 16)
    columns: list[RecordColumns] = []
    with suppress(FramingError):  # up to damage
        columns.extend(reader.windows(Span(0, len(log.buffer), 0)))
    return reader.named(RecordColumns.joined(columns))


@pytest.mark.parametrize("seed", range(300, amount(306, 400)))
def test_both_engines_fill_it_alike(seed: int, tmp_path: Path) -> None:
    path, options, _ = written(tmp_path, seed, 40)
    one, other = table(path, options, "columnar"), table(path, options, "kaitai")
    assert len(one.members) > 40
    rows = one.without_places().rows
    size = one.members.nbytes // len(one.members) + rows.nbytes // len(rows)
    assert f"leaves {size} bytes for a record with one row" in (ROOT / "docs" / "db2-luw.md").read_text()
    for name in ("index", "offset", "length", "tid", "previous", "lsn", "lfs", "stream", "address"):
        np.testing.assert_array_equal(getattr(one.members, name), getattr(other.members, name), name)
    roles = [_PARSED.get(Role(role), role) for role in one.members.role.tolist()]
    assert roles == other.members.role.tolist()
    for name in ("member", "time"):
        np.testing.assert_array_equal(getattr(one.ends, name), getattr(other.ends, name), name)
    assert [one.authids[n] if n >= 0 else None for n in one.ends.authid.tolist()] == [
        other.authids[n] if n >= 0 else None for n in other.ends.authid.tolist()
    ]
    assert one.links == other.links
    assert (one.count, one.end, one.counts, one.loads) == (other.count, other.end, other.counts, other.loads)
