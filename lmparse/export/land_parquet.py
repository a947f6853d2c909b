"""Landing in Parquet: change tables as files that are never changed, in folders by commit date.

The files of a run are made beside the table, and moved to their places when all of them are whole. Each is named for
the last `seq` of the run in the table: so the names say up to where changes are landed. A run that is killed while it
moves files leaves some of them; the next run takes up the rows that are missing.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from lmparse.export.land_rows import COMMIT_DATE, IDENTIFYING, TableRows
from lmparse.export.land_target import not_landed
from lmparse.options import SEQ_DIGITS
from lmparse.storage.outputs import naming_output, put_on_disk

_NAME = re.compile(rf"seq-([0-9A-F]{{{SEQ_DIGITS}}})-[0-9a-f]{{8}}-[0-9]+\.parquet")
_NONE_LANDED = "0" * SEQ_DIGITS
_PARTITIONS = ds.partitioning(pa.schema([(COMMIT_DATE, pa.date32())]), flavor="hive")
_GROUP_ROWS, _MOST_DATES = 1 << 16, 1 << 16


class ParquetChanges:
    """The change table of one table, as Parquet files in folders by commit date."""

    def __init__(self, path: Path, metadata: dict[str, str], work: Path) -> None:
        """`metadata` is that of the schema of files, which are made in a folder `work`.

        Raises OptionError LMP-S031 for a file that has another name than landing gives.
        """
        self._path, self._metadata, self._work = path, metadata, work
        names = sorted((found.name, found) for found in path.glob("*/*.parquet")) if path.is_dir() else []
        for name, found in names:
            if not _NAME.fullmatch(name):
                raise not_landed(found, "land names no file so")
        self._files = [found for _, found in names]

    @property
    def seq(self) -> str | None:
        """The `seq` up to which changes are in the table; None if none has been landed."""
        found = _NAME.fullmatch(self._files[-1].name) if self._files else None
        return found[1] if found else None

    def schema(self) -> pa.Schema | None:
        """The columns of the newest file; None if there is none. Raises OptionError LMP-S031 for another file."""
        if not self._files:
            return None
        try:
            with open(self._files[-1], "rb") as file:
                found: pa.Schema = pq.read_schema(file)
        except (pa.ArrowException, OSError) as error:
            raise not_landed(self._files[-1], str(error).partition("\n")[0]) from None
        return found.append(pa.field(COMMIT_DATE, pa.date32())).remove_metadata()

    def new_rows(self, rows: TableRows, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The rows that it does not have, also in front of its last one: a run that was killed places some files."""
        return rows.batches(schema, self.seq, lambda seq: self._rows_from(rows.schema, seq), may_lack=True)

    def _rows_from(self, schema: pa.Schema, seq: str) -> Iterator[pa.RecordBatch]:
        columns = pa.schema([schema.field(name) for name in IDENTIFYING])
        found = ds.dataset([os.fspath(path) for path in self._files], columns, format="parquet")
        yield from found.to_batches(filter=(pc.field("seq") >= seq) | pc.field("seq").is_null())

    def land(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, rows: TableRows) -> None:
        """Place files with those of some rows that it does not have."""
        schema = schema.with_metadata(self._metadata)
        work = self._work / uuid.uuid4().hex
        name = f"seq-{max(filter(None, (self.seq, rows.last_seq)), default=_NONE_LANDED)}-{work.name[:8]}-{{i}}.parquet"
        form = ds.ParquetFileFormat()
        found = (batch.replace_schema_metadata(self._metadata) for batch in batches)
        ds.write_dataset(
            pa.RecordBatchReader.from_batches(schema, found), work,
            format=form, file_options=form.make_write_options(compression="zstd"), partitioning=_PARTITIONS,
            basename_template=name, max_rows_per_group=_GROUP_ROWS, max_partitions=_MOST_DATES,
            use_threads=False,  # rows stay in their order
        )  # fmt: skip
        with naming_output(str(self._path)):
            for made in sorted(work.glob("*/*.parquet")):
                self._place(made, self._path / made.relative_to(work))

    def _place(self, made: Path, place: Path) -> None:
        put_on_disk(made)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(made, place)
        put_on_disk(place.parent)
