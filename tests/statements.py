"""What the pages call documented, with the lines of the manuals' tables beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lmparse.review.docs.conformance import Conformance, compare
from lmparse.spec.layout import Field, Layout


@dataclass(frozen=True)
class Statement:
    """What the pages call documented about one field."""

    name: str
    field: Field
    printed: tuple[str, ...]
    """Lines of tables about it: source, name, type, offset and length of the manual."""
    values: tuple[str, ...]
    """Its listed values that a manual has, in the words of the manual."""


def documented(layouts: Mapping[str, Layout]) -> list[Statement]:
    """All documented fields with bytes of their own, by their names."""
    compared = compare(layouts)
    return [
        Statement(
            f"{layout.id}.{entry.id}",
            entry,
            tuple(_printed(compared, layout, entry)),
            tuple(_values(compared, layout, entry)),
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


def _values(compared: Conformance, layout: Layout, entry: Field) -> Iterator[str]:
    for table in compared.values:
        if (table.layout, table.field_id) == (layout.id, entry.id):
            for row in table.rows:
                yield f"{row.value!r}: {row.printed} | {row.code.doc if row.code else None} ({row.verdict})"
