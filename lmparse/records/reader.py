"""Records: one record's bytes to a dict of values, through the generated parser.

The generated parser sets the meaning; this module names its faults and turns the
parsed object into plain values: int, float, str, bytes, None, and list or dict for
nested records.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from io import BytesIO
from itertools import pairwise
from operator import attrgetter
from types import TracebackType
from typing import Any

import kaitaistruct
from kaitaistruct import KaitaiStream, KaitaiStruct

from lmparse.errors import DataError, InvalidValueError, OptionError, RecordError
from lmparse.options import Options
from lmparse.spec.catalog import KIND, Spec
from lmparse.spec.layout import Field, Layout
from lmparse.values import codepages, kinds, positions
from lmparse.values.codepages import CodePage

Values = dict[str, Any]
Wanted = frozenset[str] | None
"""Fields of a record to decode; None for all. What is not decoded is not checked either."""
Decode = Callable[[Any], Any]
"""What turns a parsed field into its value. Raises InvalidValueError."""
_PARSED: dict[str, Decode] = {"uint": int, "int": int, "float": float}
"""Kinds that come from the parser as their values."""
_READS = ("_read", "_read_le", "_read_be")
_ASSIGNS = re.compile(r"self\.(\w+)(?: = |\.append\()")
_ASKS = re.compile(r"_on = self\.(\w+)$")


@dataclass(slots=True)
class Record:
    """One record's values, with the faults of those that could not be decoded."""

    values: Values
    """By field id; None where the field is absent, null or faulty."""
    faults: list[InvalidValueError] = field(default_factory=list)
    """One for each faulty field; its value is None."""

    def raise_fault(self) -> Record:
        """Raise the first fault, if there is one; else return the record itself."""
        if self.faults:
            raise self.faults[0]
        return self


class RecordReader:
    """Reads records of one spec. Not bound to a file: it takes bytes."""

    def __init__(self, spec: Spec, *, code_page: CodePage | None = None, arguments: tuple[Any, ...] = ()) -> None:
        if len(arguments) != len(spec.layout.params):
            wanted = ", ".join(spec.layout.params)
            raise OptionError(f"records of {spec.id} cannot be read on their own: they need {wanted}", code="LMP-S004")
        self.spec = spec
        self.code_page = code_page or default_page(spec)
        self.arguments = arguments
        self._plans: dict[str, list[tuple[Field, Decode | None]]] = {}

    def parse(self, raw: bytes) -> KaitaiStruct:
        """The generated object of one record.

        Raises RecordError (LMP-R) or InvalidValueError (LMP-V) with field and offset.
        """
        parsed, fault = self.parse_partly(raw)
        if fault is not None:
            raise fault
        return parsed

    def parse_partly(self, raw: bytes) -> tuple[KaitaiStruct, DataError | None]:
        """The same, and what `parse` would raise: the object then ends where the fault is."""
        parser: Any = self.spec.parser
        # Made in two steps, so that what was read before a fault is not lost with it.
        parsed: KaitaiStruct = parser.__new__(parser)
        try:
            parser.__init__(parsed, *self.arguments, KaitaiStream(BytesIO(raw)))
        except Exception as error:
            fault = _Fault(self.spec, error, raw)
            if not fault.completes_short_record():
                found = fault.to_error()
                fault.attach()
                return parsed, found
        return parsed, None

    def accepts(self, raw: bytes) -> bool:
        """Whether `parse` gives an object; cheaper than to ask it and to throw its error away."""
        try:
            self.spec.parser(*self.arguments, KaitaiStream(BytesIO(raw)))
        except Exception:
            return self._may_end_short and self._parses(raw)
        return True

    @cached_property
    def _may_end_short(self) -> bool:
        """Whether a record may end inside an optional field."""
        layouts = self.spec.layouts
        seen: set[str] = set()
        left = [self.spec.layout]
        while left:
            layout = left.pop()
            if layout.id not in seen:
                seen.add(layout.id)
                if any(entry.kind == "rest" and entry.id != "surplus" for entry in layout):
                    return True
                left += [layouts[name] for entry in layout for name in (*entry.cases, entry.type) if name]
        return False

    def _parses(self, raw: bytes) -> bool:
        try:
            self.parse(raw)
        except DataError:
            return False
        return True

    def read(self, raw: bytes, wanted: Wanted = None) -> Record:
        """The values of one record, or some of them. Raises as `parse` does; faulty values are collected."""
        return self.values_of(self.parse(raw), wanted)

    def values_of(self, parsed: KaitaiStruct, wanted: Wanted = None) -> Record:
        """The values of a record that `parse` gave; with `wanted`, of these fields only."""
        record = Record({KIND: kind_of(parsed)} if self.spec.has_kind else {})
        self._fill(parsed, record.values, record.faults, "", 0, wanted=wanted)
        return record

    def _fill(
        self,
        parsed: KaitaiStruct,
        values: Values,
        faults: list[InvalidValueError],
        path: str,
        base: int | None,
        stream: int = 0,
        wanted: Wanted = None,
    ) -> None:
        """Take over the fields of a parsed object that starts at `base`, in a stream that starts at `stream`."""
        layout = self.spec.layout_of(parsed)
        for entry, decode in self.decoders(layout):
            if wanted is not None and entry.id not in wanted and entry.kind != "body":
                continue
            value = getattr(parsed, entry.id, None)
            offset = None if base is None or entry.offset is None else base + entry.offset
            if value is None:
                if entry.kind != "rest":
                    values[entry.id] = None
            elif entry.kind == "body":
                if value._io is parsed._io:
                    self._fill(value, values, faults, path, offset, stream, wanted)
                else:  # a stream of its own, of the bytes up to the end of this one
                    start = stream + parsed._io.size() - value._io.size()
                    self._fill(value, values, faults, path, start, start, wanted)
            elif decode is None:
                values[entry.id] = self._nested(value, entry, faults, path, offset)
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

    def _nested(self, value: Any, entry: Field, faults: list[InvalidValueError], path: str, offset: int | None) -> Any:
        if not entry.repeated:
            inner: Values = {}
            self._fill(value, inner, faults, f"{path}{entry.id}.", offset)
            return inner
        rows: list[Any] = []
        for number, item in enumerate(value):
            inner = {}
            self._fill(item, inner, faults, f"{path}{entry.id}[{number}].", None)
            rows.append(inner)
        return rows

    def decoders(self, layout: Layout) -> list[tuple[Field, Decode | None]]:
        """The fields of a layout, each with what turns the parsed value into the shown one; None for nested records."""
        plan = self._plans.get(layout.id)
        if plan is None:
            plan = self._plans[layout.id] = [(entry, self._decoder(entry)) for entry in layout]
        return plan

    def _decoder(self, entry: Field) -> Decode | None:
        """What turns the parsed field into its value; None for nested records."""
        if entry.kind in ("struct", "body"):
            return None
        if entry.kind == "rest":
            return lambda raw: raw or None
        if entry.kind in _PARSED:
            return _PARSED[entry.kind]
        take, decode = self._raw(entry), kinds.decoder(entry.kind, self._page(entry))
        if decode is None or take is None:
            return decode or take or (lambda value: value)
        whole: Decode = lambda value: decode(take(value))  # noqa: E731
        return cache(whole) if entry.kind == "code" else whole

    def _page(self, entry: Field) -> CodePage:
        if entry.codec in (None, "ebcdic", "database"):
            return self.code_page
        return codepages.lookup(entry.codec)

    def _raw(self, entry: Field) -> Decode | None:
        """What gives a field's bytes; a field of a shared type is put together from its parts. None if parsed so."""
        if entry.type is None:
            width = entry.width or 0
            return (lambda value: int(value).to_bytes(width, "big")) if entry.kind in ("code", "lsn") else None
        parts = [(part.id, part.width or 0) for part in self.spec.layouts[entry.type]]
        if all(part.kind == "bytes" for part in self.spec.layouts[entry.type]) and len(parts) > 1:
            take = attrgetter(*(name for name, _ in parts))
            return lambda value: b"".join(take(value))

        def join(value: Any) -> bytes:
            return b"".join(
                part if isinstance(part := getattr(value, name), bytes) else part.to_bytes(width, "big")
                for name, width in parts
            )

        return join if entry.kind != "rid6" else lambda value: positions.join_rid6(join(value), value._is_le)


def kind_of(parsed: Any) -> str:
    """Spec and word of what a record is, `db2_dms.insert_record`: the last that one of its parts says.

    Numbers that no list has stand as `unlisted_99`.
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


def arguments_of(spec: Spec, options: Options) -> tuple[Any, ...]:
    """What options say of a spec's parameters (`generation`, `byte_order`); nothing when one is left open."""
    found = []
    for name in spec.layout.params:
        word = str(getattr(options, name, "")).replace(".", "_")
        value = next((code.value for code in spec.layout.param_codes.get(name, ()) if code.id == word), None)
        if value is None:
            return ()
        found.append(value)
    return tuple(found)


class _Fault:
    """What went wrong inside a generated parser, and where.

    Kaitai's errors name positions in the spec or nothing at all, and do not pickle.
    The place is found from the traceback: the innermost `_read` of a generated class,
    the statement it stopped at, and the object as far as it was filled.
    """

    def __init__(self, spec: Spec, error: Exception, raw: bytes) -> None:
        self.spec = spec
        self.error = error
        self.raw = raw
        steps = _steps(error.__traceback__)
        self.steps = self._until_value(steps)
        if not self.steps:
            raise error
        self._all_steps = steps
        self._parts = steps[len(self.steps) :]
        self.parsed, self.name = self.steps[-1]
        self.layout = spec.layout_of(self.parsed)
        self.field = self.layout.by_id.get(self.name)

    def _until_value(self, steps: list[tuple[KaitaiStruct, str]]) -> list[tuple[KaitaiStruct, str]]:
        """The steps down to the field that is one value; its parts are nobody's fields."""
        for number, (parsed, name) in enumerate(steps):
            entry = self.spec.layout_of(parsed).by_id.get(name)
            if entry is None or entry.kind not in ("struct", "body"):
                return steps[: number + 1]
        return steps

    @cached_property
    def offset(self) -> int | None:
        """Offset of the field in the record: from the layout, or where the parser stood."""
        total = 0
        for parsed, name in self.steps:
            entry = self.spec.layout_of(parsed).by_id.get(name)
            if entry is None or entry.offset is None or entry.repeated:
                return self._reached()
            total += entry.offset
        return total

    def _reached(self) -> int | None:
        """Where the field starts by the position of the streams; None in records that do not nest them."""
        streams = [parsed._io for parsed, _ in self.steps]
        if all(stream is streams[0] for stream in streams):
            return None
        # A stream inside another has been cut from it, which stands right behind those bytes.
        start: int = sum(outer.pos() - inner.size() for outer, inner in pairwise(streams) if inner is not outer)
        if isinstance(self.error, kaitaistruct.EndOfStreamError | EOFError):
            stream, have = streams[-1], int(getattr(self.error, "bytes_available", 0))
            # Kaitai takes what is there before it complains, but not when it is asked for 8 MiB and more.
            taken = have if stream.pos() == stream.size() else 0
            return start + int(stream.pos()) - taken - self._before
        actual = getattr(self.error, "actual", None)
        width = len(actual) if isinstance(actual, bytes) else self.field.width if self.field else None
        reached: int = start + streams[-1].pos()
        return None if width is None else reached - width

    @property
    def _before(self) -> int:
        """Bytes of the field in front of the part of it that the parser stood at."""
        return sum(self.spec.layout_of(parsed).by_id[name].offset or 0 for parsed, name in self._parts)

    @property
    def path(self) -> str:
        """The field's name, behind those of the nested records it stands in."""
        words = []
        for parsed, name in self.steps:
            entry = self.spec.layout_of(parsed).by_id.get(name)
            if entry is not None and entry.kind == "body":
                continue
            items = vars(parsed).get(name)
            words.append(
                f"{name}[{len(items)}]" if entry is not None and entry.repeated and items is not None else name
            )
        return ".".join(words)

    def completes_short_record(self) -> bool:
        """Let a record end inside an optional field: its bytes go to the `rest`, nothing is lost."""
        entry, offset = self.field, self.offset
        keeps = next((known for known in self.layout if known.kind == "rest" and known.id != "surplus"), None)
        cut = isinstance(self.error, kaitaistruct.EndOfStreamError | EOFError)
        if not (cut and entry and entry.optional and keeps and offset is not None):
            return False
        setattr(self.parsed, keeps.id, self.raw[offset:])
        for (outer, name), (inner, _) in zip(self.steps, self.steps[1:], strict=False):
            setattr(outer, name, inner)
        return True

    def attach(self) -> None:
        """Put each object that was being read where its outer one would have kept it."""
        for (outer, name), (inner, _) in pairwise(self._all_steps):
            kept = vars(outer).get(name)
            if isinstance(kept, list):
                kept.append(inner)
            else:
                setattr(outer, name, inner)

    def to_error(self) -> DataError:
        """The error to raise in place of Kaitai's."""
        error, offset = self.error, self.offset
        place: dict[str, Any] = {
            "spec": self.layout.id.split(".")[0],
            "field": self.path,
            "field_offset": offset,
            "doc_ref": self.field.doc_ref if self.field else None,
            "hex": self.raw[offset or 0 :][:32].hex().upper(),
        }
        if isinstance(error, kaitaistruct.ValidationFailedError):
            return self._invalid(error, place)
        if isinstance(error, kaitaistruct.EndOfStreamError | EOFError):
            # Counted to the end of the part of the record that the field stands in.
            have = getattr(error, "bytes_available", None)
            if have is None:
                have = None if offset is None else max(len(self.raw) - offset, 0)
            else:
                have += self._before
            width = self.field.width if self.field else None
            return RecordError(
                "the record ends inside the field", code="LMP-R001", **place,
                expected=None if width is None else f"{width} bytes", found=None if have is None else str(have),
            )  # fmt: skip
        return RecordError("a length in the record leads back behind its start", code="LMP-R002", **place)

    def _invalid(self, error: kaitaistruct.ValidationFailedError, place: dict[str, Any]) -> DataError:
        found = getattr(error, "actual", None)
        if isinstance(found, bytes):
            if self.field is not None and self.name == "surplus":
                message = f"{len(found)} bytes are left over"
                return RecordError(message, code="LMP-R003", **place | {"hex": found[:32].hex().upper()})
            found = f"X'{found.hex().upper()}'"
        if isinstance(found, KaitaiStruct):
            # What a whole part of a record is checked for: that it agrees with another part.
            return RecordError("parts of the record contradict each other", code="LMP-R002", **place)
        shown = str(int(found)) if isinstance(found, int) else str(found)
        if isinstance(error, kaitaistruct.ValidationLessThanError):
            return InvalidValueError(code="LMP-V003", expected=f"at least {error.min}", found=shown, **place)
        if isinstance(error, kaitaistruct.ValidationGreaterThanError):
            return InvalidValueError(code="LMP-V004", expected=f"at most {error.max}", found=shown, **place)
        if isinstance(error, kaitaistruct.ValidationNotEqualError):
            return InvalidValueError(code="LMP-V009", expected=str(error.expected), found=shown, **place)
        return InvalidValueError(code="LMP-V001", expected=self._allowed(), found=shown, **place)

    def _allowed(self) -> str:
        codes = self.field.codes if self.field else ()
        return "one of " + ", ".join(f"{code.text or code.value} ({code.id})" for code in codes) if codes else "a value"


def _steps(trace: TracebackType | None) -> list[tuple[KaitaiStruct, str]]:
    """The `_read` calls of generated classes, outermost first, each with the field it was at."""
    steps: list[tuple[KaitaiStruct, str]] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        parsed = trace.tb_frame.f_locals.get("self")
        if code.co_name in _READS and isinstance(parsed, KaitaiStruct):
            step = (parsed, _statement_field(trace, parsed))
            if steps and steps[-1][0] is parsed:
                steps[-1] = step  # `_read` only hands on to the one of its byte order
            else:
                steps.append(step)
        trace = trace.tb_next
    return steps


def _statement_field(trace: TracebackType, parsed: KaitaiStruct) -> str:
    line = traceback.extract_tb(trace, limit=1)[0].line or ""
    match = _ASSIGNS.match(line) or _ASKS.match(line)
    if match:
        return match.group(1).removeprefix("_raw_")  # the bytes of a part that has a length
    # A `raise` of a validation follows the assignment of its field: the last one made.
    names = [name for name in vars(parsed) if not name.startswith("_")]
    return names[-1] if names else ""
