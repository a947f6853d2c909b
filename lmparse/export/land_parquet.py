"""Landing in Parquet: a change table is a folder of files; each run adds one file.

A file is made beside the table, and moved to its place when complete. Its name has the last `seq` of the table, so the
name of the last file states how far changes are landed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from lmparse.export.land_rows import IDENTIFYING, NONE_LANDED, TableRows
from lmparse.export.land_target import not_landed
from lmparse.export.writers import opened
from lmparse.options import SEQ_DIGITS
from lmparse.storage.outputs import naming_output, put_on_disk

_NAME = re.compile(rf"seq-([0-9A-F]{{{SEQ_DIGITS}}})-[0-9]{{8}}\.parquet")


class ParquetChanges:
    """The change table of one table, as Parquet files."""

    def __init__(self, path: Path, metadata: dict[str, str], work: Path) -> None:
        """`metadata` is that of the files' schema; files are made in the folder `work`.

        Raises OptionError LMP-S031 for a file whose name is not from landing.
        """
        self._path, self._metadata, self._work = path, metadata, work
        self._files = sorted(path.rglob("*.parquet")) if path.is_dir() else []
        for found in self._files:
            if found.parent != path or not _NAME.fullmatch(found.name):
                raise not_landed(found, "land names no file so")

    @property
    def seq(self) -> str | None:
        """The `seq` up to which the table has changes; None before the first landing."""
        return self._files[-1].name.split("-")[1] if self._files else None

    def schema(self) -> pa.Schema | None:
        """The columns of the newest file; None without files. Raises OptionError LMP-S031 for an unreadable file."""
        if not self._files:
            return None
        try:
            with open(self._files[-1], "rb") as file:
                return pq.read_schema(file).remove_metadata()
        except (pa.ArrowException, OSError) as error:
            raise not_landed(self._files[-1], str(error).partition("\n")[0]) from None

    def identities(self, schema: pa.Schema, seq: str) -> Iterator[pa.RecordBatch]:
        """Yield the columns IDENTIFYING of rows from a `seq` on, and of rows without a `seq`."""
        columns = pa.schema([schema.field(name) for name in IDENTIFYING])
        found = ds.dataset([os.fspath(path) for path in self._files], columns, format="parquet")
        yield from found.to_batches(filter=(pc.field("seq") >= seq) | pc.field("seq").is_null())

    def land(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, rows: TableRows) -> None:
        """Add a file with rows."""
        last = max(filter(None, (self.seq, rows.last_seq)), default=NONE_LANDED)
        number = int(self._files[-1].stem.split("-")[2]) + 1 if self._files else 0
        name = f"seq-{last}-{number:08}.parquet"
        with opened(self._work / name, "parquet", schema.with_metadata(self._metadata), "zstd") as output:
            for batch in batches:
                output.write(batch)
        with naming_output(str(self._path)):
            self._path.mkdir(parents=True, exist_ok=True)
            self._place(self._work / name, self._path / name)

    def _place(self, made: Path, place: Path) -> None:
        os.replace(made, place)
        put_on_disk(place.parent)
