"""Records: one record's bytes to a dict of values, through the generated parser.

The generated parser is the reference; this module adds names to its faults and turns the parsed object into plain
values: int, float, str, bytes, None, and list or dict for nested records.
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
"""Kinds whose parsed field is the value."""
_KINDS_OF = ((bool, ("boolean",)), (int, ("uint", "int")), (float, ("float",)), (str, ("str",)), (bytes, ("variable",)))
"""Kinds of choices by the type of a parsed value."""


_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]").search
_LARGE, _COLLECTED = 1 << 16, 1 << 25
"""A parsed record refers to itself, so it stays until a collection of cycles, and Python starts that by the number of
objects, not by their bytes. So cycles are collected after as many bytes of large records; collections take less time
than parsing these."""
_large_bytes = 0


@dataclass(slots=True)
class Record:
    """The values of one record, and the faults of values that could not be decoded."""

    values: Values
    """Values by field id; None if the field is absent, null or faulty."""
    faults: Faults = field(default_factory=list)
    """One fault for each faulty field, whose value is None."""
    unread: int = 0
    """Bytes that no field has, as far as the fields without instances tell."""

    def raise_fault(self) -> Record:
        """Return the record, or raise its first fault."""
        if self.faults:
            raise self.faults[0]
        return self


class RecordReader:
    """Reads records of one spec from bytes; it is not bound to a file."""

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
        """Whether numbers of an enumeration are shown by its words."""
        self.around, self.needs_around = around, ""
        """What is around an item of a list: its object and the root, for the parser; and why values depend on these."""
        self.parent: Record | None = None
        """The value of the column PARENT of all items, and its faults, if it is asked for."""
        self._plans: dict[str, list[tuple[Field, Decode | None]]] = {}

    def parse(self, raw: bytes) -> KaitaiStruct:
        """The generated object of one record.

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
        """The object by the debug parser, and the error that `parse` raises: the object ends where the fault is.

        Slower than `parse`; `places_of` then gives the places of the fields.
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
        """The object of one record. Raises whatever its parser raises."""
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
        """Whether `parse` returns an object; cheaper than to call it and to discard its error."""
        try:
            self._parsed(raw)
        except Exception:
            return self._may_end_short and self.parse_noting_places(raw)[1] is None
        return True

    def _unread(self, parsed: Any) -> int:
        """Bytes of a good record that no field has; 0 with instances, since only their places tell what they read."""
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
        """Read the instances of a parsed object and of those inside it, since the parser reads them on first use.

        Raises InstanceError.
        """
        layout = self.spec.layout_of(parsed)
        for entry in layout.calculated:
            self.calculated(parsed, entry, bool, "", [])  # what it reads belongs to the record
        for entry in layout if layout.id in self.spec.with_instances else ():
            step = FieldStep(parsed, entry.id, entry.offset or 0, None)
            is_instance = isinstance(getattr(type(parsed), entry.id, None), property)
            try:
                # An instance that is not there is None; an AttributeError is that of an expression in it.
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
        """The values of one record, or of the fields in `wanted`. Raises as `parse` does; keeps faults of values."""
        parsed = self.parse(raw)
        record = self.values_of(parsed, wanted)
        record.unread = self._unread(parsed)
        if self.parent is not None:
            record.values[PARENT] = self.parent.values
            record.faults += map(copy, self.parent.faults)
        return record

    def values_of(self, parsed: KaitaiStruct, wanted: Wanted = None) -> Record:
        """The values of a parsed record; with `wanted`, only of these fields."""
        is_told = self.spec.has_kind and (wanted is None or KIND in wanted)
        record = Record({KIND: kind_of(parsed)} if is_told else {})
        self._fill(parsed, record, "", 0, 0, wanted)
        return record

    def _fill(
        self, parsed: KaitaiStruct, to: Record, path: str, base: int | None, stream: int | None, wanted: Wanted = None
    ) -> None:
        """Add the fields of a parsed object that starts at `base`, in a stream that starts at `stream`, to a record.

        Each is None where it is not known.
        """
        values, faults = to.values, to.faults
        layout = self.spec.layout_of(parsed)
        is_moved = False
        for entry, decode in self.decoders(layout):
            if entry.optional and not (is_moved or entry.is_instance):
                # What is there behind an optional field that is not has another place than in the layout.
                is_moved = entry.id not in vars(parsed)
            if wanted is not None and entry.id not in wanted and entry.kind != "body":
                continue
            if entry.id in layout.computed:
                values[entry.id] = self.calculated(parsed, entry, decode, path, faults)
                continue
            value = getattr(parsed, entry.id, None)
            offset = None if base is None or entry.offset is None else base + entry.offset
            if entry.is_instance:  # its position is that in the stream
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
        """A calculated value of a parsed object; None, with a fault, if there is none, as of a division by zero."""
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
        """The value of a list, of a nested record, or of an item in these; a faulty item is None."""
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
        """The choice of a field that switches which a parsed value is of."""
        if isinstance(value, KaitaiStruct):
            layout_id = self.spec.layout_of(value).id
            return next(choice for choice in entry.choices if choice.type == layout_id)
        fitting = next(found for type_, found in _KINDS_OF if isinstance(value, type_))
        return next(choice for choice in entry.choices if choice.type is None and choice.kind in fitting)

    def decoders(self, layout: Layout) -> list[tuple[Field, Decode | None]]:
        """The fields of a layout, each with the function that decodes its parsed value, or each item of its list; None
        for nested records."""
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
        """A value whose type only the data decide; None for an object, which is shown where it stands."""
        if isinstance(value, KaitaiStruct | KaitaiStream):
            return None
        if isinstance(value, list):
            return [self._plain(item) for item in value]
        if isinstance(value, str):
            return _whole_text(value)
        return int(value) if isinstance(value, int) and not isinstance(value, bool) else value

    def _raw(self, entry: Field) -> Decode | None:
        """The function that returns a field's bytes, joined from its parts if it has any; None if these are parsed."""
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
    """Where a body with a stream of its own begins: at the offset of its field, or its bytes end where those of the
    object around it do. `stream` is where the stream around it begins."""
    if entry.process == "zlib":
        return None
    if offset is None and stream is not None and entry.size == ("rest",):
        offset = int(stream + parsed._io.size() - body._io.size())
    return offset


def _whole_text(text: Any) -> Any:
    """A text that the parser has decoded. Raises InvalidValueError LMP-R010 if it has half of a surrogate pair: some
    encodings, as UTF-7, give these, and no file or column can have them."""
    if not text.isascii() and (half := _HALF_OF_A_PAIR(text)):
        raise InvalidValueError(
            "the text is not in its encoding", code="LMP-R010", expected="characters of Unicode",
            found=f"half of a pair, U+{ord(half[0]):04X}, at character {half.start()}",
        )  # fmt: skip
    return text


def _of_64_bits(value: Any) -> int:
    """A calculated whole number. Raises InvalidValueError LMP-R012 if a column of 64 bits cannot hold it."""
    number = int(value)
    if not -(1 << 63) <= number < 1 << 63:
        raise InvalidValueError("a calculated number has more than 64 bits", code="LMP-R012", found=str(number))
    return number


def _take_note(size: int) -> None:
    """Take note of the bytes of a record, or of what was unpacked from it, and collect cycles after many."""
    global _large_bytes
    if size > _LARGE:
        _large_bytes += size
        if _large_bytes > _COLLECTED:
            _large_bytes = size
            gc.collect()


def kind_of(parsed: Any) -> str:
    """Spec and word for the kind of a record, `db2_dms.insert_record`, from the innermost part that has a kind.

    A number that is in no list is shown as `unlisted_99`.
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
    """The code page of files of a spec when nothing names one: EBCDIC, or UTF-8 for a database's text."""
    return codepages.lookup("utf-8" if "database" in spec.codecs else "cp037")
