"""Landing in Parquet: change tables as files that are never changed, one or more for each commit date of a run.

A file is named for the last `seq` in it, and holds all changes of its date between the file before it and that. So the
names say what is landed, and a run that goes on after one that was killed adds what is missing. Bad records have no
`seq`: their files are named for their bytes.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lmparse.columnar.schemas import CORRUPT_RECORD
from lmparse.export import writers
from lmparse.export.landing_rows import COMMIT_DATE, Seen, TableRows, bad_marks
from lmparse.export.landing_target import not_landed
from lmparse.options import SEQ_DIGITS
from lmparse.storage.atomic_output import naming_output, put_on_disk

_SEQ, _BAD = "seq-", "bad-"
_ENDING = ".parquet"
_BAD_DIGITS = 32
_NO_DATE = "__HIVE_DEFAULT_PARTITION__"
_NAMES = {
    _SEQ: re.compile(f"{_SEQ}[0-9A-F]{{{SEQ_DIGITS}}}{re.escape(_ENDING)}"),
    _BAD: re.compile(f"{_BAD}[0-9a-f]{{{_BAD_DIGITS}}}{re.escape(_ENDING)}"),
}
_DATES = re.compile(f"{COMMIT_DATE}=([0-9]{{4,}}-[0-9]{{2}}-[0-9]{{2}}|{_NO_DATE})")
_MOST_OPEN = 16
"""Files that are written at a time; each holds the rows of a row group."""


@dataclass
class _DateFile:
    """A file of the changes of one commit date."""

    date: str
    path: Path
    output: writers.Output
    close: ExitStack
    last: str = ""
    """The `seq` of the last row."""


class ParquetChanges:
    """The change table of one table, as Parquet files in folders by commit date."""

    def __init__(self, path: Path, metadata: dict[str, str], work: Path) -> None:
        """`metadata` is that of the schema of files, which are made in the folder `work`."""
        self._path, self._metadata, self._work = path, metadata, work
        self._open: OrderedDict[str, _DateFile] = OrderedDict()
        self._done: list[_DateFile] = []

    @property
    def id(self) -> None:
        """Files have none. Old ones may be moved away, and so all of them."""
        return None

    @property
    def commits(self) -> None:
        """Files do not say it."""
        return None

    def last_seq(self) -> str | None:
        """The last `seq` that the name of a file has; None if there is none."""
        return max((_named_seq(path) for path in self._files(_SEQ)), default=None)

    def schema(self) -> pa.Schema | None:
        """The columns of the newest file; None if there is none. Raises OptionError LMP-S031 for other files."""
        found = max(self._files(_SEQ), key=lambda path: path.name, default=None)
        if found is None:
            found = next(self._files(_BAD), None)
        if found is None:
            return None
        with _landed_file(found) as file:
            schema: pa.Schema = file.schema_arrow
        return schema.append(pa.field(COMMIT_DATE, pa.date32())).remove_metadata()

    def land(self, rows: TableRows, schema: pa.Schema, seen: Seen) -> None:
        """Place files with the rows that are not there. They are passed to `seen` as they are read."""
        self._columns = schema.remove(schema.get_field_index(COMMIT_DATE)).with_metadata(self._metadata)
        landed: dict[str, str] = {}
        try:
            for batch in rows.batches(schema):
                for date, part in _by_date(batch):
                    if date not in landed:
                        landed[date] = self._landed(date)
                    new = part.filter(pc.greater(part.column("seq"), landed[date]))
                    if new.num_rows:
                        seen(new)
                        self._write(date, new)
            while self._open:
                self._finish()
        finally:
            for file in self._open.values():
                file.close.close()
        for file in sorted(self._done, key=lambda file: file.last):
            self._place(file.path, file.date, f"{_SEQ}{file.last}")
        self._land_bad(rows, schema, seen)

    def _landed(self, date: str) -> str:
        """The last `seq` of a date; empty if it has none. A name is believed only if the rows say the same."""
        path = max(self._files(_SEQ, date), key=lambda path: path.name, default=None)
        if path is None:
            return ""
        named = _named_seq(path)
        with _landed_file(path) as file:
            last = file.read_row_group(file.num_row_groups - 1, ["seq"]).column("seq") if file.num_row_groups else []
        if not len(last) or str(last[-1]) != named:
            raise not_landed(path, "its last row has another seq")
        return named

    def _files(self, kind: str, date: str = "*") -> Iterator[Path]:
        """The files of a kind, of one date or of all. Raises OptionError LMP-S031 for one that is named otherwise."""
        folders = self._path.glob(f"{COMMIT_DATE}=*") if date == "*" else [self._path / f"{COMMIT_DATE}={date}"]
        for folder in folders:
            for path in folder.glob(f"{kind}*{_ENDING}"):
                if not _NAMES[kind].fullmatch(path.name) or not _DATES.fullmatch(folder.name):
                    raise not_landed(path, "land names no file so")
                yield path

    # -- files ----------------------------------------------------------------------------------

    def _write(self, date: str, batch: pa.RecordBatch) -> None:
        file = self._open.get(date) or self._opened(date)
        self._open.move_to_end(date)
        file.last = batch.column("seq")[-1].as_py()
        file.output.write(batch.drop_columns([COMMIT_DATE]).replace_schema_metadata(self._columns.metadata))

    def _opened(self, date: str) -> _DateFile:
        if len(self._open) == _MOST_OPEN:
            self._finish()
        path = self._work / f"{hashlib.sha256(os.fsencode(self._path)).hexdigest()[:16]}-{len(self._done)}-{date}"
        close = ExitStack()
        output = close.enter_context(writers.opened(path, "parquet", self._columns, "zstd"))
        file = self._open[date] = _DateFile(date, path, output, close)
        return file

    def _finish(self) -> None:
        """Close the file that has not been written to for the longest time."""
        _, file = self._open.popitem(last=False)
        file.close.close()
        self._done.append(file)

    def _land_bad(self, rows: TableRows, schema: pa.Schema, seen: Seen) -> None:
        known: set[bytes] = set()
        for path in self._files(_BAD, _NO_DATE):
            with _landed_file(path) as file:
                for batch in file.iter_batches(columns=[CORRUPT_RECORD, "_metadata"]):
                    known.update(bad_marks(batch))
        digest, path = hashlib.sha256(), self._work / "bad"
        with ExitStack() as close:
            output = None
            for batch in rows.bad_batches(schema, known):
                output = output or close.enter_context(writers.opened(path, "parquet", self._columns, "zstd"))
                seen(batch)
                digest.update(b"".join(bad_marks(batch)))
                output.write(batch.drop_columns([COMMIT_DATE]).replace_schema_metadata(self._columns.metadata))
        if output is not None:
            self._place(path, _NO_DATE, f"{_BAD}{digest.hexdigest()[:_BAD_DIGITS]}")

    def _place(self, path: Path, date: str, name: str) -> None:
        """Move a finished file to its place."""
        folder = self._path / f"{COMMIT_DATE}={date}"
        with naming_output(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
            os.replace(path, folder / f"{name}{_ENDING}")
            put_on_disk(folder)


@contextmanager
def _landed_file(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a file of the target. Raises OptionError LMP-S031 if it is not one that land has written."""
    if not path.is_file():
        raise not_landed(path, "it is not a file")
    try:
        with open(path, "rb") as opened:
            yield pq.ParquetFile(opened)
    except (pa.ArrowException, OSError, ValueError, LookupError) as error:
        raise not_landed(path, str(error).partition("\n")[0]) from None


def _named_seq(path: Path) -> str:
    """The last `seq` of a file, as its name says."""
    return path.name.removeprefix(_SEQ).removesuffix(_ENDING)


def _by_date(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Rows by commit date, as it is in the name of a folder."""
    dates = batch.column(COMMIT_DATE)
    for date in dates.unique():
        chosen = pc.equal(dates, date) if date.is_valid else dates.is_null()
        yield (str(date.as_py()) if date.is_valid else _NO_DATE), batch.filter(chosen)
