"""What the pages call documented, with the lines of the manuals' tables beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lmparse.review.docs.conformance import Conformance, compare
from lmparse.spec.layout import Code, Field, Layout


@dataclass(frozen=True)
class Statement:
    """What the pages call documented about one field."""

    name: str
    field: Field
    printed: tuple[str, ...]
    """Lines of tables about it: source, name, type, offset and length of the manual."""


def documented(layouts: Mapping[str, Layout]) -> list[Statement]:
    """All documented fields with bytes of their own, by their names."""
    compared = compare(layouts)
    return [
        Statement(
            f"{layout.id}.{entry.id}",
            entry,
            tuple(_printed(compared, layout, entry)),
        )
        for layout in sorted(layouts.values(), key=lambda one: one.id)
        for entry in layout
        if entry.status == "documented" and entry.kind != "body"
    ]  # fmt: skip


def _printed(compared: Conformance, layout: Layout, entry: Field) -> Iterator[str]:
    for row in compared.rows:
        if row.line is None or row.field is None:
            continue
        line = row.line
        within = (line.spec, line.record, line.id.partition(".")[0]) == (*f"{layout.id}.".split(".")[:2], entry.id)
        if (row.layout, row.field.id) == (layout.id, entry.id) or within:
            yield f"{line.source}: {line.vendor_name} | {line.type} | {line.offset}({line.length}): {row.verdict}"


def without_field(layouts: Mapping[str, Layout]) -> list[tuple[Layout, str, tuple[Code, ...]]]:
    """The enumerations that no field has: of kinds of records, single bits, parameters, instances."""
    of_fields = {_members(entry.codes) for layout in layouts.values() for entry in layout}
    return [
        (layout, enum, codes)
        for layout in sorted(layouts.values(), key=lambda one: one.id)
        for enum, codes in layout.enums.items()
        if _members(codes) not in of_fields
    ]


def _members(codes: Sequence[Code]) -> frozenset[tuple[int, str]]:
    return frozenset((code.value, code.id) for code in codes)
