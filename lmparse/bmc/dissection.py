"""Dissection of data change records: DATA area and columns of row images.

The bytes of one record do not show all facts. The log has the others: the header that XHDF describes, the
interpretation of DATA areas and images, and the columns of the table version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from lmparse.bmc.control.columns import Column
from lmparse.bmc.control.tables import TableVersion
from lmparse.bmc.log.log import LogicalLog
from lmparse.bmc.log.order import OPERATIONS
from lmparse.bmc.record import change_record
from lmparse.bmc.record.headers import HeaderField, widen
from lmparse.bmc.record.row_image import SPEC, RowReader
from lmparse.changes.change import ROLES, RowValues, of_role
from lmparse.errors import DataError, InvalidValueError
from lmparse.framing.extents import RecordExtent
from lmparse.records.dissection import Dissection, Dissector, Node, placed_at
from lmparse.records.dissection import meaning as meaning_of
from lmparse.records.file_dissection import FileDissector, RecordHeading, cut_at, faulty, opened
from lmparse.records.reader import RecordReader, Values
from lmparse.spec import catalog
from lmparse.spec.layout import Field
from lmparse.values.json_form import to_json

_COLUMN = f"{SPEC}.column"
"""Layout of the parts of a column."""
_NO_COLUMNS = "nothing says what the columns of the row are: the option control names the control file that does"
_NO_LIMIT_KEYS = "limit keys in DATA do not have the form of row images; DATA is kept as bytes"


class LogicalLogDissector(FileDissector):
    """Dissects the records of a logical log."""

    positions = ("log_rba", "log_lrsn")

    def __init__(self, file: LogicalLog) -> None:
        super().__init__(file)
        self._log = file
        self._areas: dict[str, Dissector] = {}
        self._rows: dict[int, Dissector] = {}
        self._places = file.header_places(self.positions)

    def dissect_bytes(self, raw: bytes) -> Dissection:
        found = self.fields.dissect(raw) if self._log.header.is_table else self._described(raw)
        if found.fault is not None:
            return found
        try:
            values = self._log.read_bytes(raw).values
        except DataError as error:
            return cut_at(found, error)
        if values.get("change_type") is None or found.at("data") is None:
            return found
        if (values.get("total_segs") or 0) < 2:
            return self._opened(found, values)
        said = f"segment number {values['seg_num']} of {values['total_segs']}"
        nodes = _changed(found.nodes, "data", meaning=f"a piece of DATA: {said}")
        return replace(found, nodes=nodes, notes=(*found.notes, said))

    def positions_of(self, extent: RecordExtent) -> Iterator[tuple[str, int]]:
        layout = self._log.spec.layout
        for name, (offset, width) in self._places.items():
            if offset + width <= extent.length:
                raw = extent.read(self._log.buffer)[offset : offset + width]
                with suppress(InvalidValueError):  # the number does not fit today's width
                    yield name, int.from_bytes(widen(raw, layout[name]), "big")

    def heading(self, extent: RecordExtent, values: Values, *, searches: bool) -> RecordHeading:
        layout, name = self._log.spec.layout, self._log.decoder.name(values, self._log.tables.maybe(values))
        kind, outcome = (meaning_of(layout[field], values[field]) for field in ("change_type", "uor_disp"))
        return RecordHeading(values["change_type"] or "", kind, name.full, outcome)

    # -- a header that XHDF describes ---------------------------------------------------------

    def _described(self, raw: bytes) -> Dissection:
        """The dissection of a record by the header that XHDF describes."""
        header, spec = self._log.header, self._log.spec
        values: Values = {}
        faults: dict[str | None, DataError] = {}
        fault: DataError | None = None
        try:
            record = header.read(self._log.reader, raw)
            values, faults = to_json(record.values), {bad.field: bad for bad in record.faults}
        except DataError as error:
            fault = error
        nodes = [
            _header_node(field, spec.id, len(raw), values, faults)
            for field in sorted(header.fields, key=lambda field: field.position)
            if field.position < len(raw)
        ]
        if header.width <= len(raw):
            nodes.append(Node("data", spec.layout["data"], spec.id, header.width, len(raw), values.get("data")))
        found = Dissection(spec.id, raw, tuple(nodes))
        return found if fault is None else cut_at(found, fault)

    # -- DATA and row images --------------------------------------------------------------------

    def _opened(self, found: Dissection, values: Values) -> Dissection:
        """The dissection of a record, with the parts of its DATA area."""
        data = found.at("data")
        change_type = values["change_type"]
        if data is None or (data.start == data.end and not change_record.has_images(change_type)):
            return found
        area = self._area(change_type).dissect(found.raw[data.start : data.end])
        if area.fault is not None and OPERATIONS.get(change_type) == "M":
            return replace(found, notes=(*found.notes, _NO_LIMIT_KEYS))
        for fault in faulty(area):
            fault.spec, fault.field = found.spec, f"data.{fault.field}"
            fault.field_offset = data.start + (fault.field_offset or 0)
        notes: list[str] = []
        parts = placed_at(area.nodes, data.start, "data")
        if change_record.has_images(change_type):
            parts = self._with_rows(parts, found.raw, values, notes)
        is_kept = len(parts) == 1 and not parts[0].children and parts[0].field.id == "payload"
        nodes = found.nodes if is_kept else _changed(found.nodes, "data", value=None, children=parts)
        return replace(found, nodes=nodes, notes=(*found.notes, *notes))

    def _area(self, change_type: str) -> Dissector:
        if change_type not in self._areas:
            own = self._log.interpretation.data.reader(change_type)
            reader = RecordReader(own.spec, code_page=self._log.code_page, arguments=own.arguments)
            self._areas[change_type] = Dissector(reader)
        return self._areas[change_type]

    def _with_rows(self, parts: Sequence[Node], raw: bytes, values: Values, notes: list[str]) -> tuple[Node, ...]:
        """The parts of the DATA area with the columns of each row image."""
        version: TableVersion | None = None
        lack: DataError | None = None
        if self._log.control is None:
            notes.append(_NO_COLUMNS)
        else:
            try:
                version = self._log.tables.find(values)
                name = self._log.decoder.name(values, version)
                notes.append(f"the row is one of {name.full}: {version.identity}")
            except DataError as error:
                lack = error
        roles = iter(ROLES.get(OPERATIONS.get(values["change_type"], ""), ()))

        def open_(node: Node) -> Node | None:
            if node.field.id != "row" or node.fault is not None:
                return None
            role = next(roles, "after")
            meaning = f"the row {role} the change"
            if version is None:
                return replace(node, meaning=meaning, fault=lack)
            return replace(self._row(node, raw[node.start : node.end], version, role), meaning=meaning)

        return opened(parts, open_)

    def _row(self, node: Node, image: bytes, version: TableVersion, role: str) -> Node:
        """The node of a row image, with its columns."""
        row: RowValues | None = None
        fault: DataError | None = None
        try:
            row = self._log.interpretation.read_image(version, image, None)
        except DataError as error:
            fault = of_role(error, role)
        reader = self._log.interpretation.rows(version, self._log.interpretation.image)
        if id(reader) not in self._rows:
            self._rows[id(reader)] = Dissector(reader.parts)
        bad = {} if row is None else {entry.field: entry for entry in row.faults}
        for entry in bad.values():
            entry.field = f"{role}.{entry.field}"
        parts: list[Node] = []
        for part in self._rows[id(reader)].dissect(image).nodes:
            if part.field.id == "columns":
                for number, child in enumerate(part.children):
                    own = fault if child.fault is not None else bad.get(reader.table.columns[number].name)
                    parts.append(_column(child, number, reader, row, (own, fault), image))
            elif part.start < part.end:
                parts.append(replace(part, fault=None if part.fault is None else fault))
        placed = placed_at(parts, node.start, role)
        is_told = any(inner.fault is fault for part in placed for inner in part.walk())
        return replace(node, value=None, children=placed, fault=None if is_told else fault)


def _changed(nodes: Sequence[Node], path: str, **change: Any) -> tuple[Node, ...]:
    return tuple(replace(node, **change) if node.path == path else node for node in nodes)


def _header_node(
    field: HeaderField, layout: str, end: int, values: Values, faults: dict[str | None, DataError]
) -> Node:
    entry = field.known or field.as_unknown
    entry = replace(entry, offset=field.position, width=field.length, orig_id=field.name)
    value = values.get(entry.id)
    start = field.position
    stop = min(start + field.length, end)
    return Node(entry.id, entry, layout, start, stop, value, meaning_of(entry, value), fault=faults.get(entry.id))


def _column(
    node: Node,
    number: int,
    reader: RowReader,
    row: RowValues | None,
    faults: tuple[DataError | None, DataError | None],
    image: bytes,
) -> Node:
    """A column from its parts, with its own fault, or with the fault of the row in one of its parts."""
    column = reader.table.columns[number]
    parts = tuple(
        replace(part, path=f"{column.name}.{part.field.id}", fault=None if part.fault is None else faults[1])
        for part in node.children
        if part.start < part.end or part.fault is not None
    )
    own = faults[0]
    value: Any = None
    absent = catalog.load(SPEC).enum("null_indicator")["absent"]
    is_null = any(part.field.id == "null_indicator" and part.value == absent for part in parts)
    meaning = "null" if is_null else ""
    decode = reader.decoders[number]
    if row is not None:
        value, meaning = row.values.get(column.name), row.absent.get(column.name, meaning)
    elif decode is not None and not meaning:
        # The row cannot be read as a whole, but this column may be in front of the fault.
        held = next((part for part in parts if part.field.id == "value" and part.fault is None), None)
        try:
            value = None if held is None else decode(image[held.start : held.end])
        except InvalidValueError as error:
            own = error.at(spec=SPEC, field=column.name, field_offset=node.start)
    shown = to_json({column.name: value})[column.name]
    children = parts if len(parts) > 1 or any(part.fault for part in parts) else ()
    return Node(column.name, _field(column, node), _COLUMN, node.start, node.end, shown, meaning, children, own,
                is_column=True)  # fmt: skip


def _field(column: Column, node: Node) -> Field:
    """The description of a column in the control file, as a field."""
    length = f"{column.length}, scale {column.scale}" if column.type == "DEC" else str(column.length)
    words = [f"column {column.number}", f"{column.type} of length {length}"]
    if column.subtype:
        words.append(f"subtype {column.subtype}")
    words.append("may be null" if column.is_nullable else "not null")
    if column.ccsid:
        words.append(f"CCSID {column.ccsid}")
    if column.key_seq:
        words.append(f"number {column.key_seq} of the key")
    return Field(
        column.name, None, None, column.form, codec=column.page.name if column.page else None,
        scale=column.scale or None, doc=", ".join(words), doc_ref=catalog.load("bmc_dlci").layout.doc_ref,
        status=node.field.status,
    )  # fmt: skip
