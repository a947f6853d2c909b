"""Records: from the bytes of one record to a dict of values, by the generated parser.

The generated parser defines the meaning. This module adds field names to the parser's faults, and converts the parsed
object to plain values: int, float, str, bytes, None, and list or dict for nested records.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from io import BytesIO
from operator import attrgetter
from typing import Any

from kaitaistruct import KaitaiStruct

from lmparse.errors import DataError, InvalidValueError, LimitError, OptionError
from lmparse.limits import DEFAULT, Limits
from lmparse.records.faults import Fault, without_value
from lmparse.records.places import FieldStep, InstanceError, value_of
from lmparse.spec import step_budget
from lmparse.spec.catalog import KIND, PARENT, Spec
from lmparse.spec.layout import NESTED, Field, Layout
from lmparse.spec.nesting import reached
from lmparse.spec.step_budget import KaitaiStream
from lmparse.values import codepages, integers, kinds
from lmparse.values.codepages import CodePage, page_of_field

Values = dict[str, Any]
Faults = list[InvalidValueError]
Wanted = frozenset[str] | None
"""Fields of a record to decode; None for all. Other fields are not checked."""
Decode = Callable[[Any], Any]
"""Turns a parsed field into its value. Raises InvalidValueError."""
_PARSED: dict[str, Decode] = {"uint": int, "int": int, "float": float, "boolean": bool}
"""Kinds whose parsed field already is the value."""
_KINDS_OF = ((bool, ("boolean",)), (int, ("uint", "int")), (float, ("float",)), (str, ("str",)), (bytes, ("variable",)))
"""Kinds of choices by the type of a parsed value."""


_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]").search
_LARGE, _COLLECTED = 1 << 16, 1 << 25
"""A parsed record refers to itself, so only a collection of cycles frees it. Python starts collections by the number of
objects, whatever their bytes. So cycles are collected after this many bytes of large records, which takes less time
than parsing the records."""
_large_bytes = 0


@dataclass(slots=True)
class Record:
    """The values of one record, and the faults of values that could not be decoded."""

    values: Values
    """Values by field id; None if the field is absent, null or faulty."""
    faults: Faults = field(default_factory=list)
    """One fault for each faulty field; the field's value is None."""
    unread: int = 0
    """Bytes in no field; 0 for specs with instances."""

    def raise_fault(self) -> Record:
        """Return the record, or raise its first fault."""
        if self.faults:
            raise self.faults[0]
        return self


class RecordReader:
    """Reads records of one spec from bytes, without a file."""

    def __init__(
        self,
        spec: Spec,
        *,
        code_page: CodePage | None = None,
        arguments: tuple[Any, ...] = (),
        limits: Limits = DEFAULT,
        labels: bool = False,
        around: tuple[Any, ...] = (),
    ) -> None:
        if len(arguments) != len(spec.layout.params):
            wanted = ", ".join(spec.layout.params)
            raise OptionError(f"records of {spec.id} cannot be read on their own: they need {wanted}", code="LMP-S004")
        self.spec = spec
        self.code_page = code_page or default_page(spec)
        self.arguments = arguments
        self.limits = limits
        self.labels = labels
        """Whether numbers of an enumeration are shown as words."""
        self.around, self.needs_around = around, ""
        """Parent, root and byte order around an item of a list, for the parser; why values depend on them."""
        self.parent: Record | None = None
        """The value of the column PARENT of all items with its faults, if the column is requested."""
        self._plans: dict[str, list[tuple[Field, Decode | None]]] = {}

    def parse(self, raw: bytes) -> KaitaiStruct:
        """Parse one record with the generated parser.

        Raises RecordError (LMP-R), InvalidValueError (LMP-V) or LimitError (LMP-L) with field and offset.
        """
        try:
            return self._parsed(raw)
        except Exception:
            parsed, fault = self.parse_noting_places(raw)
        if fault is not None:
            raise fault
        return parsed

    def parse_noting_places(self, raw: bytes) -> tuple[KaitaiStruct, DataError | None]:
        """Parse with the debug parser; returns the object up to the fault, and the error that `parse` raises.

        Slower than `parse`, but `places_of` then knows the places of the fields.
        """
        parsed = self.spec.debug_parser(*self.arguments, self.stream(raw), *self.around)
        try:
            step_budget.begin(self.limits, len(raw))
            try:
                parsed._read()
            except Exception as error:
                if not Fault(self.spec, parsed, error, raw).completes_short_record():
                    raise
            if self.spec.with_instances:
                self._read_instances(parsed)
        except Exception as error:
            return parsed, Fault(self.spec, parsed, error, raw).to_error()
        finally:
            _take_note(step_budget.end())
        return parsed, None

    def _parsed(self, raw: bytes) -> KaitaiStruct:
        """Parse one record. Raises whatever the generated parser raises."""
        stream = self.stream(raw)
        step_budget.begin(self.limits, len(raw))
        try:
            parsed = self.spec.parser(*self.arguments, stream, *self.around)
            if self.spec.with_instances:
                self._read_instances(parsed)
        finally:
            _take_note(step_budget.end())
        return parsed

    def stream(self, raw: bytes) -> KaitaiStream:
        """The stream of a record's bytes."""
        _take_note(len(raw))
        return KaitaiStream(BytesIO(raw))

    def accepts(self, raw: bytes) -> bool:
        """Whether `parse` succeeds; cheaper than to call `parse` and discard its error."""
        try:
            self._parsed(raw)
        except Exception:
            return self._may_end_short and self.parse_noting_places(raw)[1] is None
        return True

    def _unread(self, parsed: Any) -> int:
        """Bytes of a good record in no field; 0 for specs with instances, because only places tell their bytes."""
        left, streams = [] if self.spec.with_instances else [parsed], {}
        while left:
            one: Any = left.pop()
            streams[id(one._io)] = one._io
            for entry, decode in self.decoders(self.spec.layout_of(one)):
                if (decode is None or entry.kind == "switch") and entry.process != "zlib":
                    value = value_of(one, entry.id)
                    items = (value or ()) if entry.repeated else (value,)
                    left += [item for item in items if isinstance(item, KaitaiStruct)]
        return sum(stream.size() - stream.pos() for stream in streams.values())

    def _read_instances(self, parsed: KaitaiStruct, above: tuple[FieldStep, ...] = ()) -> None:
        """Read the instances of a parsed object and of the objects inside it; the parser reads them on first use only.

        Raises InstanceError.
        """
        layout = self.spec.layout_of(parsed)
        for entry in layout.calculated:
            self.calculated(parsed, entry, bool, "", [])  # bytes that a calculated value reads belong to the record
        for entry in layout if layout.id in self.spec.with_instances else ():
            step = FieldStep(parsed, entry.id, entry.offset or 0, None)
            is_instance = isinstance(getattr(type(parsed), entry.id, None), property)
            try:
                # None means an absent instance; an AttributeError comes from an expression of the instance.
                value = getattr(parsed, entry.id) if is_instance else getattr(parsed, entry.id, None)
            except Exception as error:
                raise InstanceError([*above, step], error) from error
            if isinstance(value, KaitaiStruct):
                self._read_instances(value, (*above, step))
            elif entry.repeated and entry.kind in NESTED:
                for number, item in enumerate(value or ()):
                    if isinstance(item, KaitaiStruct):
                        self._read_instances(item, (*above, replace(step, index=number)))

    @cached_property
    def _may_end_short(self) -> bool:
        """Whether a record may end inside an optional field."""
        return any(
            entry.kind == "rest" and entry.id != "surplus"
            for layout in reached(self.spec.layouts, [self.spec.layout.id])
            for entry in layout
        )

    def read(self, raw: bytes, wanted: Wanted = None) -> Record:
        """The values of one record; with `wanted`, only these fields. Raises as `parse`; collects faults of values."""
        parsed = self.parse(raw)
        record = self.values_of(parsed, wanted)
        record.unread = self._unread(parsed)
        if self.parent is not None:
            record.values[PARENT] = self.parent.values
            record.faults += map(copy, self.parent.faults)
        return record

    def values_of(self, parsed: KaitaiStruct, wanted: Wanted = None) -> Record:
        """The values of a parsed record; with `wanted`, only these fields."""
        is_told = self.spec.has_kind and (wanted is None or KIND in wanted)
        record = Record({KIND: kind_of(parsed)} if is_told else {})
        self._fill(parsed, record, "", 0, 0, wanted)
        return record

    def _fill(
        self, parsed: KaitaiStruct, to: Record, path: str, base: int | None, stream: int | None, wanted: Wanted = None
    ) -> None:
        """Add the fields of a parsed object at `base` to a record; the stream of the object starts at `stream`.

        Both are offsets in the record, or None if unknown.
        """
        values, faults = to.values, to.faults
        layout = self.spec.layout_of(parsed)
        is_moved = False
        for entry, decode in self.decoders(layout):
            if entry.optional and not (is_moved or entry.is_instance):
                # Fields behind an absent optional field are not at their offsets in the layout.
                is_moved = entry.id not in vars(parsed)
            if wanted is not None and entry.id not in wanted and entry.kind != "body":
                continue
            if entry.id in layout.computed:
                values[entry.id] = self.calculated(parsed, entry, decode, path, faults)
                continue
            value = getattr(parsed, entry.id, None)
            offset = None if base is None or entry.offset is None else base + entry.offset
            if entry.is_instance:  # the offset of an instance counts from the start of the stream
                offset = None if stream is None or entry.offset is None else stream + entry.offset
            elif is_moved:
                offset = None
            if value is None:
                if entry.kind != "rest":
                    values[entry.id] = None
            elif entry.kind == "body":
                if value._io is parsed._io:
                    self._fill(value, to, path, offset, stream, wanted)
                else:
                    start = _start_of_stream(parsed, entry, value, offset, stream)
                    self._fill(value, to, path, start, start, wanted)
            elif decode is None or entry.repeated:
                values[entry.id] = self._nested(value, entry, decode, faults, path + entry.id, offset)
            else:
                try:
                    value = decode(value)
                except InvalidValueError as error:
                    where = {"spec": layout.id, "field": path + entry.id, "field_offset": offset}
                    error.at(**where, doc_ref=entry.doc_ref)
                    faults.append(error)
                    value = None
                if value is not None or entry.kind != "rest":
                    values[entry.id] = value

    def calculated(self, parsed: KaitaiStruct, entry: Field, decode: Decode | None, path: str, faults: Faults) -> Any:
        """A calculated value of a parsed object; None with a fault if it has none, as after a division by zero."""
        try:
            value = getattr(parsed, entry.id)
        except (LimitError, RecursionError):
            raise
        except Exception as error:
            faults.append(without_value(self.spec.layout_of(parsed), path + entry.id, error))
            value = None
        return None if value is None else self._nested(value, entry, decode, faults, path + entry.id, None)

    def _nested(
        self, value: Any, entry: Field, decode: Decode | None, faults: Faults, path: str, offset: int | None
    ) -> Any:
        """The value of a list, of a nested record, or of an item of these; a faulty item is None."""
        if isinstance(value, list):
            items = enumerate(value)
            return [self._nested(item, entry, decode, faults, f"{path}[{number}]", None) for number, item in items]
        if decode is not None:
            try:
                return decode(value)
            except InvalidValueError as error:
                error.at(spec=self.spec.id, field=path, field_offset=offset, doc_ref=entry.doc_ref)
                faults.append(error)
                return None
        if entry.kind == "switch":
            choice = self.chosen(entry, value)
            offset = None if entry.process == "zlib" else offset
            return {choice.id: self._nested(value, choice, self.decoder(choice), faults, path, offset)}
        inner = Record({}, faults)
        self._fill(value, inner, f"{path}.", None if entry.process == "zlib" else offset, None)
        return inner.values

    def chosen(self, entry: Field, value: Any) -> Field:
        """The choice of a switch field that a parsed value belongs to."""
        if isinstance(value, KaitaiStruct):
            layout_id = self.spec.layout_of(value).id
            return next(choice for choice in entry.choices if choice.type == layout_id)
        fitting = next(found for type_, found in _KINDS_OF if isinstance(value, type_))
        return next(choice for choice in entry.choices if choice.type is None and choice.kind in fitting)

    def decoders(self, layout: Layout) -> list[tuple[Field, Decode | None]]:
        """The fields of a layout, each with the decoder of its value or of each item; None for nested records."""
        plan = self._plans.get(layout.id)
        if plan is None:
            plan = self._plans[layout.id] = [(entry, self.decoder(entry)) for entry in layout.columns]
        return plan

    def decoder(self, entry: Field) -> Decode | None:
        """The function that turns a parsed field into its value; None for nested records."""
        if entry.kind in NESTED:
            return None
        if entry.kind == "rest":
            return lambda raw: raw or None
        if self.labels and entry.is_labelled:
            words = {code.value: code.id for code in entry.codes}
            return lambda value: words.get(int(value)) or str(int(value))
        if entry.kind == "str":
            return _whole_text
        if entry.kind == "any":
            return self._plain
        if entry.kind == "int" and entry.is_instance and entry.number_width is not None:
            return _of_64_bits
        if entry.kind in _PARSED and not entry.scale:
            return _PARSED[entry.kind]
        decode = kinds.decoder(entry.kind, page_of_field(entry, self.code_page), entry.scale)
        take = self._raw(entry)
        if decode is None or take is None:
            return decode or take or (lambda value: value)
        whole: Decode = lambda value: decode(take(value))  # noqa: E731
        return cache(whole) if entry.kind == "code" else whole

    def _plain(self, value: Any) -> Any:
        """A value whose type only the data decide; None for an object, which another field shows."""
        if isinstance(value, KaitaiStruct | KaitaiStream):
            return None
        if isinstance(value, list):
            return [self._plain(item) for item in value]
        if isinstance(value, str):
            return _whole_text(value)
        return int(value) if isinstance(value, int) and not isinstance(value, bool) else value

    def _raw(self, entry: Field) -> Decode | None:
        """The function that returns a field's bytes, joined from parts if any; None if the field is parsed."""
        if entry.type is None:
            width = entry.width or 0
            return (lambda value: int(value).to_bytes(width, "big")) if entry.kind in ("code", "lsn") else None
        layout = self.spec.layouts[entry.type]
        parts = [(part.id, part.width or 0, layout.byte_order(part)) for part in layout]
        if all(part.kind == "bytes" for part in layout) and len(parts) > 1:
            take = attrgetter(*(name for name, *_ in parts))
            return lambda value: b"".join(take(value))

        def join(value: Any) -> bytes:
            return b"".join(
                part if isinstance(part := getattr(value, name), bytes) else part.to_bytes(width, order)
                for name, width, order in parts
            )

        return join if entry.kind != "rid6" else lambda value: integers.join_rid6(join(value), value._is_le)


def _start_of_stream(parsed: Any, entry: Field, body: Any, offset: int | None, stream: int | None) -> int | None:
    """Offset of a body's own stream in the record: that of the field, or by the common end of both streams. `stream` is
    the offset of the stream around the body; unknown offsets are None."""
    if entry.process == "zlib":
        return None
    if offset is None and stream is not None and entry.size == ("rest",):
        offset = int(stream + parsed._io.size() - body._io.size())
    return offset


def _whole_text(text: Any) -> Any:
    """A decoded text, unchanged. Raises InvalidValueError LMP-R010 for a lone surrogate: encodings such as UTF-7 allow
    one, but no file or column can store it."""
    if not text.isascii() and (half := _HALF_OF_A_PAIR(text)):
        raise InvalidValueError(
            "the text is not in its encoding", code="LMP-R010", expected="characters of Unicode",
            found=f"half of a pair, U+{ord(half[0]):04X}, at character {half.start()}",
        )  # fmt: skip
    return text


def _of_64_bits(value: Any) -> int:
    """A calculated integer. Raises InvalidValueError LMP-R012 if the integer exceeds 64 bits."""
    number = int(value)
    if not -(1 << 63) <= number < 1 << 63:
        raise InvalidValueError("a calculated number has more than 64 bits", code="LMP-R012", found=str(number))
    return number


def _take_note(size: int) -> None:
    """Count the bytes of large records, unpacked bytes included, and collect cycles after many bytes."""
    global _large_bytes
    if size > _LARGE:
        _large_bytes += size
        if _large_bytes > _COLLECTED:
            _large_bytes = size
            gc.collect()


def kind_of(parsed: Any) -> str:
    """Spec and word of the kind of a record, such as `db2_dms.insert_record`; the innermost part with a kind decides.

    A number outside the enumeration is shown as `unlisted_99`.
    """
    part, kind, spec = parsed, None, ""
    while isinstance(part, KaitaiStruct):
        found = getattr(part, KIND, None)
        if found is not None:
            kind, spec = found, type(part).__module__.rpartition(".")[2]
        part = getattr(part, "body", None)
    name = getattr(kind, "name", None)
    return f"{spec}.{name}" if name else f"{spec}.unlisted_{kind}"


def default_page(spec: Spec) -> CodePage:
    """The code page of a spec's files if nothing names one: EBCDIC, or UTF-8 for specs with database text."""
    return codepages.lookup("utf-8" if "database" in spec.codecs else "cp037")
