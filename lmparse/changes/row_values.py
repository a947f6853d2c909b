"""Row values: the columns of one row image, and how they become part of a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from lmparse.changes.change import Change
from lmparse.errors import DataError, InvalidValueError
from lmparse.records.reader import Values
from lmparse.values.sql_types import TableColumn

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
