"""Changes of a Db2 LUW log on a cluster: both passes run on the executors, and give what one process reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cluster.conftest import PART_BYTES, Driver

from bench import data, db2_logs
from lmparse.logs import arrow
from lmparse.samples.rows import Shape
from lmparse.spark.source import request_of

pytestmark = [pytest.mark.spark, pytest.mark.cluster]

_SMALL = 200 << 20
_SPLIT = 1 << 27
Options = dict[str, str]


@pytest.fixture(scope="module")
def changes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Options]]:
    """A log of half as many bytes as were asked for, and the options to read its changes; it is removed in the end."""
    folder = tmp_path_factory.mktemp("changes")
    size = data.parse_size(request.config.getoption("--cluster-bytes")) // 2
    path, tables = folder / "db2.log", folder / "db2.yaml"
    tables.write_text(db2_logs.describe(Shape()))
    db2_logs.write(path, size, shape=Shape())
    options = {"tables": str(tables), "include": "all", "max_partition_bytes": str(_SPLIT)}
    if size < _SMALL:
        options["max_partition_bytes"] = str(PART_BYTES)
    yield str(path), options
    path.unlink()


def test_executors_find_transactions_and_read_changes(
    two: Driver, changes: tuple[str, Options], tmp_path: Path
) -> None:
    path, options = changes
    expected = two.ask("sums_of_changes", path=str(in_one_process(path, options, tmp_path)), options=None)["sums"]
    found = two.ask("sums_of_changes", path=path, options=options)
    assert expected["rows"] > 0
    assert found["sums"] == expected
    size = Path(path).stat().st_size
    *passes, total = found["tasks"]
    assert total == 1  # it adds up a row of each task
    assert len(passes) >= 2
    assert min(passes) >= size // int(options["max_partition_bytes"])


def in_one_process(path: str, options: Options, folder: Path) -> Path:
    """The changes as Parquet, read without Spark."""
    request = request_of({**options, "path": path})
    schema, out = arrow.request_schema(request), folder / "rows.parquet"
    with pq.ParquetWriter(out, schema, compression="lz4") as writer:
        for part in request.parts():
            for batch in arrow.part_rows(part, schema, with_changes=True):
                writer.write_batch(batch)
    return out
