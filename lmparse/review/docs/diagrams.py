"""Spec diagrams: the fields of a layout as boxes in rows of bytes, for a template that draws them as a grid.

Bytes run from left to right up to the first field without a fixed offset. The fields from there on follow in their
order, each in a box of about its width.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lmparse.spec.layout import Field, Layout

WIDE, NARROW = 16, 8
"""Bytes in a row: on a desk or on paper, and on a phone."""
VARYING, _LETTERS = 6, 8
"""Width of the box of a field of unknown length, in bytes; letters of a name for each byte of a box, but for two."""


@dataclass
class Box:
    """A field, or a part of one that continues in the next row."""

    field: Field
    anchor: str
    """Of the row of the field in its table."""
    column: int
    """Number of its first byte in the row."""
    span: int
    """Width in bytes."""
    is_first: bool
    """Whether the field begins in it."""
    rows: str = ""
    """What is said of rows that are left out."""

    @property
    def name(self) -> str:
        """The vendor's name of the field, else its id."""
        return self.field.orig_id or self.field.id

    @property
    def has_room(self) -> bool:
        """Whether its name fits in without a break inside a word."""
        return max(map(len, re.split("[ _-]", self.name))) < _LETTERS * self.span - 1 > len(self.name) / 3

    @property
    def label(self) -> str:
        """The field with its place and length in words."""
        entry = self.field
        name = f"{entry.orig_id}, {entry.id}" if entry.orig_id else entry.id
        length = "as long as the data says" if entry.width is None else f"{entry.width} byte{'s' * (entry.width != 1)}"
        if entry.offset is None:
            return f"{name}: {length}, behind the field before it"
        if entry.width is None:
            return f"{name}: from byte {entry.offset}, {length}"
        last = entry.offset + entry.width - 1
        return f"{name}: byte {entry.offset}" if entry.width < 2 else f"{name}: bytes {entry.offset} to {last}"

    @property
    def style(self) -> str:
        """`coded`, `nested`, `opaque` or `plain`, with `varies` where place or length depend on the data."""
        entry = self.field
        plain = "opaque" if entry.kind in ("bytes", "variable", "rest") else "plain"
        style = "coded" if entry.codes else "nested" if entry.type or entry.cases else plain
        is_fixed = entry.offset is not None and entry.width is not None
        return style if is_fixed and not entry.optional and not entry.conditional else f"{style} varies"


@dataclass(frozen=True)
class ByteRow:
    """A row of bytes, and the boxes in it."""

    offset: int | None
    """Offset of its first byte; None for fields without a fixed place."""
    boxes: list[Box]
    is_gap: bool = False
    """Whether it stands for several rows inside one field."""


class Diagram:
    """The drawing of a layout that has fields, with `most` bytes in a row; `anchors` are those of the fields."""

    def __init__(self, layout: Layout, anchors: Sequence[str], most: int = WIDE) -> None:
        self._boxes: list[tuple[Field, str, int, int]] = []  # field, anchor, first byte, byte behind the last one
        loose: list[tuple[Field, str]] = []
        reached = 0
        for entry, anchor in zip(layout.fields, anchors, strict=True):
            if entry.offset is None or loose or entry.offset < reached:
                loose.append((entry, anchor))
                continue
            # A field of unknown length takes the rest of its row.
            reached = entry.offset + (most - entry.offset % most if entry.width is None else entry.width)
            if reached > entry.offset:
                self._boxes.append((entry, anchor, entry.offset, reached))
        self.bytes = most if loose or any(entry.width is None for entry in layout) else max(1, min(most, reached))
        """Bytes in a row."""
        self.rows = [*self._fixed_rows(), *self._loose_rows(loose)]

    def _fixed_rows(self) -> Iterator[ByteRow]:
        """The rows of bytes. Several rows inside one field become one gap."""
        end = max((stop for *_, stop in self._boxes), default=0)
        first = 0
        while first < end:
            behind = first + self.bytes
            inside = [box for box in self._boxes if box[2] < behind and box[3] > first]
            last = (inside[0][3] - 1) // self.bytes * self.bytes if len(inside) == 1 else 0
            if len(inside) == 1 and inside[0][2] < first and last > behind:
                entry, anchor, *_ = inside[0]
                yield ByteRow(first, [Box(entry, anchor, 0, self.bytes, False, f"to byte {last - 1}")], is_gap=True)
                behind = last
            else:
                yield ByteRow(first, [
                    Box(entry, anchor, max(start, first) - first, min(stop, behind) - max(start, first), start >= first)
                    for entry, anchor, start, stop in inside
                ])  # fmt: skip
            first = behind

    def _loose_rows(self, loose: Sequence[tuple[Field, str]]) -> Iterator[ByteRow]:
        """The rows of fields without a fixed place, in their order."""
        boxes: list[Box] = []
        taken = 0
        for entry, anchor in loose:
            width = self.bytes if entry.kind == "body" else min(self.bytes, max(2, entry.width or VARYING))
            if taken + width > self.bytes:
                yield ByteRow(None, boxes)
                boxes, taken = [], 0
            boxes.append(Box(entry, anchor, taken, width, True))
            taken += width
        if boxes:
            yield ByteRow(None, boxes)


def diagrams(layout: Layout, anchors: Sequence[str]) -> list[tuple[str, Diagram]]:
    """The drawings of a layout by the screens that they are for: `any`, or `wide` and `narrow`."""
    wide = Diagram(layout, anchors)
    if wide.bytes <= NARROW:
        return [("any", wide)]
    return [("wide", wide), ("narrow", Diagram(layout, anchors, NARROW))]
