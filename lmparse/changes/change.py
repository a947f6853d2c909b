"""Changes: the operation that a data change record describes, in one form for all families, and the values of rows.

The names are those of the header (`plan`, `auth_id`, ...) and a few new ones: `op`, `seq`, `txn_id`, `ts`,
`commit_ts`, `schema_name`, `table_name`, `before`, `after`, `detail`.
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
"""Header fields that every change carries."""
ROLES = {"I": ("after",), "U": ("before", "after"), "D": ("before",)}
"""The roles of the rows of an operation, in the order that logs have them; other operations have no row."""
OF_ROWS = (*ROLES, "M", "T", "X")
"""Operations that change rows of a table."""
TABLE_IDS = "table_ids"
"""In `detail` of a change of a table that nothing describes, its ids as in the identity of versions; `UNKNOWN_ID` for
one that the log does not have."""
UNKNOWN_ID = "????"


class SeqForm(NamedTuple):
    """How many digits of a `seq`, from its beginning, are what. Digits of the commit are all F if there is none."""

    commit: int
    """Position of the commit."""
    record: int
    """Position of the record, behind that."""


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
        """Names of the columns that identify a row, in key order; empty if no key is known."""

    @property
    def key_source(self) -> str:
        """What says the key, in words; empty if none is known."""


@dataclass(slots=True, kw_only=True)
class Change:
    """One change. Values are typed: int, float, Decimal, str, bytes, None."""

    op: str | None
    """I insert, U update, D delete, M mass delete, T truncate, X exchange, S status,
    C command, O object; None for an unlisted change type."""
    seq: str
    """The sort key, `options.SEQ_DIGITS` upper-case hex digits: sorts as commit order; see `order` of the family."""
    txn_id: str
    """Its unit of recovery, or transaction: for Log Master member and RBA, for Db2 LUW transaction identifier and first
    log sequence number."""
    schema_name: str
    table_name: str
    table_name_short: bool
    before: Values | None = None
    after: Values | None = None
    values: Values
    """The values of HEADER_FIELDS, which all changes have; a field that the log does not have is missing."""
    header: Values
    """All fields of the header."""
    outcome: str
    """That of its unit of recovery: `committed`, `rolled-back`, `open`, or another word of the option `include`."""
    is_undone: bool = False
    """Whether it was taken back within its unit, or takes back another change of it."""
    commit_ts: str | None
    """When its unit was committed, as `2026-03-14T10:11:12.000000`; None if it was not, or if the log does not say."""
    ts: str | None
    """Time of the log record itself."""
    detail: dict[str, Any] | None = None
    extent: RecordExtent
    """Extent of its record, or of its last segment."""
    length: int
    """Length of its record in bytes, or of all its segments."""
    table: Version | None = None
    faults: list[DataError] = field(default_factory=list)

    @property
    def state(self) -> str:
        """The word of the option `include` that asks for it."""
        return "rolled-back" if self.is_undone and self.outcome == "committed" else self.outcome

    def to_row(self, origin: RecordOrigin, *, header: bool = False) -> dict[str, Any]:
        """The change by column name, with typed values. `origin` knows file and spec."""
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
"""Reasons why a value is absent that do not tell whether the change changed it."""


@dataclass(slots=True)
class RowValues:
    """The values of one row image."""

    values: Values
    """By column name; None for null, faulty and absent values."""
    faults: list[InvalidValueError] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)
    """Columns whose value is not in the image, with the reason."""
    unread: int = 0
    """Number of bytes of the image that belong to no column."""


def add_row(change: Change, role: str, row: RowValues, absent: dict[str, str]) -> None:
    """Set the row before or after a change. Its absent columns are added to `absent` as `role.column`."""
    setattr(change, role, row.values)
    for fault in row.faults:
        fault.field = f"{role}.{fault.field}"
    change.faults.extend(row.faults)
    absent.update({f"{role}.{column}": reason for column, reason in row.absent.items()})


def of_role(error: DataError, role: str) -> DataError:
    """The error of a row that cannot be read, with the role of the row in front of its field."""
    error.field = f"{role}.{error.field}" if error.field else role
    return error


@contextmanager
def reading(role: str) -> Iterator[None]:
    """Read the row of a role: its errors get the role as in `of_role`."""
    try:
        yield
    except DataError as error:
        of_role(error, role)
        raise


def of_table(error: DataError, columns: Sequence[TableColumn], identity: str) -> DataError:
    """Replace the column number in the error of a row by the name of the column.

    `columns` are in the order of the row spec.
    """
    _, is_column, rest = (error.field or "").partition("columns[")
    number, _, part = rest.partition("]")
    if is_column and int(number) < len(columns):
        name, part = columns[int(number)].name, part.lstrip(".")
        error.field = f"{name}.{part}" if part not in ("", "value") else name
    error.hint = error.hint or f"the columns are those of table {identity}"
    return error
