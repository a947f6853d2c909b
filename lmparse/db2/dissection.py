"""Dissection of Db2 LUW log records: the rows in them, column by column.

The columns come from the tables file, or from a record of the log that made or altered the table. Finding that record
takes one pass over the log, which only records with rows need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from lmparse.changes.change import RowValues, of_role
from lmparse.db2.log import Db2Log
from lmparse.db2.record.kinds import OPERATIONS, UNDOES
from lmparse.db2.record.log_record import TABLE_NAMES, LogRecord, still_compressed
from lmparse.db2.rows.row_reader import SPEC, RowReader
from lmparse.db2.tables.table import Column, Table, read_tables_file
from lmparse.db2.transactions.references import ChangeReference, Transaction
from lmparse.errors import DataError, InvalidValueError
from lmparse.framing.extents import RecordExtent
from lmparse.records.dissection import Dissection, Dissector, Node, placed_at
from lmparse.records.dissection import meaning as meaning_of
from lmparse.records.file_dissection import FileDissector, RecordHeading, opened
from lmparse.records.reader import RecordReader, Values
from lmparse.spec import catalog
from lmparse.spec.catalog import KIND
from lmparse.spec.layout import Field
from lmparse.values.json_form import to_json

_ROW_SPEC, _ROW_FIELD = "db2_dms", "record"
"""Spec and id of the field that contains a row, in any layout of the spec."""
_ROLES = {"I": "after", "D": "before", "old_row": "before", "new_row": "after"}
_MEANINGS = {"before": "the row before the change", "after": "the row after the change", "row": "the row"}
_COLUMNS = "fixed_section.columns"
_NO_TABLE = (
    "nothing says what the columns of table {} are: no record of this log does, and the option tables names no file"
)
_NO_ROW = "no row: the record only points to one, or is the data page's own"
_ELSEWHERE = "the value is stored out of the row, in records of its own"


class Db2LogDissector(FileDissector):
    """Dissects the records of a Db2 LUW log."""

    positions = ("log sequence number", "log sequence offset")

    def __init__(self, file: Db2Log) -> None:
        """Raises ControlError for a tables file that cannot be read, even if no record with a row is shown."""
        super().__init__(file)
        self._log = file
        self._readers: dict[Table, tuple[RowReader, Dissector]] = {}
        options = file.options
        self._named_tables: dict[Any, Table] = (
            dict(read_tables_file(options.tables, options.bounds)) if options.tables else {}
        )
        """The tables of the tables file by their ids."""

    def positions_of(self, extent: RecordExtent) -> Iterator[tuple[str, int]]:
        logs, buffer = self._log.logs, self._log.buffer
        for name, numbers in zip(
            self.positions, (logs.lsns(buffer, extent), logs.offsets(buffer, extent)), strict=True
        ):
            for number in numbers:
                yield name, number

    def dissect(self, extent: RecordExtent) -> Dissection:
        found = self.dissect_bytes(extent.read(self._log.buffer))
        if found.fault is not None:
            return found
        try:
            record = self._log.logs.read(self._log.buffer, extent)
        except DataError as error:
            # The prefix contradicts the record, but each of them is sound.
            return replace(found, nodes=opened(found.nodes, _marking(error.field or "", error)))
        if any(_holds_row(node) for node in found.walk()):
            found = self._with_rows(found, record)
        return self._among_others(found, record)

    def _among_others(self, found: Dissection, record: LogRecord) -> Dissection:
        """The dissection of a change, with the faults that follow from other records of its log."""
        if record.kind not in OPERATIONS and record.kind not in UNDOES:
            return found
        for error in self._bad.get(record.extent.index, ()):
            names = error.field or "", (error.field or "").replace("compensated_lsn", "compensated_lso")
            named = next((name for name in names if found.at(name) is not None), None)
            if named is None:
                found = replace(found, notes=(*found.notes, f"fault: {error}"))
            else:
                found = replace(found, nodes=opened(found.nodes, _marking(named, error)))
        return found

    def heading(self, extent: RecordExtent, values: Values, *, searches: bool) -> RecordHeading:
        kind = values.get(KIND) or ""
        found = self._changes.get(extent.index) if searches and (kind in OPERATIONS or kind in UNDOES) else None
        ids = next((pair for names in TABLE_NAMES if None not in (pair := tuple(map(values.get, names)))), None)
        table = self._named_tables.get(ids) if ids else None
        return RecordHeading(
            kind.rpartition(".")[2],
            kind.rpartition(".")[2].replace("_", " "),
            table.full_name if table else ".".join(map(str, ids or ())),
            found[0].outcome(found[1]) if found else "",
        )

    # -- which table ----------------------------------------------------------------------------

    @cached_property
    def _changes(self) -> dict[int, tuple[Transaction, ChangeReference]]:
        """The changes of the log by the numbers of their records."""
        found: dict[int, tuple[Transaction, ChangeReference]] = {}
        for transaction, reference in self._log.in_order():
            for extent in (reference.extent, reference.other):
                if extent is not None:
                    found.setdefault(extent.index, (transaction, reference))
        return found

    @cached_property
    def _bad(self) -> dict[int, list[DataError]]:
        """By record number, the faults of records that follow from other records."""
        found: dict[int, list[DataError]] = {}
        for extent, error in self._log.transactions.bad:
            found.setdefault(extent.index, []).append(error)
        return found

    def _reader(self, table: Table) -> tuple[RowReader, Dissector]:
        if table not in self._readers:
            log = self._log
            reader = RowReader(table, log.byte_order, log.code_page, trim=log.options.trim)
            self._readers[table] = reader, Dissector(reader.parts)
        return self._readers[table]

    # -- rows -----------------------------------------------------------------------------------

    def _with_rows(self, found: Dissection, record: LogRecord) -> Dissection:
        """The dissection of a record, with the columns of each of its rows."""
        notes: list[str] = []
        table: Table | None = None
        fault: DataError | None = None
        if record.is_compressed:
            fault = still_compressed(record)
        else:
            try:
                table = self._table(record, notes)
            except DataError as error:
                fault = error

        def open_(node: Node) -> Node | None:
            if not _holds_row(node):
                return None
            if fault is not None:
                return replace(node, fault=fault)
            raw = found.raw[node.start : node.end]
            role = _role(node, record.kind)
            parts = self._bare(raw) if table is None else _Row(*self._reader(table), raw, role, node.start).parts(notes)
            reported = [inner for part in parts.nodes for inner in part.walk() if inner.fault is parts.fault]
            return replace(
                node,
                value=None,
                meaning=_NO_ROW if parts.at("payload") else _MEANINGS[role.rpartition(".")[2]],
                children=placed_at(parts.nodes, node.start, role),
                fault=None if reported else parts.fault,
            )

        return replace(found, nodes=opened(found.nodes, open_), notes=(*found.notes, *dict.fromkeys(notes)))

    def _table(self, record: LogRecord, notes: list[str]) -> Table | None:
        """The description of the table of a record. Raises ControlError for a tables file of another log."""
        found = self._changes.get(record.extent.index)
        if found is None:  # a compensation or a damaged record
            reference = ChangeReference(record.extent, record.kind, "", record.table, record.lsn or 0)
            found = Transaction(record.transaction_id, 0, number=-1), reference
        transaction, reference = found
        table = self._log.descriptions.of(transaction, reference)
        if table is None:
            notes.append(_NO_TABLE.format("{}.{}".format(*record.table) if record.table else "without ids"))
        else:
            notes.append(f"the row is one of table {table.identity}")
        outside = sorted({piece.extent.index for piece in reference.pieces})
        if outside:
            notes.append("values stored out of the row stand in records " + ", ".join(map(str, outside)))
        return table

    def _bare(self, raw: bytes) -> Dissection:
        """A row without a description: its headers, and the rest as bytes."""
        order = catalog.load("db2_server").enum("byte_order")[self._log.byte_order]
        found = Dissector(RecordReader(catalog.load("db2_row_header"), arguments=(order,))).dissect(raw)
        end = max((node.end for node in found.nodes), default=0)
        if found.fault is not None or end == len(raw):
            return found
        field = replace(catalog.load(SPEC).layout["user_data"], kind="bytes", cases=())
        rest = Node(field.id, field, SPEC, end, len(raw), to_json(raw[end:]))
        return replace(found, nodes=(*found.nodes, rest))


def _marking(path: str, fault: DataError) -> Callable[[Node], Node | None]:
    return lambda node: replace(node, fault=fault) if node.path == path and node.fault is None else None


def _holds_row(node: Node) -> bool:
    return node.field.id == _ROW_FIELD and node.layout.partition(".")[0] == _ROW_SPEC


def _role(node: Node, kind: str) -> str:
    """The role of the row in a field, as errors name it; with its number if the record has several rows."""
    where = node.path.rpartition(".")[0]
    if where in _ROLES:
        return _ROLES[where]
    role = _ROLES.get(OPERATIONS.get(kind, ""), "row")
    return f"{where}.{role}" if where else role


@dataclass
class _Row:
    """One row of a described table. Offsets count bytes from the start of the row, unless `base` is added."""

    reader: RowReader
    dissector: Dissector
    raw: bytes
    role: str
    base: int
    """Offset of the row in its log record."""

    def __post_init__(self) -> None:
        spec = catalog.load(SPEC)
        self._special = spec.enum("value_offset_flag")["special"]
        self._absent = spec.enum("null_byte")["absent"]
        self._lob_headers = spec.enum("lob_header").values()
        self._lob_value = spec.layouts[f"{SPEC}.lob_value"]
        self._row: RowValues | None = None
        self._fault: DataError | None = None
        self._bad: dict[str | None, DataError] = {}

    def parts(self, notes: list[str]) -> Dissection:
        """Headers, sections and columns. The fault of a row that cannot be read is in the result too."""
        found = self.dissector.dissect(self.raw)
        if found.at("payload") is not None:
            return found
        try:
            self._row = self.reader.read(self.raw, lambda column: _ELSEWHERE)
        except DataError as error:
            self._fault = of_role(error, self.role)
        else:
            self._bad = {bad.field: bad for bad in self._row.faults}
            for bad in self._bad.values():
                bad.field = f"{self.role}.{bad.field}"
        nodes = self._formatted(found) if found.at("fixed_section") is not None else self._compressed(found)
        nodes = opened(nodes, self._with_fault)
        if self._row is not None:
            shown = {node.field.id for node in Dissection(SPEC, self.raw, nodes).walk()}
            for name, reason in self._row.absent.items():
                if name not in shown:
                    notes.append(f"no bytes of {name}: {reason}")
        return replace(found, nodes=nodes, fault=self._fault)

    def _with_fault(self, node: Node) -> Node | None:
        """The node with the fault of the row, if the fault is at the node; None for other nodes."""
        if self._fault is None or (node.fault is None and f"{self.role}.{node.path}" != self._fault.field):
            return None
        return replace(node, fault=self._fault)

    # -- formatted ------------------------------------------------------------------------------

    def _formatted(self, found: Dissection) -> tuple[Node, ...]:
        listed = found.at(_COLUMNS)
        slots = [] if listed is None else list(zip(listed.children, self.reader.placed, strict=False))
        section = found.at("fixed_section")
        first = 0 if section is None else section.start
        values = [value for node, column in slots if (value := self._outer(node, column, first)) is not None]
        values.sort(key=lambda value: value.start)

        def open_(node: Node) -> Node | None:
            if node.path == "fixed_section":
                rest = (child for child in node.children if child.path != _COLUMNS and child.start < child.end)
                return replace(node, children=(*(self._slot(*slot, first) for slot in slots), *rest))
            if node.path == "variable_section":
                inside = tuple(value for value in values if node.start <= value.start and value.end <= node.end)
                # Columns of a damaged row may overlap; then none of them is shown.
                is_shared = any(one.end > other.start for one, other in pairwise(inside))
                return node if is_shared or not inside else replace(node, value=None, children=inside)
            return None

        return opened(found.nodes, open_)

    def _slot(self, node: Node, column: Column, first: int) -> Node:
        """The portion of a column in the fixed-length section: its value, or the offset of its value."""
        parts = tuple(
            replace(part, path=f"{column.name}.{part.field.id}")
            for part in node.children
            if part.start < part.end or part.fault is not None
        )
        value, meaning, bad = None, "", None
        if _number(node, "null_byte") == self._absent:
            meaning = "null"
        elif column.sql_type.is_varying:
            place = _number(node, "value_offset")
            if place is not None and place & self._special:
                meaning = _ELSEWHERE
            elif place is not None:
                meaning = f"the value is at byte {self.base + first + place} of the record"
        else:
            raw = next((part for part in parts if part.field.id == "value" and part.fault is None), None)
            value, meaning, bad = self._value(column, None if raw is None else self.raw[raw.start : raw.end])
        children = parts if len(parts) > 1 or column.sql_type.is_varying or any(part.fault for part in parts) else ()
        return Node(
            column.name, _field(column), node.layout, node.start, node.end, value, meaning, children, node.fault or bad,
            is_column=True,
        )  # fmt: skip

    def _outer(self, node: Node, column: Column, first: int) -> Node | None:
        """The value of a column in the variable-length section; None if it is not there."""
        place, length = _number(node, "value_offset"), _number(node, "value_length")
        is_null = _number(node, "null_byte") == self._absent
        if place is None or length is None or is_null or place & self._special:
            return None
        start = first + place
        return self._held(column, f"{column.name}.value", start, min(start + length, len(self.raw)))

    # -- with VALUE COMPRESSION -------------------------------------------------------------------

    def _compressed(self, found: Dissection) -> tuple[Node, ...]:
        listed, data = found.at("value_offsets"), found.at("data")
        if listed is None or data is None or self._row is None:
            return found.nodes
        places = [data.start + (child.value & ~self._special) for child in listed.children]
        columns = self.reader.table.columns[: len(places) - 1]
        held = tuple(
            self._held(column, column.name, start - places[0] + data.start, end - places[0] + data.start)
            for column, start, end in zip(columns, places, places[1:], strict=False)
        )
        names = [f"where {column.name} begins" for column in columns] + ["where the last value ends"]
        offsets = tuple(replace(child, meaning=name) for child, name in zip(listed.children, names, strict=False))

        def open_(node: Node) -> Node | None:
            if node is listed:
                return replace(node, children=offsets)
            return replace(node, value=None, children=held) if node is data else None

        return opened(found.nodes, open_)

    # -- values -----------------------------------------------------------------------------------

    def _held(self, column: Column, path: str, start: int, end: int) -> Node:
        """A column, or its value, at offsets in the row."""
        raw = self.raw[start:end]
        value, meaning, bad = self._value(column, raw)
        field = _field(column)
        has_parts = column.sql_type.is_lob and bool(raw) and raw[0] in self._lob_headers
        children = tuple(self._lob_parts(path, start, end)) if has_parts else ()
        return Node(path, field, SPEC, start, end, value, meaning, children, bad, is_column=True)

    def _lob_parts(self, path: str, start: int, end: int) -> Iterator[Node]:
        """The header of a LOB value in the row, and the value."""
        for entry in self._lob_value:
            first = start + (entry.offset or 0)
            last = end if entry.width is None else min(first + entry.width, end)
            if first < last:
                raw = self.raw[first:last]
                value = raw[0] if entry.codes else None if entry.width is None else to_json(raw)
                yield Node(
                    f"{path}.{entry.id}", entry, self._lob_value.id, first, last, value, meaning_of(entry, value)
                )

    def _value(self, column: Column, raw: bytes | None) -> tuple[Any, str, DataError | None]:
        """A value as the command `changes` prints it, why it is missing, and its fault."""
        value, name = None, column.name
        if self._row is not None:
            meaning = self._row.absent.get(name, "")
            value = self._row.values.get(name)
            if value is None and not meaning and name not in self._bad:
                meaning = "null"
            return to_json({name: value})[name], meaning, self._bad.get(name)
        # A row that cannot be read as a whole may have columns that can be read.
        decode = self.reader.decoders[column.number]
        if raw is None or decode is None or column.sql_type.is_lob or column.type == "XML":
            return None, "", None
        try:
            value = decode(raw)
        except InvalidValueError as error:
            return None, "", error.at(spec=SPEC, field=f"{self.role}.{name}")
        return to_json({name: value})[name], "", None


def _number(node: Node, part: str) -> int | None:
    return next((child.value for child in node.children if child.field.id == part and child.fault is None), None)


def _field(column: Column) -> Field:
    """The description of a column in its table, as a field."""
    nulls = "may be null" if column.is_nullable else "not null"
    words = f"column {column.number}, {column.sql_type.words}, {nulls}"
    return Field(column.name, None, None, column.form, scale=column.scale or None, doc=words)
