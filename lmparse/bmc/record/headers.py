"""Headers: the record header that the XHDF records of the control file describe.

The header of data change records differs between releases. A header that differs from the spec is converted byte by
byte to the layout of the spec, so one parser reads all headers. RBA and LRSN of 6 bytes and older timestamps get the
widths of today. Absent fields are null. Unknown fields keep their name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, takewhile

from lmparse.bmc.control.control_file import ControlFile
from lmparse.changes.claims import Claim, Statement
from lmparse.changes.descriptions import unique_names
from lmparse.errors import ControlError, DataError, InvalidValueError
from lmparse.options import Options
from lmparse.records.reader import Record, RecordReader, Values, Wanted
from lmparse.spec import catalog
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import Field, is_reserved
from lmparse.values import codepages, kinds, packed_times
from lmparse.values.codepages import CodePage

DESCRIBED = Statement("XHDF describes every byte of the header", "fields")
_MOST_DIFFERENCES = 5
"""Most differences between the header and the table of the manual that a notice names."""
_WIDEST = 8
"""Bytes of the widest number that a column holds."""
_UNDESCRIBED = "UNDESCRIBED"
"""Name of the field of bytes that no XHDF record describes."""
_DECISIVE = frozenset((
    "system_id", "dbid", "psid", "tbobid", "tbowner_len", "tbname_len", "table_owner", "table_name", "log_lrsn",
    "log_rba", "member_id", "rid", "change_type", "sql_type", "log_rec_disp", "uor_disp", "uor_id", "seg_num",
    "total_segs", "uor_commit_timestamp", "uor_commit_lrsn", "uor_commit_point",
))  # fmt: skip
"""Fields that decide how changes are read: table, segments, outcome, order."""


_TELLING = ("change_type", "uor_disp")
"""Fields whose values are listed, in front of and behind the times of the header."""
_LENGTH = "length"


@dataclass(frozen=True, slots=True)
class HeaderField:
    """One field that XHDF describes. Position and length in bytes."""

    name: str
    type: str
    subtype: str
    position: int
    length: int
    known: Field | None
    """The field of the spec with the same name; None for an unknown field."""

    @property
    def end(self) -> int:
        """Offset of the byte behind the field."""
        return self.position + self.length

    @property
    def as_unknown(self) -> Field:
        """The unknown field as a field of a layout."""
        return Field(self.name, self.position, self.length, self.kind)

    @property
    def kind(self) -> str:
        """The kind of an unknown field; bytes for a number that is wider than a column can hold."""
        if self.type == "CHAR":
            return "char"
        if self.length > _WIDEST:
            return "bytes"
        if self.type == "INT":
            return "int"
        return "uint" if self.type == "BIN" and self.subtype == "U" else "bytes"


class Header:
    """The header of the records of one log: as in the spec, or as XHDF describes it.

    Bytes that the description leaves out become fields of their own. Raises ControlError LMP-C006 if the description
    gives bytes two meanings, or leaves bytes out and lacks a field that decides how changes are read.
    """

    def __init__(self, spec: Spec, described: Sequence[Values] = (), stated: int = 0) -> None:
        """`stated` is the LENGTH in the records, if the header is known to be longer than described."""
        self.spec, self._described = spec, described
        self._data = spec.layout["data"]
        names = {_plain(field.orig_id): field for field in spec.layout if field.orig_id}
        read = dict.fromkeys(_field(values, names) for values in described)
        fields = [field for field in read if field.known is not self._data]
        holes = _holes(fields, spec, stated)
        self.holes = [hole.text for hole in holes]
        """Bytes of the header that the description leaves out, in words."""
        self.fields = _named(fields + [hole.field for hole in holes], spec)
        self.is_described = bool(self.fields)
        self.width = max((field.end for field in self.fields), default=self._table_width)
        """Length of the header in bytes, as far as it is described."""
        present = {field.known.id for field in self.fields if field.known}
        wanted = [field for field in spec.layout if field.orig_id and field is not self._data]
        self.absent = [field.id for field in wanted if field.id not in present] if self.is_described else []
        lost = sorted(_DECISIVE.intersection(self.absent))
        if holes and lost:
            raise _misdescribed("every byte of the header in a field", holes[0].text, holes[0].behind, lost)
        self.differences = [f"{spec.layout[name].orig_id} is absent" for name in self.absent] + [
            text
            for field in sorted(self.fields, key=lambda field: field.known is not None)
            if field.name != _UNDESCRIBED and (text := _difference(field))
        ]
        """Differences from the table of the manual, in words: absent fields, unknown fields, fields in other places."""

    @classmethod
    def of(cls, spec: Spec, control: ControlFile | None) -> Header:
        """The header that a control file describes; without a control file that of the spec."""
        try:
            return cls(spec, [record.values for record in control.of("XHDF")] if control else [])
        except ControlError as error:
            error.at(file=control.path if control else None)
            raise

    def as_stated(self, first: Sequence[bytes], reader: RecordReader) -> Header:
        """The header up to the LENGTH that the first records state, if XHDF describes only its beginning.

        XHDF must have each field where the table of the manual has it, because that header grows at its end. The
        records must fit too: times are times, CHANGE TYPE and UORDISP have listed values. Else XHDF is of another log.
        """
        length = self.spec.layout[_LENGTH].width or 0
        lengths = Counter(int.from_bytes(raw[:length], "big") for raw in first)
        stated, count = lengths.most_common(1)[0] if lengths else (0, 0)
        if stated <= self.width or 2 * count <= len(first) or any(map(_difference, self.fields)):
            return self
        longer = Header(self.spec, self._described, stated)
        return longer if any(longer._fits(raw, reader) for raw in first) else self

    def _fits(self, raw: bytes, reader: RecordReader) -> bool:
        try:
            record = self.read(reader, raw)
        except DataError:
            return False
        are_listed = (self.spec.layout[name].code_of(record.values[name]) for name in _TELLING)
        return not record.faults and all(are_listed)

    def claim(self, needed: Sequence[str] = ()) -> Claim:
        """Whether every byte is described, and the fields of the spec in `needed` are among the fields."""
        claim = DESCRIBED.claim()
        lacking = [f"{self.spec.layout[name].orig_id} is not described" for name in needed if name in self.absent]
        claim.tested = len(self.fields) + len(lacking)
        failures = [*self.holes, *lacking]
        claim.fail(len(failures), failures)
        if not self.is_described:
            claim.untestable["there is no XHDF record"] += 1
        return claim

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """Offset and width of the known fields in this header."""
        return {field.known.id: (field.position, field.length) for field in self.fields if field.known}

    @property
    def extra(self) -> list[Field]:
        """The fields that the spec does not have, with their offsets in this header."""
        return [field.as_unknown for field in self.fields if field.known is None]

    @property
    def decision(self) -> tuple[str, str]:
        """What the header is, and the evidence."""
        if not self.is_described:
            return "table of the manual", "no XHDF record"
        return f"{self.width} bytes, {'' if self.is_table else 'not '}as in the table", "XHDF records"

    @property
    def notices(self) -> Iterator[str]:
        """Notices on what the description has and the table of the manual does not."""
        if self.differences:
            more = len(self.differences) - _MOST_DIFFERENCES
            shown = [*self.differences[:_MOST_DIFFERENCES], *([f"{more} more"] if more > 0 else [])]
            yield "XHDF differs from the table of the manual: " + "; ".join(shown)
        for hole in self.holes[:_MOST_DIFFERENCES]:
            yield f"kept as bytes: {hole}"

    @property
    def is_table(self) -> bool:
        """Whether the header equals the layout of the spec."""
        return not self.differences and not self.holes

    @property
    def _table_width(self) -> int:
        return self._data.offset or 0

    def read(self, reader: RecordReader, raw: bytes, wanted: Wanted = None) -> Record:
        """Read some values of one record. Raises RecordError, InvalidValueError or ControlError (LMP-C006)."""
        if self.is_described:
            self._check_length(raw)
        if self.is_table:
            return reader.read(raw, wanted)
        faults: list[InvalidValueError] = []
        try:
            record = reader.read(self._to_table(raw, faults), wanted)
        except DataError as error:
            raise self._replaced(error) from None
        faults = [fault for fault in faults if wanted is None or fault.field in wanted]
        record.faults[:0] = faults
        for fault in record.faults:
            self._replaced(fault)
        record.values["length"] = self.width
        for name in (*self.absent, *(fault.field or "" for fault in faults)):
            record.values[name] = None
        for field in self.fields:
            if field.known is None and (wanted is None or field.name in wanted):
                self._add_unknown(record, field, raw, reader.code_page)
        return record

    def _add_unknown(self, record: Record, field: HeaderField, raw: bytes, page: CodePage) -> None:
        value = raw[field.position : field.position + field.length]
        decode = kinds.KINDS[field.kind].decoder(page)
        record.values[field.name] = None
        try:
            record.values[field.name] = value if decode is None else decode(value)
        except InvalidValueError as error:
            error.at(spec=self.spec.id, field=field.name, field_offset=field.position)
            record.faults.append(error)

    def _check_length(self, raw: bytes) -> None:
        entry = self.spec.layout[_LENGTH]
        size = entry.width or 2
        if len(raw) < size or (have := int.from_bytes(raw[:size], "big")) == self.width <= len(raw):
            return
        error: DataError = InvalidValueError(code="LMP-V004", expected=f"at most {len(raw)}")
        if have != self.width:
            text = "the header is not the one that the control file's XHDF records describe"
            error = ControlError(text, code="LMP-C006", expected=str(self.width))
        shown, place = raw[:32].hex().upper(), {"spec": self.spec.id, "field": entry.id, "field_offset": 0}
        raise error.at(**place, found=str(have), hex=shown, doc_ref=entry.doc_ref)

    def _to_table(self, raw: bytes, faults: list[InvalidValueError]) -> bytes:
        if len(raw) < self.width:
            return raw  # too short for its own LENGTH: the parser reports where it ends
        table = bytearray(self._table_width)
        for field in self.fields:
            known = field.known
            if known is None or known.offset is None or known.width is None:
                continue
            value = raw[field.position : field.position + field.length]
            try:
                value = widen(value, known)
            except InvalidValueError as error:
                raw_value = value[:32].hex().upper()
                error.at(spec=self.spec.id, field=known.id, field_offset=field.position, hex=raw_value)
                faults.append(error)
                continue
            table[known.offset : known.offset + known.width] = value
        entry = self.spec.layout["length"]
        table[0 : entry.width or 2] = self._table_width.to_bytes(entry.width or 2, "big")
        return bytes(table) + raw[self.width :]

    def _replaced(self, error: DataError) -> DataError:
        """Set the offset in an error to the offset of the field in this header."""
        for field in self.fields:
            if field.known is not None and field.known.id == error.field:
                error.field_offset = field.position
        return error


def _plain(name: str | None) -> str:
    return (name or "").replace(" ", "").replace("_", "").upper()


def _field(values: Values, names: dict[str, Field]) -> HeaderField:
    name = values["head_field_name"] or ""
    known = names.get(_plain(name))
    position, length = values["head_field_pos"], values["head_field_len"]
    least = 0 if known is not None and known.kind == "variable" else 1
    for where, number, lowest in (("head_field_pos", position, 0), ("head_field_len", length, least)):
        if number is None or number < lowest:
            raise ControlError(
                "a header field without place or length", code="LMP-C006", spec="bmc_xhdf", field=where,
                expected="digits" if number is None else f"at least {lowest}",
                found="blank" if number is None else str(number), hint=f"the field is {name!r}",
            )  # fmt: skip
    return HeaderField(
        name, values["head_field_type"] or "", values["head_field_subtype"] or "", position, length, known
    )


def _named(fields: list[HeaderField], spec: Spec) -> list[HeaderField]:
    """The fields. Unknown fields get names that no other column of a record has."""
    layouts, unknown = spec.layouts, [field for field in fields if field.known is None]
    taken = {"_metadata", "_corrupt_record", "_corrupt_fields"}
    for entry in spec.layout:
        taken.add(entry.id)
        taken.update(f"{entry.id}_{part.id}" for part in (layouts[entry.type] if entry.type else ()))
    names = unique_names(((field.name or "FIELD", field.position) for field in unknown), taken)
    renamed = dict(zip(unknown, names, strict=True))
    return [replace(field, name=renamed.get(field, field.name)) for field in fields]


@dataclass(frozen=True, slots=True)
class _Hole:
    """Bytes of the header that no XHDF record describes."""

    field: HeaderField
    """The bytes as a field."""
    behind: str
    """Name of the field behind the hole."""
    text: str


def _holes(fields: Sequence[HeaderField], spec: Spec, stated: int) -> list[_Hole]:
    """The holes between fields, and behind them up to a stated LENGTH; bytes that are reserved are no hole.

    Raises ControlError LMP-C006 if a byte belongs to two fields, or a field is described at two places. LENGTH needs no
    description, because it begins every header.
    """
    described: dict[str, list[int]] = {}
    for field in fields:
        if field.known is not None:
            described.setdefault(field.known.orig_id or field.known.id, []).append(field.position)
    for name, places in described.items():
        if len(places) > 1:
            raise _misdescribed("each field once", f"{name} at {' and at '.join(map(str, places))}", name)
    length = spec.layout["length"]
    begun = HeaderField(length.orig_id or "", "", "", 0, length.width or 0, length)
    ordered = sorted((field for field in fields if field.length), key=lambda field: field.position)
    if not any(field.known is length for field in fields):
        ordered.insert(0, begun)
    if ordered and ordered[0].position:
        raise _misdescribed("a field at 0", f"{ordered[0].name} at {ordered[0].position} as the first", ordered[0].name)
    if fields and ordered[-1].end < stated:
        ordered.append(HeaderField(spec.layout["data"].orig_id or "", "", "", stated, 0, None))
    found = []
    for first, second in pairwise(ordered):
        gap = second.position - first.end
        if gap < 0:
            text = f"{first.name} up to {first.end - 1} and {second.name} from {second.position}"
            raise _misdescribed("fields that do not overlap", text, second.name)
        if gap and gap not in _reserved_between(first, second, spec):
            where = f"at {first.end} between {first.name} and {second.name}"
            text = f"{gap} bytes of the header that XHDF does not describe, {where}"
            found.append(_Hole(HeaderField(_UNDESCRIBED, "", "", first.end, gap, None), second.name, text))
    return found


def _reserved_between(first: HeaderField, second: HeaderField, spec: Spec) -> Iterator[int]:
    """Widths of the reserved bytes that the spec has behind the first field, and in front of the second."""
    entries = list(spec.layout)
    for field, step in ((first, 1), (second, -1)):
        if field.known is not None:
            at = entries.index(field.known)
            beside = entries[at + 1 :] if step > 0 else entries[at - 1 :: -1] if at else []
            yield sum(entry.width or 0 for entry in takewhile(lambda entry: is_reserved(entry.id), beside))


def _misdescribed(expected: str, found: str, name: str, lost: Sequence[str] = ()) -> ControlError:
    missing = f", and no field is {', '.join(lost)}" if lost else ""
    return ControlError(
        "XHDF does not describe the whole header, or a part of it twice", code="LMP-C006", spec="bmc_xhdf",
        field="head_field_pos", expected=expected, found=found,
        hint=f"an XHDF record near {name} is missing or damaged{missing}; transfer the control file again",
    )  # fmt: skip


def _difference(field: HeaderField) -> str | None:
    known = field.known
    if known is None:
        return f"{field.name} is not in the table"
    if (field.position, field.length) == (known.offset, known.width):
        return None
    return f"{field.name} is {field.length} bytes at {field.position}, not {known.width} at {known.offset}"


@cache
def padding(kind: str, type_: str | None, width: int | None, have: int) -> tuple[int, bytes]:
    """How `have` bytes of a field become `width` bytes: number of bytes to add in front, and the byte to add.

    A negative number of bytes is cut off in front. Behind the value, bytes are added or cut off up to the width.
    """
    if kind in ("char", "code"):
        return 0, codepages.lookup("cp037").encode(" ")
    if kind in ("rba10", "lrsn10") and type_ is not None:
        short = max(catalog.load(type_).layout, key=lambda part: part.width or 0)
        if short.width == have:
            return short.offset or 0, b"\x00"
    return 0 if kind == "timestamp17" else (width or have) - have, b"\x00"


def widen(value: bytes, known: Field) -> bytes:
    """The bytes of a field in the width of the spec. Raises InvalidValueError for a value that does not fit."""
    width = known.width or len(value)
    if len(value) == width:
        return value
    if known.kind == "timestamp17":
        return packed_times.extend_timestamp(value)
    front, fill = padding(known.kind, known.type, width, len(value))
    if len(value) > width and (value[: max(-front, 0)] + value[width - front :]).strip(fill):
        shown = value.hex().upper()
        raise InvalidValueError(code="LMP-V004", expected=f"at most {width} bytes", found=f"X'{shown}'", hex=shown[:64])
    return (fill * front + value[max(-front, 0) :])[:width].ljust(width, fill)


NEEDED = ("system_id", "dbid", "psid", "tbobid", "change_type", "log_rba", "uor_id")
"""Header fields that identify a change and its table."""
OUTCOME = ("uor_disp", "log_rec_disp", "sql_type")
"""Header fields that say whether a change was committed; see `order.unit_state`."""


def check_header(header: Header, options: Options) -> None:
    """Raise ControlError LMP-C006 if a described header lacks a field that identifies or selects changes."""
    needed = NEEDED if "all" in options.include else (*NEEDED, *OUTCOME)
    missing = [name for name in needed if name in header.absent]
    if missing:
        is_unknown = not set(missing) - {*OUTCOME}
        raise ControlError(
            "the header that XHDF describes cannot say what changed", code="LMP-C006", file=options.control,
            spec="bmc_xhdf", expected=", ".join(needed), found=f"no {', '.join(missing)}",
            hint="without them nothing says what was committed: include=all reads every change"
            if is_unknown else None,
        )  # fmt: skip
