"""Faults: errors of generated parsers, converted to errors that name field, offset and expected value."""

from __future__ import annotations

from collections.abc import Container
from functools import cached_property
from typing import Any

import kaitaistruct
from kaitaistruct import KaitaiStruct

from lmparse.errors import DataError, InvalidValueError, LimitError, RecordError
from lmparse.records.places import FieldStep, InstanceError, steps_to_end
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import NESTED, Field, Layout
from lmparse.spec.step_budget import RestoreError


class Fault:
    """An error of a generated parser, and the place of the error in the record.

    Kaitai's errors name a position in the spec or nothing, and cannot be pickled. The positions noted by the debug
    parser and the partly filled object give the place.
    """

    def __init__(self, spec: Spec, parsed: KaitaiStruct, error: Exception, raw: bytes) -> None:
        self.spec = spec
        self.error = error.error if isinstance(error, InstanceError) else error
        self.raw = raw
        steps = error.steps if isinstance(error, InstanceError) else steps_to_end(parsed)
        # End at the first field that is one value, because parts of a value are not fields.
        known = (self._known(step)[1] for step in steps)
        values = (number for number, entry in enumerate(known, 1) if entry is None or entry.kind not in NESTED)
        self.steps = steps[: next(values, len(steps))]
        self._before = steps[-1].start - self.steps[-1].start
        """Bytes of the field in front of the part in which the parser stopped."""
        self.layout, self.field = self._known(self.steps[-1])

    def _known(self, step: FieldStep) -> tuple[Layout, Field | None]:
        layout = self.spec.layout_of(step.parsed)
        return layout, layout.by_id.get(step.name)

    @cached_property
    def offset(self) -> int | None:
        """Offset of the field in the record; None if the offset is unknown.

        The layouts give the offset. The parser gives the offset in records with nested streams, and where an optional
        field in front is absent: other headers follow a header that ends early. Unpacked bytes, and instances in a
        stream of their own, have no offset in the record.
        """
        if any(entry is not None and entry.process == "zlib" for _, entry in map(self._known, self.steps[:-1])):
            return None
        total = 0
        for step in self.steps:
            layout, entry = self._known(step)
            if entry is not None and entry.is_instance:
                is_whole = step.parsed._io is self.steps[0].parsed._io
                return entry.offset if is_whole and step is self.steps[-1] else None
            if entry is not None and _is_moved(layout, entry, vars(step.parsed)):
                # If a size is negative, the parser stopped in front of the field.
                is_known = self._is_measured or isinstance(self.error, kaitaistruct.InvalidArgumentError)
                return self.steps[-1].start if is_known else None
            if entry is None or entry.offset is None or entry.repeated:
                is_nested = any(one.parsed._io is not self.steps[0].parsed._io for one in self.steps)
                return self.steps[-1].start if is_nested and self._is_measured else None
            total += entry.offset
        return total

    @property
    def _is_measured(self) -> bool:
        """Whether the width of the field or its bytes are known."""
        has_bytes = self._is_cut or isinstance(getattr(self.error, "actual", None), bytes)
        return has_bytes or (self.field is not None and self.field.width is not None)

    @property
    def _is_cut(self) -> bool:
        return isinstance(self.error, kaitaistruct.EndOfStreamError | EOFError)

    @property
    def path(self) -> str:
        """Names of the fields around the field, and its own name: `images[0].row`."""
        words = []
        for step in self.steps:
            _, entry = self._known(step)
            if entry is None or entry.kind != "body":
                words.append(step.name if step.index is None else f"{step.name}[{step.index}]")
        return ".".join(filter(None, words))  # the name is empty if the parser stopped in front of the first field

    @property
    def _repeated_idly(self) -> str:
        """The path of the first repeated field if its last item that was read has no bytes; otherwise empty."""
        words = []
        for step in self.steps:
            words.append(step.name)
            items = step.parsed._debug.get(step.name, {}).get("arr")
            if items is not None:
                ended = [item for item in items[-2:] if "end" in item]
                return "" if ended and ended[-1]["start"] < ended[-1]["end"] else ".".join(words)
        return ""

    def completes_short_record(self) -> bool:
        """Whether the record only ends inside an optional field; if so, `rest` gets the bytes of the field."""
        entry, offset = self.field, self.offset
        if not (self._is_cut and entry and entry.optional and offset is not None and self._is_at_end_of_record):
            return False
        if entry.ending is not None and entry.size is None and entry.width is None:
            return False  # the terminator is missing, wherever the record ends
        keeps = next(
            (known for known in _behind(self.layout, entry) if known.kind == "rest" and known.id != "surplus"), None
        )
        if keeps is None:
            return False
        known = vars(self.steps[-1].parsed)
        known.pop(entry.id, None)
        known[keeps.id] = self.raw[offset:]
        return True

    @property
    def _is_at_end_of_record(self) -> bool:
        """Whether the parser stopped at the end of the whole record, and no later field needs bytes."""
        for number, step in enumerate(self.steps):
            _, entry = self._known(step)
            if entry is None or entry.is_instance or (entry.process and number < len(self.steps) - 1):
                return False
            if entry.repeated and (number == len(self.steps) - 1 or entry.items != ("rest",)):
                return False
        last = self.steps[-1]
        begin = last.start - last.parsed._debug[last.name]["start"]
        is_last = bool(begin + last.parsed._io.size() == len(self.raw))
        return is_last and all(
            _takes_any(entry)
            for step in self.steps
            for layout in (self.spec.layout_of(step.parsed),)
            for entry in _behind(layout, layout[step.name])
        )

    def to_error(self) -> DataError:
        """The error that replaces Kaitai's error."""
        error, offset = self.error, self.offset
        place: dict[str, Any] = {
            "spec": self.layout.id.split(".")[0],
            "field": self.path,
            "field_offset": offset,
            "doc_ref": self.field.doc_ref if self.field else None,
            "hex": self.raw[offset or 0 :][:32].hex().upper(),
        }
        if isinstance(error, LimitError) and error.code == "LMP-L007" and (field := self._repeated_idly):
            return RecordError(
                "its items take no bytes, and there are too many of them", code="LMP-R009",
                **place | {"field": field, "field_offset": None},
            )  # fmt: skip
        if isinstance(error, LimitError):
            return error.at(**place)
        if isinstance(error, kaitaistruct.ValidationFailedError):
            return self._invalid(error, place)
        if isinstance(error, kaitaistruct.NoTerminatorFoundError):
            last = self.steps[-1]
            start = last.parsed._debug.get(last.name, {}).get("start")  # None of an instance, which may be anywhere
            return RecordError(
                "the record ends inside the field", code="LMP-R001", **place,
                expected=f"a terminator, X'{error.term.hex().upper()}'",
                found="none" if start is None else f"none in {last.parsed._io.size() - start} bytes",
            )  # fmt: skip
        if self._is_cut:
            # Count the bytes up to the end of the part that contains the field.
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
        return self._of_expression(place)

    def _of_expression(self, place: dict[str, Any]) -> DataError:
        """The error for causes other than the bytes of the field alone, such as an expression without a value."""
        error = self.error
        if isinstance(error, UnicodeDecodeError):
            bytes_ = bytes(error.object[error.start : error.end])
            return RecordError(
                "the text is not in its encoding", code="LMP-R010",
                **place | {"expected": error.encoding, "found": f"X'{bytes_.hex().upper()}' at byte {error.start}"},
            )  # fmt: skip
        if isinstance(error, UnicodeError):  # some codecs, such as idna, name no bytes
            return RecordError(f"the text is not in its encoding: {_shown(error)}", code="LMP-R010", **place)
        if isinstance(error, RestoreError):
            return RecordError(f"the bytes cannot be restored: {error}", code="LMP-R011", **place)
        if isinstance(error, kaitaistruct.UndecidedEndiannessError):
            return RecordError("no case decides the byte order", code="LMP-R013", **place)
        if isinstance(error, RecursionError):
            field = self.path.partition(".")[0]
            return RecordError("it is nested too deeply", code="LMP-R014", **place | {"field": field})
        if isinstance(error, kaitaistruct.InvalidArgumentError):
            return RecordError("a length in the record leads back behind its start", code="LMP-R002", **place)
        return RecordError(f"an expression has no value: {_without_value(error)}", code="LMP-R012", **place)

    def _invalid(self, error: kaitaistruct.ValidationFailedError, place: dict[str, Any]) -> DataError:
        found = getattr(error, "actual", None)
        if isinstance(found, bytes):
            if self.steps[-1].name == "surplus":
                message = f"{len(found)} bytes are left over"
                return RecordError(message, code="LMP-R003", **place | {"hex": found[:32].hex().upper()})
            found = f"X'{found.hex().upper()}'"
        if isinstance(found, KaitaiStruct):
            # Whole parts of records are checked only for agreement with other parts.
            return RecordError("parts of the record contradict each other", code="LMP-R002", **place)
        shown = _shown(int(found) if isinstance(found, int) else found)
        if isinstance(error, kaitaistruct.ValidationLessThanError):
            return InvalidValueError(code="LMP-V003", expected=f"at least {_shown(error.min)}", found=shown, **place)
        if isinstance(error, kaitaistruct.ValidationGreaterThanError):
            return InvalidValueError(code="LMP-V004", expected=f"at most {_shown(error.max)}", found=shown, **place)
        if isinstance(error, kaitaistruct.ValidationNotEqualError):
            return InvalidValueError(code="LMP-V009", expected=_shown(error.expected), found=shown, **place)
        return InvalidValueError(code="LMP-V001", expected=self._allowed(), found=shown, **place)

    def _allowed(self) -> str:
        """The values that `valid` allows by `any-of`, `expr` or `in-enum`, in words."""
        key, _, text = (self.field.checks if self.field else "").partition(": ")
        if key == "expr":
            return f"a value for which {text} holds"
        codes = {code.id: f"{code.text or code.value} ({code.id})" for code in (self.field.codes if self.field else ())}
        listed = text.strip("[]").replace("'", "").split(", ") if key == "any-of" else codes
        return "one of " + ", ".join(codes.get(one.rpartition("::")[2], one) for one in listed)


def without_value(layout: Layout, path: str, error: Exception) -> InvalidValueError:
    """The error LMP-R012 for a calculated value whose expression has no value."""
    text = f"an expression has no value: {_without_value(error)}"
    return InvalidValueError(text, code="LMP-R012", spec=layout.id.split(".")[0], field=path)


def _behind(layout: Layout, entry: Field) -> list[Field]:
    """The fields of a layout behind a field."""
    found = [one for one in layout if not one.is_instance]
    return found[found.index(entry) + 1 :]


def _takes_any(entry: Field) -> bool:
    """Whether a field needs no bytes at the end of a record: it is optional, or takes all remaining bytes."""
    is_bytes = entry.kind in ("variable", "char") and not (entry.checks or entry.conditional or entry.repeated)
    return entry.optional or entry.kind == "rest" or (is_bytes and entry.size == ("rest",))


def _is_moved(layout: Layout, entry: Field, known: Container[str]) -> bool:
    """Whether a field may be away from its offset in the layout, because an optional field in front of it is absent."""
    if entry.is_instance:
        return False
    in_front = layout.fields[: layout.fields.index(entry)]
    return any(one.optional and one.id not in known for one in in_front if not one.is_instance)


def _shown(value: object) -> str:
    """A text that every output can encode; a lone surrogate, possible in UTF-7, is shown by its number."""
    return str(value).encode("utf-8", "backslashreplace").decode()


def _without_value(error: Exception) -> str:
    """Why an expression has no value, in words of specs; Python's messages name internal variables."""
    if isinstance(error, AttributeError) and error.name:
        return f"the record has no {error.name.removeprefix('_m_')} there"
    if isinstance(error, ZeroDivisionError):
        return "a division by zero"
    if isinstance(error, UnboundLocalError):  # of `_`, the last item that was read
        return "no case of the switch applies, so there is no item"
    if isinstance(error, IndexError) and str(error).endswith("index out of range"):  # Python's own, also of .last
        return "there is no such item, since there are fewer"
    if isinstance(error, IndexError):
        return str(error)
    return f"{type(error).__name__}: {_shown(error)}"
