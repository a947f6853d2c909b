"""Changes: what a data change record says happened to a row, in one shape for all.

Keys are those of the header (`plan`, `auth_id`, ...) and few new ones: `op`, `seq`,
`txn_id`, `ts`, `commit_ts`, `schema_name`, `table_name`, `before`, `after`, `detail`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lmparse.errors import InvalidValueError
from lmparse.framing.extents import RecordExtent
from lmparse.records.files import corrupt_field
from lmparse.records.reader import Values

OPERATIONS = {
    "UB": "U", "I": "I", "IL": "I", "D": "D", "DM": "M", "DT": "T", "DR": "T", "E": "X", "SC": "S", "CM": "C",
    "CO": "O",
}  # fmt: skip
"""The operation of each change type; an unlisted type has none."""
HEADER_FIELDS = {
    "sql_type": "Whether the log record was itself an undo or a redo",
    "sql_src_type": "What caused the change when it was not the statement itself",
    "log_rec_disp": "What became of this one log record, as opposed to its unit of recovery",
    "uor_disp": "What became of the unit of recovery; that any other value means its end is not in the log is inferred",
    "auth_id": "Authorization id that made the change",
    "plan": "Name of the plan that made the change",
    "correlation_id": "Correlation id",
}
"""What every change carries besides, with docs; None where a log does not have it."""
_NEVER = "F" * 20
"""Commit position of what is not committed: behind everything that is."""


class Described(Protocol):
    """A column, however a log describes it."""

    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def form(self) -> str: ...
    @property
    def length(self) -> int: ...
    @property
    def scale(self) -> int: ...
    def precision(self, dec_length: str) -> int: ...


class Version(Protocol):
    """One version of one table, however a log describes it."""

    @property
    def identity(self) -> str: ...
    @property
    def sequence(self) -> int: ...
    @property
    def columns(self) -> Sequence[Described]: ...


@dataclass(slots=True)
class Change:
    """One change. Values are typed: int, float, Decimal, str, bytes, None."""

    op: str | None
    """I insert, U update, D delete, M mass delete, T truncate, X exchange, S status,
    C command, O object; None for an unlisted change type."""
    seq: str
    """Sorts as commit order; 72 upper-case hex digits."""
    txn_id: str
    """Member and RBA of the unit of recovery; of Db2 LUW transaction id and first log sequence number."""
    schema_name: str
    table_name: str
    table_name_short: bool
    before: Values | None
    after: Values | None
    values: Values
    """What all changes carry of HEADER_FIELDS; a value that a log does not have is missing."""
    header: Values
    """The whole header."""
    commit_ts: str | None
    ts: str | None
    """Time of the log record itself."""
    detail: dict[str, Any] | None
    extent: RecordExtent
    """Where its last segment stands."""
    length: int
    """Bytes of its record, of all segments together."""
    table: Version | None = None
    faults: list[InvalidValueError] = field(default_factory=list)

    def to_row(self, origin: dict[str, Any], *, header: bool = False) -> dict[str, Any]:
        """The change under the names of its columns, values typed. `origin` names file and spec."""
        values = self.values
        row: dict[str, Any] = {
            "op": self.op,
            "seq": self.seq,
            "txn_id": self.txn_id,
            "commit_ts": self.commit_ts,
            "ts": self.ts,
            "schema_name": self.schema_name,
            "table_name": self.table_name,
        }
        if self.table_name_short:
            row["table_name_short"] = True
        row |= {"before": self.before, "after": self.after}
        row |= {name: values.get(name) for name in HEADER_FIELDS}
        row["detail"] = self.detail
        if header:
            row["header"] = self.header
        if self.faults:
            row["_corrupt_fields"] = [corrupt_field(fault) for fault in self.faults]
        row["_metadata"] = {
            "file": origin["file"],
            "record_index": self.extent.index,
            "record_offset": self.extent.offset,
            "record_length": self.length,
            "spec": origin["spec"],
            "spec_hash": origin["spec_hash"],
        }
        return row


def seq(values: Values, ordinal: int) -> str:
    """The sort key of a change: commit position, record LRSN, record RBA, member, ordinal.

    Ten bytes, ten bytes, ten bytes, two bytes, four bytes as upper-case hex; the commit
    position of what is not committed is all F.
    """
    record = ((values["log_lrsn"] or values["log_rba"]) + values["log_rba"]).hex().upper()
    return f"{commit_position(values)}{record}{values['member_id'] or 0:04X}{ordinal:08X}"


def commit_position(values: Values) -> str:
    """LRSN of the commit record as 20 hex digits, its RBA where there is no LRSN, else all F."""
    if values["uor_disp"] != "C":
        return _NEVER
    position: bytes = values["uor_commit_lrsn"] or b""
    if not position.strip(b"\x00"):
        position = values["uor_commit_point"] or b""
    return position.hex().upper() if position.strip(b"\x00") else _NEVER


def txn_id(values: Values) -> str:
    """Member and RBA of the unit of recovery, 24 hex digits."""
    return f"{values['member_id'] or 0:04X}{values['uor_id'].hex().upper()}"


def unit_state(values: Values) -> str:
    """What became of a change: committed, rolled-back, open, or unlisted.

    An undo (SQLTYPE U) inside a committed unit counts as rolled back, as does the change
    it undoes; that an undo is no change of its own is inferred.
    """
    unit, record = values["uor_disp"], values["log_rec_disp"]
    if unit == "A":
        return "rolled-back"
    if unit != "C":
        return "open"
    if record in ("A", "S", "O") or values["sql_type"] == "U":
        return "rolled-back"
    return "committed" if record in ("C", "", None) else "unlisted"
