"""Refusals: which parts of a spec only the parser can read, and why. Each refusal names a field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from lmparse.columnar import kernels
from lmparse.spec.layout import NESTED, Expression, Field, Layout
from lmparse.spec.nesting import flat, reached
from lmparse.values import zoned
from lmparse.values.codepages import CodePage, page_of_field

OF_ANY_LENGTH = ("variable", "rest", "bytes", "char", "str", *NESTED)
"""Kinds whose values may have any number of bytes."""


def refusal_of(layouts: Mapping[str, Layout], layout: Layout) -> str:
    """Why the parser reads all records of a layout: a field of every record is the parser's. Empty if it does not.

    Other fields that are the parser's leave only the records that have them to the parser.
    """
    for one in _in_all(layouts, layout, set()):
        if found := _of_layout(layouts, one):
            return found
    return ""


def refusals(layouts: Mapping[str, Layout], layout: Layout) -> dict[str, str]:
    """The layouts inside a record that only the parser can read, by id, with the reason."""
    found = {one.id: _of_layout(layouts, one) for one in reached(layouts, [layout.id]) if one.kind is None}
    return {name: why for name, why in sorted(found.items()) if why}


def column_reasons(layouts: Mapping[str, Layout], layout: Layout, page: CodePage) -> dict[str, str]:
    """Why the parser must read the records if a column is requested, by name of the column."""
    own: dict[str, dict[str, str]] = {}
    """Reasons by layout id and column; layouts without a reason are left out."""
    for one in reached(layouts, [layout.id]):
        found = {entry.id: _of_value(one, entry, page) for entry in one.columns}
        if any(found.values()):
            own[one.id] = {name: why for name, why in found.items() if why}
    reasons: dict[str, str] = {}
    for entry in flat(layouts, layout) if own else ():
        inside = [name for name in (entry.type, *entry.cases) if name is not None and entry.kind in NESTED]
        deep = (why for one in reached(layouts, inside) for why in own.get(one.id, {}).values())
        owners = (
            found[entry.id] for name, found in own.items() if entry.id in found and entry in layouts[name].columns
        )
        why = next(chain(deep, owners), "")
        if why:
            reasons[entry.id] = why
    return reasons


def _in_all(layouts: Mapping[str, Layout], layout: Layout, seen: set[str]) -> Iterator[Layout]:
    """Yield a layout, and the layouts of the fields that every record of this layout has."""
    if layout.id in seen:
        return
    seen.add(layout.id)
    yield layout
    for entry in layout:
        if entry.kind in NESTED and entry.type is not None and not (entry.conditional or entry.repeated):
            yield from _in_all(layouts, layouts[entry.type], seen)


def _of_layout(layouts: Mapping[str, Layout], layout: Layout) -> str:
    if why := unread(layout.little):
        return f"its byte order depends on {why}"
    always = (entry for entry in layout if entry.is_instance or not entry.conditional)
    found = ((entry, _of_field(layouts, entry)) for entry in always)
    return next((f"{entry.id}: {why}" for entry, why in found if why), "")


def _of_field(layouts: Mapping[str, Layout], entry: Field) -> str:
    """Why only the parser can find the bytes of a field; empty if not so."""
    if unread(entry.restore) or (entry.restore is not None and entry.ending is not None):
        return f"only the parser can restore {entry.process}"
    if entry.ending is not None and len(entry.ending.terminator or b" ") != 1:
        return "its terminator has several bytes"
    own = entry.condition, entry.size, entry.items, entry.switch_on, entry.pos, entry.io
    expressions = (*own, *entry.arguments, *entry.demands)
    for one in (*expressions, *(part for case in entry.switch for part in (case.key, *case.arguments))):
        if why := unread(one):
            return f"only the parser can evaluate {why}"
    is_stated = entry.size is None or (isinstance(entry.size, int) and not isinstance(entry.size, bool))
    if entry.ending is not None or entry.process == "zlib" or (entry.width is None and not is_stated):
        is_stated = False
    if not is_stated and entry.kind not in OF_ANY_LENGTH and not entry.switch:
        return f"its length depends on the data, and it is {entry.kind}"
    parts = layouts[entry.type] if entry.type is not None and entry.kind not in NESTED else ()
    if any(one.demands or one.minimum is not None or one.maximum is not None or one.width is None for one in parts):
        return "only the parser can check its parts"
    return ""


def _of_value(layout: Layout, entry: Field, page: CodePage) -> str:
    """Why only the parser can convert the bytes of a field to a value, or calculate it; empty if not so."""
    if entry.id in layout.computed and entry.id not in layout.by_id:
        computed = layout.computed[entry.id]
        why = unread(computed.value) or unread(computed.condition)
        if entry.kind == "any":
            return "the data decide its type"
        return f"only the parser can evaluate {why}" if why else ""
    if entry.kind in ("char", "code", "hextext", "decimaltext"):
        return kernels.text_refusal(page_of_field(entry, page))
    if entry.kind.startswith("zoned") and zoned.maybe_zones(page_of_field(entry, page)) is None:
        return f"there is no kernel for {entry.kind} in {page_of_field(entry, page).name}"
    return ""


def unread(expression: Expression) -> str:
    """The text of the part of an expression that only the parser can evaluate; empty if there is none."""
    if not isinstance(expression, tuple):
        return ""
    if expression[0] == "unread":
        return str(expression[1])
    return next(filter(None, map(unread, expression[1:])), "")
