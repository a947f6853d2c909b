"""Places: where a debug parser found the fields of a record, up to the place where the parser stopped.

Layouts have the places of fields up to the first part of varying length. Behind it, only the parser knows where a field
begins; debug parsers note the places in `_debug` of each object.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from kaitaistruct import KaitaiStruct

Place = tuple[int, int | None]
"""Offsets in the stream of the first byte of a field, and of the byte behind its last byte. The second offset is None
if the parser stopped inside the field."""
_INSTANCE = "_m_"
"""Prefix of the attribute of an instance; the parser reads an instance on first use."""


class InstanceError(Exception):
    """An error of a generated parser in an instance; instances are read after the fields of the record."""

    def __init__(self, steps: list[FieldStep], error: Exception) -> None:
        super().__init__(steps, error)
        self.steps = steps
        """The path to the instance, as from `steps_to_end`."""
        self.error = error


def places_of(parsed: Any, name: str) -> list[Place]:
    """The places of a field: one place, or one for each item of a list; empty if the field is absent."""
    key = name if name in parsed._debug else _INSTANCE + name
    noted = parsed._debug.get(key)
    if not noted or ("end" not in noted and _last(parsed._debug) != key):
        return []
    value = value_of(parsed, name)
    items = value or [] if "arr" in noted else [value]
    places = [
        (_start(place["start"], item, parsed._io), place.get("end"))
        for place, item in zip_longest(noted.get("arr", (noted,)), items)
    ]
    last = items[-1] if items else value
    if places and places[-1][1] is None and isinstance(last, KaitaiStruct) and last._io is not parsed._io:
        places[-1] = places[-1][0], parsed._io.pos()  # the bytes of the field are complete
    return places


def _start(start: int, value: Any, stream: Any) -> int:
    """Where a field begins. A type of bit fields may begin within the last byte of the field in front of it."""
    while isinstance(value, KaitaiStruct) and value._io is stream:
        name, noted = next(iter(value._debug.items()), ("", dict[str, Any]()))
        noted = (noted.get("arr") or [noted])[0]
        start = min(start, noted.get("start", start))
        value = vars(value).get(name)
        value = value[0] if isinstance(value, list) and value else value
    return start


def value_of(parsed: Any, name: str) -> Any:
    """The parsed value of a field; None if the field was not read, such as an instance behind a fault."""
    known = vars(parsed)
    return known[name] if name in known else known.get(_INSTANCE + name)


@dataclass(frozen=True, slots=True)
class FieldStep:
    """The field in which a parser stopped, or the last field that the parser read."""

    parsed: Any
    """The object that has the field."""
    name: str
    """Name of the field; empty if the parser stopped in front of the first field."""
    start: int
    """Bytes from the start of the record to the field, or to the item of a list."""
    index: int | None
    """Number of the list item in which the parser stopped; None for a field that is not a list."""


def steps_to_end(parsed: Any) -> list[FieldStep]:
    """The path to the place where a debug parser stopped; one step for each object."""
    steps: list[FieldStep] = []
    base = 0
    while True:
        key = _last(parsed._debug)
        noted, value = parsed._debug.get(key, {}), vars(parsed).get(key)
        items = noted.get("arr")
        if items:
            noted, value = items[-1], value[-1] if value else None
        # A field whose condition has no value begins behind the last field that was read.
        ends = (one["end"] for name, one in parsed._debug.items() if "end" in one and not name.startswith(_INSTANCE))
        start = base + (noted["start"] if noted else max(ends, default=0))
        # Take the item begun last; if that item has ended, the fault is in its value.
        index = None if items is None else max(len(items) - 1, 0)
        steps.append(FieldStep(parsed, key.removeprefix(_INSTANCE), start, index))
        if "end" in noted or not isinstance(value, KaitaiStruct):
            return steps
        if value._io is not parsed._io:
            base = start
        parsed = value


def _last(noted: dict[str, dict[str, Any]]) -> str:
    """The field begun last, or the instance that the parser was reading for the field."""
    names = (name for name, place in reversed(noted.items()) if "end" not in place or not name.startswith(_INSTANCE))
    return next(names, "")
