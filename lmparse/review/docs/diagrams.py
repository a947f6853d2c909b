"""Spec diagrams: the fields of a layout as boxes in rows of bytes, for a template that draws them as a grid.

Bytes run from left to right up to the first field without a fixed offset. The fields from there on follow in their
order, each in a box of about its width.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from lmparse.review.docs.rows import LayoutSection
from lmparse.spec.layout import Field

WIDE, NARROW = 16, 8
"""Bytes in a row: on a desk or on paper, and on a phone."""
VARYING = 6
"""Width of the box of a field of unknown length, in bytes."""


@dataclass(frozen=True, slots=True)
class BoxPart:
    """A field, or a part of one that continues in the next row."""

    number: int
    """Number of the field in its layout."""
    column: int
    """Number of its first byte in the row."""
    span: int
    """Width in bytes."""
    name: str = ""
    """The vendor's name of the field, else its id; empty where another part has it."""
    place: str = ""
    """Offset of the field, in its first part."""
    href: str = ""
    label: str = ""
    """Names, place and length in words."""
    style: str = ""
    """`coded`, `nested`, `opaque` or `plain`, with `varies` where place or length depend on the data."""
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class DiagramRow:
    """A row of bytes, and the boxes in it."""

    offset: int | None
    """Offset of its first byte; None for fields without a fixed place."""
    parts: tuple[BoxPart, ...]
    is_gap: bool = False
    """Whether it stands for several rows inside one field."""


@dataclass(frozen=True, slots=True)
class _Strip:
    """The bytes of a field: its number, its first byte, and the byte behind its last one."""

    number: int
    start: int
    stop: int


class Diagram:
    """The drawing of a layout that has fields, with `most` bytes in a row."""

    def __init__(self, section: LayoutSection, most: int = WIDE) -> None:
        self._entries = section.layout.fields
        self._most = most
        fixed, loose = self._strips()
        reach = max((strip.stop for strip in fixed), default=0)
        is_wide = bool(loose) or any(entry.width is None for entry in self._entries)
        self.bytes = most if is_wide else max(1, min(most, reach))
        """Bytes in a row."""
        self.has_ruler = bool(fixed)
        """Whether its columns are numbered."""
        self.title = f"Bytes of {section.layout.id}"
        rows = [*self._fixed_rows(fixed, reach), *self._loose_rows(loose)]
        self.rows = tuple(self._named(rows, [f"#{row.anchor}" for row in section.rows]))

    def _strips(self) -> tuple[list[_Strip], list[int]]:
        """Fields with a fixed place, and the numbers of the fields behind them."""
        fixed: list[_Strip] = []
        loose: list[int] = []
        reached = 0
        for number, entry in enumerate(self._entries):
            if entry.offset is None or loose or entry.offset < reached:
                loose.append(number)
                continue
            stop = entry.offset + (entry.width or 0)
            if entry.width is None:  # it takes the rest of its row
                stop = entry.offset + self._most - entry.offset % self._most
            if stop > entry.offset:
                fixed.append(_Strip(number, entry.offset, stop))
            reached = stop
        return fixed, loose

    def _fixed_rows(self, fixed: list[_Strip], reach: int) -> Iterator[DiagramRow]:
        """The rows of bytes. Several rows inside one field become one gap."""
        row, last = 0, (reach - 1) // self.bytes if fixed else -1
        while row <= last:
            first, behind = row * self.bytes, (row + 1) * self.bytes
            inside = [strip for strip in fixed if strip.start < behind and strip.stop > first]
            until = min(last, (inside[0].stop - 1) // self.bytes) if inside else row
            if len(inside) == 1 and inside[0].start < first and until - row > 1:
                name = f"… to byte {until * self.bytes - 1}"
                yield DiagramRow(first, (BoxPart(inside[0].number, 0, self.bytes, name),), is_gap=True)
                row = until
                continue
            parts = []
            for strip in inside:
                start, stop = max(strip.start, first), min(strip.stop, behind)
                parts.append(BoxPart(strip.number, start - first, stop - start, is_first=strip.start >= first))
            yield DiagramRow(first, tuple(parts))
            row += 1

    def _loose_rows(self, loose: Iterable[int]) -> Iterator[DiagramRow]:
        """The rows of fields without a fixed place, in their order."""
        parts: list[BoxPart] = []
        taken = 0
        for number in loose:
            entry = self._entries[number]
            width = self.bytes if entry.kind == "body" else min(self.bytes, max(2, entry.width or VARYING))
            if taken + width > self.bytes:
                yield DiagramRow(None, tuple(parts))
                parts, taken = [], 0
            parts.append(BoxPart(number, taken, width, is_first=True))
            taken += width
        if parts:
            yield DiagramRow(None, tuple(parts))

    def _named(self, rows: list[DiagramRow], hrefs: list[str]) -> Iterator[DiagramRow]:
        """The rows with links and words; each name is in the widest part of its field."""
        widest: dict[int, BoxPart] = {}
        for part in (part for row in rows if not row.is_gap for part in row.parts):
            if part.number not in widest or part.span > widest[part.number].span:
                widest[part.number] = part
        for row in rows:
            parts = []
            for part in row.parts:
                entry = self._entries[part.number]
                name = (entry.orig_id or entry.id) if widest.get(part.number) is part else part.name
                place = str(entry.offset) if part.is_first and entry.offset is not None else ""
                parts.append(
                    replace(
                        part, name=name, place=place, href=hrefs[part.number], label=label(entry), style=_style(entry)
                    )
                )
            yield replace(row, parts=tuple(parts))


def drawings(section: LayoutSection) -> list[tuple[str, Diagram]]:
    """The drawings of a layout by the screens that they are for: `any`, or `wide` and `narrow`."""
    wide = Diagram(section)
    if wide.bytes <= NARROW:
        return [("any", wide)]
    return [("wide", wide), ("narrow", Diagram(section, NARROW))]


def label(entry: Field) -> str:
    """A field with its place and length in words."""
    name = f"{entry.orig_id}, {entry.id}" if entry.orig_id else entry.id
    length = "as long as the data says" if entry.width is None else f"{entry.width} byte{'s' * (entry.width != 1)}"
    if entry.offset is None:
        return f"{name}: {length}, behind the field before it"
    if entry.width is None:
        return f"{name}: from byte {entry.offset}, {length}"
    if entry.width < 2:
        return f"{name}: byte {entry.offset}"
    return f"{name}: bytes {entry.offset} to {entry.offset + entry.width - 1}"


def _style(entry: Field) -> str:
    style = "plain"
    if entry.codes:
        style = "coded"
    elif entry.type or entry.cases:
        style = "nested"
    elif entry.kind in ("bytes", "variable", "rest"):
        style = "opaque"
    is_fixed = entry.offset is not None and entry.width is not None
    return style if is_fixed and not entry.optional and not entry.conditional else f"{style} varies"
