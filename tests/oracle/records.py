"""One log record: what it is to its transaction, and the changes or the piece of a value that it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lmparse.db2.record.log_record import LogRecord

CREATE = "db2_dom.create_table"
DESCRIBING = re.compile(r"db2_dms\.(initialize_table|(add|drop)_columns|alter(_lob)?_column)|db2_dom\.drop_table")
"""What says that the columns of a table are others from there on."""
_ROW = re.compile(r"db2_dms\.(insert|delete|update)_(record|multiple)")
_TABLE = re.compile(
    r"db2_dms\.(alter_table_attribute|rename|update_partition_state|change_row_version)|db2_utility\.load_start|"
    r"db2_dom\.(import_replace|activate_not_logged|(create|drop)_index|create_table|reorg_table)|db2_ddl\.ddl_statement"
)
_PIECE = re.compile(r"db2_lob\.(add_lob|afim)_(data|amount)|db2_xml\.xml_data")
_END = re.compile(r"db2_transaction\.(\w*commit|\w+_pending_list|(normal|heuristic)_abort)(_letter)?")
_INDEX, _ATTRIBUTE = ("db2_dom.create_index", "db2_dom.drop_index"), "db2_dms.alter_table_attribute"
_UNDONE_BY = {_INDEX[0]: _INDEX[1], _INDEX[1]: _INDEX[0], _ATTRIBUTE: _ATTRIBUTE}
"""What compensations undo that have the kind of a change; all others have kinds of their own."""
_HALF, _PROPAGATION, _MOST = 0x8000, 0x1, 1 << 48


class Record:
    """A record that can be read: its role (change, load, undo, unwritten for a row whose pieces are in front, piece,
    bad for a piece without a place, commit, abort, or nothing), and its subject, the kind of what it changes or undoes,
    one for all kinds that insert one row, and so on."""

    def __init__(self, raw: LogRecord) -> None:
        self.raw, body, (self.role, self.subject) = raw, raw.body, _meaning(raw)
        self.index, self.tid, self.table, self.previous = raw.extent.index, raw.transaction_id, raw.table, raw.previous
        self.lsn, self.address = raw.extent.offset if raw.lsn is None else raw.lsn, raw.address or 0
        self.is_of_rows = _ROW.match(self.subject) is not None
        self.is_end = self.role in ("commit", "abort") or (self.role == "change" and raw.parsed.is_singular)
        self.piece = _piece(raw) if self.role == "piece" else None
        self.role = "bad" if self.role == "piece" and self.piece is None else self.role
        self.changes, self.row_ids = list[Change](), list[Any]()
        if self.role in ("change", "load"):
            self.changes += _rows(self, body) if self.is_of_rows else _of_table(self, body)
        elif self.role == "undo" and self.is_of_rows:
            self.row_ids += map(_row_id, getattr(body, "records", [body]))


@dataclass(eq=False)
class Change:
    """A row that a record changes, or what it does to a table as a whole."""

    record: Record
    op: str
    number: int = 0
    rid: Any = None
    before: bytes | None = None
    after: bytes | None = None
    is_half: bool = False
    is_undone: bool = False
    whole: Change | None = None
    """The change that it is shown as a part of."""
    other: Change | None = None
    """The change with the row before, if that moved."""
    pieces: list[Piece] = field(default_factory=list)
    earlier: dict[int | None, list[Change]] = field(default_factory=dict)
    """By column, the changes whose value its own may go on from, the latest first."""


class Piece(NamedTuple):
    """A part of a value outside of its row."""

    column: int | None
    address: int
    end: int
    data: bytes | None
    is_document: bool
    is_rest: bool = False
    """Whether the part before it may be in front of the log."""


def _meaning(raw: LogRecord) -> tuple[str, str]:
    name, parsed = raw.kind.replace(".undo_", "."), raw.parsed
    row, is_undo, is_piece = _ROW.match(name), name != raw.kind, _PIECE.fullmatch(raw.kind) is not None
    subject, is_change = row[0] if row else name, row or _TABLE.fullmatch(name) or DESCRIBING.fullmatch(name)
    if not parsed.is_propagatable and (is_piece or raw.kind == "db2_log.dms" or (row and not is_undo)):
        return "", ""  # the table is not captured
    if end := _END.fullmatch(raw.kind):
        return "abort" if "abort" in end[1] else "commit", ""
    if is_undo:
        return "unwritten" if name.endswith("out_of_row_data") else "undo", subject
    if parsed.is_compensation and not (is_change and parsed.is_singular):
        return "undo" if name in _UNDONE_BY else "", _UNDONE_BY.get(name, "")
    if is_change:
        return "load" if name.endswith("load_start") else "change", subject
    return "piece" if is_piece else "", ""


def _rows(record: Record, body: Any) -> Iterator[Change]:
    op, is_half = record.subject.partition(".")[2][0].upper(), bool(getattr(body, "iud_flags", 0) & _HALF)
    for number, part in enumerate(getattr(body, "records", [body])):
        old, new = getattr(part, "old_row", part), getattr(part, "new_row", part)
        images = None if op == "I" else old.record, None if op == "D" else new.record
        yield Change(record, op, number, _row_id(old), *images, is_half)


def _row_id(part: Any) -> Any:
    return part.rid if isinstance(part.rid, int) else (part.rid.word0, part.rid.word1, part.rid.word2)


def _of_table(record: Record, body: Any) -> Iterator[Change]:
    yield Change(record, "T" if record.subject.endswith("import_replace") else "O")
    is_off = getattr(body, "attribute_mask", 0) & ~getattr(body, "attribute_values", 0) & _PROPAGATION
    is_unlogged = record.subject.endswith(("load_start", "activate_not_logged"))
    if is_unlogged or is_off or getattr(body, "is_not_logged_initially", False):
        yield Change(record, "S", 1)


def _piece(raw: LogRecord) -> Piece | None:
    """The piece of a record; None if its address is neither an integer nor an IEEE number."""
    body: Any = raw.body
    address, integer = getattr(body, "byte_address", 0), getattr(body, "byte_address_integer", _MOST)
    if integer < _MOST:
        address = integer
    elif isinstance(address, float) and not (1 <= address < _MOST and address.is_integer()):
        return None
    column, data, end = getattr(body, "column_id", None), getattr(body, "data", None), int(address) + body.data_length
    return Piece(column, int(address), end, data, "xml" in raw.kind)


def header(image: bytes | None, byte_order: Any) -> str:
    """What the headers of a row in a page say: row, moved (here, and a row), pointer, internal; empty if nothing."""
    if image is None or len(image) < 6 or int.from_bytes(image[2:4], byte_order) != len(image):
        return ""
    if (image[0] in (0, 0x10) or image[0] & 4) and image[4] & 3:
        return "moved" if image[0] & 4 else "row"
    return "pointer" if image[0] & 2 else "internal"
