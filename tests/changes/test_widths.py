"""How many changes are held at a time: fewer of wide tables, and of many table versions, and the same rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from samples.db2_scripts import ITEM, item
from writers.db2 import dms, rows
from writers.db2.columns import Column
from writers.db2.dms import Place
from writers.db2.stream import Stream
from writers.db2.wire import Rid

from lmparse.changes import log as change_log
from lmparse.changes import rows as change_rows
from lmparse.changes.log import ChangeLog
from lmparse.changes.schemas import changes_schema
from lmparse.logs import arrow, lines
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes

ENGINES = ("kaitai", "columnar")


def opened(path: Path, engine: str, **options: Any) -> ChangeLog:
    return open_changes(path, read_options({"spec": "db2_log", "engine": engine, **options}))


def short_rows_of_a_wide_table(folder: Path, columns: int, size: int) -> Path:
    """Rows from before columns were added: a few bytes each."""
    stream = Stream("v10", "little", "filter")
    unit = stream.begin()
    more = (Column(f"C{number}", "SMALLINT") for number in range(columns))
    wide = replace(ITEM, columns=(ITEM.columns[0], *more))
    unit.initialize(wide)
    image = rows.formatted(stream.server, ITEM.columns[:1], {"ID": 1})
    for number in range(size):
        unit.record("insert", "normal", dms.insert(stream.server, wide.id, Place(Rid(1, number)), image))
    unit.commit()
    path = folder / "x.log"
    path.write_bytes(stream.bytes())
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_a_wide_table_are_held_a_few_at_a_time(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = short_rows_of_a_wide_table(tmp_path, 99, 70)
    monkeypatch.setattr(change_log, "MOST_VALUES", 1000)
    log = opened(path, engine)
    assert log.rows_together == 10
    of_versions = [batch for _, batch in arrow.version_batches(log)]
    with_text = [*arrow.change_batches(opened(path, engine), changes_schema(None))]
    printed = [batch.batch for many in lines.change_lines(opened(path, engine)) for batch in many]
    for batches in (of_versions, with_text, printed):
        assert sum(batch.num_rows for batch in batches) == 71
        assert max(batch.num_rows for batch in batches) <= 10


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_many_versions_are_not_all_held(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is described anew before each row: what is held at once has a limit, and each row comes once."""
    monkeypatch.setattr(change_rows, "_PIECES", 40)
    stream = Stream("v10", "little", "filter")
    for number in range(150):
        unit = stream.begin()
        unit.initialize(ITEM)
        unit.insert(ITEM, item(number))
        unit.commit()
    path = tmp_path / "x.log"
    path.write_bytes(stream.bytes())
    held = most = 0

    def counted(found: Any) -> Any:
        nonlocal held, most
        for pair in found:
            held += 1
            most = max(most, held)
            yield pair

    found: Counter[int] = Counter()
    parts = counted((number % 100, number) for number in range(500))
    for _, kept in change_rows.accumulated(parts, lambda _: 1, 8):  # type: ignore[arg-type]
        held -= len(kept)
        found.update(kept)
    assert found == Counter(range(500))
    assert most <= 41
    rows_ = [row for _, batch in arrow.version_batches(opened(path, engine)) for row in batch.to_pylist()]
    assert [row["after"]["C1"] for row in rows_ if row["op"] == "I"] == [*range(150)]
