"""Records: one record's bytes to a dict of values, through the generated parser.

The generated parser sets the meaning; this module names its faults and turns the
parsed object into plain values: int, float, str, bytes, None, and list or dict for
nested records. `to_json` gives the form that `records` prints.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from operator import attrgetter
from types import TracebackType
from typing import Any

import kaitaistruct
from kaitaistruct import KaitaiStream, KaitaiStruct

from lmparse import codepages, numeric
from lmparse.catalog import Spec
from lmparse.codepages import CodePage
from lmparse.errors import DataError, InvalidValueError, OptionError, RecordError
from lmparse.layout import Field, Layout

Values = dict[str, Any]
_Decode = Callable[[Any], Any]
_ASSIGNS = re.compile(r"self\.(\w+)(?: = |\.append\()")


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
        self.code_page = code_page or codepages.lookup("cp037")
        self._arguments = arguments
        self._plans: dict[str, list[tuple[Field, _Decode | None]]] = {}

    def parse(self, raw: bytes) -> KaitaiStruct:
        """The generated object of one record.

        Raises RecordError (LMP-R) or InvalidValueError (LMP-V) with field and offset.
        """
        parser: Any = self.spec.parser
        # Made in two steps, so that what was read before a fault is not lost with it.
        parsed: KaitaiStruct = parser.__new__(parser)
        try:
            parser.__init__(parsed, *self._arguments, KaitaiStream(BytesIO(raw)))
        except Exception as error:
            fault = _Fault(self.spec, error, raw)
            if not fault.completes_short_record():
                raise fault.to_error() from None
        return parsed

    def read(self, raw: bytes) -> Record:
        """The values of one record. Raises as `parse` does; faulty values are collected."""
        record = Record({})
        self._fill(self.parse(raw), record.values, record.faults, "", 0)
        return record

    def _fill(
        self, parsed: KaitaiStruct, values: Values, faults: list[InvalidValueError], path: str, base: int | None
    ) -> None:
        layout = self.spec.layout_of(parsed)
        for entry, decode in self._plan(layout):
            value = getattr(parsed, entry.id, None)
            offset = None if base is None or entry.offset is None else base + entry.offset
            if value is None:
                if entry.kind != "rest":
                    values[entry.id] = None
            elif entry.kind == "body":
                self._fill(value, values, faults, path, offset)
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

    def _plan(self, layout: Layout) -> list[tuple[Field, _Decode | None]]:
        plan = self._plans.get(layout.id)
        if plan is None:
            plan = self._plans[layout.id] = [(entry, self._decoder(entry)) for entry in layout]
        return plan

    def _decoder(self, entry: Field) -> _Decode | None:
        """What turns the parsed field into its value; None for nested records."""
        if entry.kind in ("struct", "body"):
            return None
        page = self._page(entry)
        if entry.kind == "char":
            return lambda raw: page.decode(raw).rstrip(" ")
        if entry.kind == "code":
            return _code_decoder(page, entry.width or 1)
        if entry.kind == "hextext":
            return lambda raw: numeric.decode_hex_text(page.decode(raw))
        if entry.kind == "decimaltext":
            return lambda raw: numeric.decode_decimal_text(page.decode(raw))
        if entry.kind == "rest":
            return lambda raw: raw or None
        take = self._raw(entry)
        if entry.kind == "timestamp17":
            return lambda value: numeric.decode_timestamp17(take(value))
        if entry.kind in ("uint", "int"):
            return int
        return take

    def _page(self, entry: Field) -> CodePage:
        if entry.codec in (None, "ebcdic"):
            return self.code_page
        return codepages.lookup(entry.codec)

    def _raw(self, entry: Field) -> _Decode:
        """What gives a field's bytes; a field of a shared type is put together from its parts."""
        if entry.type is None:
            return lambda value: value
        parts = [(part.id, part.width or 0) for part in self.spec.layouts[entry.type]]
        if all(part.kind == "bytes" for part in self.spec.layouts[entry.type]) and len(parts) > 1:
            take = attrgetter(*(name for name, _ in parts))
            return lambda value: b"".join(take(value))

        def join(value: Any) -> bytes:
            return b"".join(
                part if isinstance(part := getattr(value, name), bytes) else part.to_bytes(width, "big")
                for name, width in parts
            )

        return join


def _code_decoder(page: CodePage, width: int) -> _Decode:
    """Code fields come as integers over their characters; the text is what is shown."""
    known: dict[int, str] = {}

    def decode(value: int) -> str:
        text = known.get(value)
        if text is None:
            text = known[value] = page.decode(int(value).to_bytes(width, "big")).rstrip(" ")
        return text

    return decode


def to_json(value: Any) -> Any:
    """Values as JSON has them: bytes as upper-case hex, inner lists and dicts likewise."""
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, dict):
        return {name: item if type(item) in _PLAIN else to_json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    return value


_PLAIN = frozenset((int, str, float, bool, type(None)))
"""Types that JSON has as they are."""


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
        self.steps = self._until_value(_steps(error.__traceback__))
        if not self.steps:
            raise error
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

    @property
    def offset(self) -> int | None:
        """Offset of the field in the record, when its place is fixed."""
        total = 0
        for parsed, name in self.steps:
            entry = self.spec.layout_of(parsed).by_id.get(name)
            if entry is None or entry.offset is None or entry.repeated:
                return None
            total += entry.offset
        return total

    @property
    def path(self) -> str:
        """The field's name, behind those of the nested records it stands in."""
        words = []
        for parsed, name in self.steps:
            entry = self.spec.layout_of(parsed).by_id.get(name)
            if entry is not None and entry.kind == "body":
                continue
            items = getattr(parsed, name, None)
            words.append(
                f"{name}[{len(items)}]" if entry is not None and entry.repeated and items is not None else name
            )
        return ".".join(words)

    def completes_short_record(self) -> bool:
        """Let a record end inside an optional field: its bytes go to the `rest`, nothing is lost."""
        entry, offset = self.field, self.offset
        keeps = next((known for known in self.layout if known.kind == "rest"), None)
        cut = isinstance(self.error, kaitaistruct.EndOfStreamError | EOFError)
        if not (cut and entry and entry.optional and keeps and offset is not None):
            return False
        setattr(self.parsed, keeps.id, self.raw[offset:])
        for (outer, name), (inner, _) in zip(self.steps, self.steps[1:], strict=False):
            setattr(outer, name, inner)
        return True

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
        have = None if offset is None else len(self.raw) - offset
        if isinstance(error, kaitaistruct.EndOfStreamError | EOFError):
            width = self.field.width if self.field else None
            return RecordError(
                "the record ends inside the field", code="LMP-R001", **place,
                expected=None if width is None else f"{width} bytes", found=None if have is None else str(max(have, 0)),
            )  # fmt: skip
        return RecordError("a length in the record leads back behind its start", code="LMP-R002", **place)

    def _invalid(self, error: kaitaistruct.ValidationFailedError, place: dict[str, Any]) -> DataError:
        found = getattr(error, "actual", None)
        if isinstance(found, bytes):
            if self.field is not None and self.name == "surplus":
                message = f"{len(found)} bytes are left over"
                return RecordError(message, code="LMP-R003", **place | {"hex": found[:32].hex().upper()})
            found = f"X'{found.hex().upper()}'"
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
    steps = []
    while trace is not None:
        code = trace.tb_frame.f_code
        parsed = trace.tb_frame.f_locals.get("self")
        if code.co_name == "_read" and isinstance(parsed, KaitaiStruct):
            steps.append((parsed, _statement_field(trace, parsed)))
        trace = trace.tb_next
    return steps


def _statement_field(trace: TracebackType, parsed: KaitaiStruct) -> str:
    line = traceback.extract_tb(trace, limit=1)[0].line or ""
    match = _ASSIGNS.match(line)
    if match:
        return match.group(1)
    # A `raise` of a validation follows the assignment of its field: the last one made.
    names = [name for name in vars(parsed) if not name.startswith("_")]
    return names[-1] if names else ""
