"""A family of logs that lmparse does not know: all that a package of its own has to say of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lmparse.changes.change import Change, SeqForm
from lmparse.changes.family import Family
from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, TableNotFoundError
from lmparse.framing.base import Framing
from lmparse.framing.detection import Detection
from lmparse.framing.extents import RecordExtent, Span
from lmparse.options import Options
from lmparse.records.reader import Record, Values
from lmparse.records.settings import FileSettings, find_file
from lmparse.storage.buffers import Buffer

SPEC = str(Path(__file__).parent / "specs" / "acme_log")
"""Beside the module: the folder is data of the package, built by `lmparse build --formats formats --out specs`."""
LENGTH = 25
OPERATIONS = {"I": "I", "D": "D"}


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    number: int
    name: str
    form: str
    length: int
    type: str = ""
    scale: int = 0

    precision = 0
    is_nullable = False
    ccsid = None

    @property
    def sql_words(self) -> str:
        """Its type in SQL words."""
        return "BIGINT" if self.form == "int" else f"CHAR({self.length})"


@dataclass(frozen=True)
class Table:
    """A table, whose columns are the fields of the spec under other names."""

    name: str
    columns: tuple[Column, ...]
    sequence: int = 0
    key: tuple[str, ...] = ()
    key_source: str = ""

    @property
    def identity(self) -> str:
        """What messages call it."""
        return self.name

    def row(self, values: Values) -> Values:
        """The row of a record."""
        found = (values["number"], values["name"])
        return {column.name: value for column, value in zip(self.columns, found, strict=True)}


TABLES = {
    "account": Table("ACCOUNT", (Column(1, "NUMBER", "int", 8), Column(2, "OWNER", "text", 8))),
    "branch": Table("BRANCH", (Column(1, "BRANCH_NO", "int", 8), Column(2, "CITY", "text", 8))),
}


def _is_one(raw: bytes) -> bool:
    return len(raw) == LENGTH and raw[:2] == LENGTH.to_bytes(2, "big") and raw[2:3] in b"ID" and raw[3] in (1, 2)


def _test(records: list[bytes], framing: Framing) -> str | None:
    return None if all(map(_is_one, records)) else "not every record is one of a teller log"


def _cut(buffer: Buffer, offset: int, end: int, index: int) -> int:
    return LENGTH


DETECTION = Detection("teller records", _test, _cut, record=_is_one)


SEQ_FORM = SeqForm(commit=36, record=36)


def seq(commit_time: int, index: int) -> str:
    """The sort key: time of the commit, which is all F if there is none, and number of the record."""
    commit = f"{commit_time:0{SEQ_FORM.commit}X}" if commit_time else "F" * SEQ_FORM.commit
    return f"{commit}{index:0{SEQ_FORM.record}X}"


def text_of(commit_time: int) -> str:
    """A time as changes have it."""
    return datetime.fromtimestamp(commit_time, UTC).replace(tzinfo=None).isoformat(timespec="microseconds")


class TellerLog(ChangeLog):
    """A teller log."""

    has_descriptions = True

    def typed_changes(self, span: Span | None = None) -> Iterator[Change]:
        changes = (self._change(extent, record) for extent, record in self.read(span))
        wanted = (change for change in changes if self._is_of_table(change) and self.selects(change))
        if self.options.order == "commit":
            wanted = iter(sorted(wanted, key=lambda change: change.seq))
        yield from (change for change in wanted if self.is_kept(change, change.faults))

    def _is_of_table(self, change: Change) -> bool:
        return self.table_ids is None or (change.table_name,) in self.table_ids

    def _change(self, extent: RecordExtent, record: Record) -> Change:
        values, time = record.values, record.values["commit_time"]
        table, op = TABLES[values["row_table"]], OPERATIONS.get(values["operation"])
        row = table.row(values)
        return Change(
            op=op, seq=seq(time, extent.index), txn_id=f"{values['transaction']:08X}", schema_name="ACME",
            table_name=table.name, table_name_short=False, before=row if op == "D" else None,
            after=row if op == "I" else None, values={}, header=values,
            outcome=values["outcome"].replace("_", "-"), commit_ts=text_of(time) if time else None, ts=None,
            detail=None, extent=extent, length=extent.length, table=table, faults=record.faults,
        )  # fmt: skip

    def tables_named(self, wanted: str) -> dict[tuple[str], tuple[str, str]]:
        found = [table.name for table in TABLES.values() if wanted in (table.name, f"ACME.{table.name}")]
        if not found:
            raise TableNotFoundError(f"a teller log has no table {wanted!r}", code="LMP-C005")
        return {(name,): (name, name) for name in found}

    def all_versions(self) -> list[Table]:
        return list(TABLES.values())

    def table_versions(self) -> list[Table]:
        return [table for table in TABLES.values() if self.table_ids is None or (table.name,) in self.table_ids]

    def change_parts(self, max_bytes: int) -> list[tuple[FileSettings, Span]]:
        return [(self.settings, span) for span in self.spans(max_bytes)]


def open_log(
    path: str | Path,
    options: Options,
    *,
    settings: FileSettings | None = None,
    on_error: Callable[[DataError], None] | None = None,
) -> TellerLog:
    """Open a teller log."""
    return TellerLog(path, options, find_file(path, options, settings, DETECTION), on_error=on_error)


FAMILY = Family(
    name="acme",
    title="Acme: teller logs",
    files="a teller log",
    spec=SPEC,
    open_log=open_log,
    detections=lambda: {SPEC: DETECTION},
    seq_form=SEQ_FORM,
    commit_zone="UTC",
)
