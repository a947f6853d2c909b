"""Changes: the operation that a change record describes, in one form for all families, with the values of rows.

Most names are those of the header (`plan`, `auth_id`, ...). New names are `op`, `seq`, `txn_id`, `ts`, `commit_ts`,
`schema_name`, `table_name`, `before`, `after` and `detail`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from lmparse.errors import DataError, InvalidValueError
from lmparse.framing.extents import RecordExtent
from lmparse.records.files import corrupt_field
from lmparse.records.origin import RecordOrigin
from lmparse.records.reader import Values
from lmparse.values.sql_types import TableColumn

HEADER_FIELDS = ("sql_type", "sql_src_type", "log_rec_disp", "uor_disp", "auth_id", "plan", "correlation_id")
"""Header fields of every change."""
ROLES = {"I": ("after",), "U": ("before", "after"), "D": ("before",)}
"""The roles of an operation's rows, in the order of the log; other operations have no row."""
OF_ROWS = (*ROLES, "M", "T", "X")
"""Operations that change rows of a table."""
TABLE_IDS = "table_ids"
"""Key in `detail` of a change of an undescribed table: the table's ids, as in the identity of versions. `UNKNOWN_ID`
stands for an id that the log lacks."""
UNKNOWN_ID = "????"


class SeqForm(NamedTuple):
    """Digits of the two parts at the beginning of a `seq`. The digits of the commit are all F without a commit."""

    commit: int
    """Digits for the position of the commit."""
    record: int
    """Digits for the position of the record, behind those of the commit."""


class Version(Protocol):
    """One version of one table, however a log describes it."""

    @property
    def identity(self) -> str: ...
    @property
    def sequence(self) -> int: ...
    @property
    def columns(self) -> Sequence[TableColumn]: ...
    @property
    def key(self) -> tuple[str, ...]:
        """Names of the columns that identify a row, in key order; empty if the key is unknown."""

    @property
    def key_source(self) -> str:
        """Where the key is stated, in words; empty if the key is unknown."""


@dataclass(slots=True, kw_only=True)
class Change:
    """One change. Values are typed: int, float, Decimal, str, bytes, None."""

    op: str | None
    """I insert, U update, D delete, M mass delete, T truncate, X exchange, S status, C command, O object; None for an
    unlisted change type."""
    seq: str
    """The sort key, `options.SEQ_DIGITS` upper-case hex digits; sorts as commit order. See `order` of the family."""
    txn_id: str
    """Unit of recovery or transaction. Log Master: member and RBA. Db2 LUW: transaction identifier and first log
    sequence number."""
    schema_name: str
    table_name: str
    table_name_short: bool
    before: Values | None = None
    after: Values | None = None
    values: Values
    """The values of HEADER_FIELDS; a field that the log lacks is missing."""
    header: Values
    """All fields of the header."""
    outcome: str
    """Outcome of the unit of recovery: `committed`, `rolled-back`, `open`, or another word of the option `include`."""
    is_undone: bool = False
    """Whether another change of the unit takes the change back, or the change takes back another change."""
    commit_ts: str | None
    """Commit time of the unit, `2026-03-14T10:11:12.000000`; None without a commit, or if the log has no time."""
    ts: str | None
    """Time of the log record."""
    detail: dict[str, Any] | None = None
    extent: RecordExtent
    """Extent of the record, or of its last segment."""
    length: int
    """Length of the record in bytes, all segments included."""
    table: Version | None = None
    faults: list[DataError] = field(default_factory=list)

    @property
    def state(self) -> str:
        """The word of the option `include` that selects the change."""
        return "rolled-back" if self.is_undone and self.outcome == "committed" else self.outcome

    def to_row(self, origin: RecordOrigin, *, header: bool = False) -> dict[str, Any]:
        """The change by column name, with typed values. `origin` gives file and spec."""
        values = self.values
        names = ("op", "seq", "txn_id", "commit_ts", "ts", "schema_name", "table_name")
        row: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.table_name_short:
            row["table_name_short"] = True
        row |= {"before": self.before, "after": self.after}
        row |= {name: values.get(name) for name in HEADER_FIELDS}
        row["detail"] = self.detail
        if header:
            row["header"] = self.header
        if self.faults:
            row["_corrupt_fields"] = [corrupt_field(fault) for fault in self.faults]
        return row | {"_metadata": origin.metadata(self.extent, self.length)}


NOT_IN_LOG = "the value is not in the log"
KEPT_APART = "the value is not in the log record: LOB values are kept in data sets of their own"
OUT_OF_ROW = "the value is stored out of the row and not in the log"
SILENT_REASONS = (NOT_IN_LOG, KEPT_APART)
"""Reasons for absent values that leave open whether the change changed the value."""


@dataclass(slots=True)
class RowValues:
    """The values of one row image."""

    values: Values
    """By column name; None for null, faulty and absent values."""
    faults: list[InvalidValueError] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)
    """Columns without a value in the image, with the reason."""
    unread: int = 0
    """Bytes of the image that belong to no column."""


def add_row(change: Change, role: str, row: RowValues, absent: dict[str, str]) -> None:
    """Set the row before or after a change. Absent columns of the row are added to `absent` as `role.column`."""
    setattr(change, role, row.values)
    for fault in row.faults:
        fault.field = f"{role}.{fault.field}"
    change.faults.extend(row.faults)
    absent.update({f"{role}.{column}": reason for column, reason in row.absent.items()})


def of_role(error: DataError, role: str) -> DataError:
    """The error of an unreadable row, with the role of the row in front of the error's field."""
    error.field = f"{role}.{error.field}" if error.field else role
    return error


@contextmanager
def reading(role: str) -> Iterator[None]:
    """Add the role to errors raised while the row of the role is read, as in `of_role`."""
    try:
        yield
    except DataError as error:
        of_role(error, role)
        raise


def of_table(error: DataError, columns: Sequence[TableColumn], identity: str) -> DataError:
    """Replace the column number in the error of a row by the column's name.

    `columns` are in the order of the row spec.
    """
    _, is_column, rest = (error.field or "").partition("columns[")
    number, _, part = rest.partition("]")
    if is_column and int(number) < len(columns):
        name, part = columns[int(number)].name, part.lstrip(".")
        error.field = f"{name}.{part}" if part not in ("", "value") else name
    error.hint = error.hint or f"the columns are those of table {identity}"
    return error
