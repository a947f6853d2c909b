"""Record ends: where a record ends in bytes that begin with it, as its parser knows, and on what that depends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from lmparse.framing.length_field import Cutter
from lmparse.framing.parsed import parsed_cutter
from lmparse.limits import Limits
from lmparse.records.reader import RecordReader
from lmparse.spec import step_budget
from lmparse.spec.layout import Expression, Layout
from lmparse.spec.nesting import reached, types_of

_WORDS = re.compile(r"[A-Za-z_]\w*").findall


def record_end(reader: RecordReader, raw: bytes) -> int:
    """Where the record ends that bytes begin with. Raises as `RecordReader.parse` does."""
    stream = reader.stream(raw)
    step_budget.begin(reader.limits, len(raw))
    try:
        reader.spec.parser(*reader.arguments, stream, *reader.around)
    except Exception:
        fault = reader.parse_noting_places(raw)[1]
        if fault is None:  # a record that may end inside its last field has all bytes
            return len(raw)
        raise fault from None
    finally:
        step_budget.end()
    end: int = stream.pos()
    return end


def cutter_by_parser(reader: RecordReader, limits: Limits) -> Cutter:
    """The cutter of records that end where their spec ends."""
    takes_rest = "_io" in words_in(reader.spec.layouts, reader.spec.layout)
    return parsed_cutter(lambda raw: record_end(reader, raw), limits, takes_rest=takes_rest)


def words_in(layouts: Mapping[str, Layout], layout: Layout) -> frozenset[str]:
    """The names in all expressions of a record."""
    return frozenset(word for one in reached(layouts, [layout.id]) for word in own_words(one))


def own_words(layout: Layout) -> Iterator[str]:
    """The names in the expressions of a layout, each as often as it is there."""
    for entry in (*layout.fields, *layout.calculated):
        found = (entry.condition, entry.size, entry.items, entry.switch_on, *entry.arguments, *entry.demands)
        for expression in (*found, *(one for case in entry.switch for one in (case.key, *case.arguments))):
            yield from _names(expression)
        yield from _WORDS(f"{entry.checks} {entry.stream}")
    for one in layout.computed.values():
        yield from (*_names(one.value), *_names(one.condition))
    yield from _names(layout.little)


def _names(expression: Expression) -> Iterator[str]:
    match expression:
        case ("unread", text):
            yield from _WORDS(text)
        case ("name", name):
            yield name
        case ("get", inner, name):
            yield from (*_names(inner), name)
        case (_, *inside):
            for one in inside:
                yield from _names(one)


def of_stream(layouts: Mapping[str, Layout], layout: Layout, above: frozenset[str] = frozenset()) -> str:
    """Why a record depends on the bytes around it, and not on its own alone; empty if it does not.

    What has a size of its own has a stream of its own, and is not looked at.
    """
    if any(word == "_io" and before not in ("_root", "_parent") for before, word in pairwise(("", *own_words(layout)))):
        return "it asks for its place in the file (_io)"
    for entry in layout:
        if entry.size == ("rest",) or entry.items == ("rest",) or entry.kind == "rest" or entry.optional:
            return f"{entry.id}: has all bytes that are left"
        if entry.is_instance and not entry.stream:
            return f"{entry.id}: is at a position"
        for name in types_of(entry) if entry.size is None else ():
            if name not in above and (why := of_stream(layouts, layouts[name], above | {layout.id, name})):
                return why
    if any(one.width for one in layout.computed.values()):
        return "it looks at bytes ahead"
    return ""
