"""Spec diagrams: the fields of a layout as boxes, for a template that draws them as SVG.

Bytes run from left to right, sixteen in a row, up to the first field without a fixed offset. The fields from there on
follow in their order, each in a box of about its width. All measures are in pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lmparse.review.docs.rows import LayoutSection, Link
from lmparse.spec.layout import NESTED, Field

ROW_BYTES = 16
BYTE = 72
GUTTER = 84
HEIGHT = 54
GAP_HEIGHT = 24
RULER = 22
LINE = 13
LETTER = 6.7
"""Width of a letter in a box."""
LINK_HEIGHT = 26
LINK_GAP = 8
VARYING = 6
"""Width of the box of a field of unknown length, in bytes."""
LEAST = 6
"""Least width of a diagram, in bytes."""


@dataclass(frozen=True, slots=True)
class BoxPart:
    """A rectangle of a box: a field may continue in the next row."""

    x: int
    y: int
    width: int
    height: int
    words: tuple[str, ...] = ()
    """Name of the field, in lines."""
    place: str = ""
    """Offset of the field, for the bottom of the box."""

    def baseline(self, number: int) -> int:
        """Vertical place of a line of the name."""
        return self.y + 16 + number * LINE


@dataclass(frozen=True, slots=True)
class Box:
    """A field."""

    href: str
    label: str
    """Name, place and length in words."""
    style: str
    """`coded`, `nested`, `opaque` or `plain`, with `varies` where place or length depend on the data."""
    parts: tuple[BoxPart, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A word beside a row, above a column, or in front of links."""

    text: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Target:
    """A link to a layout that a field has."""

    link: Link
    x: int
    y: int
    width: int


@dataclass(frozen=True, slots=True)
class _Strip:
    """The bytes of a field: its number, its first byte, and the byte behind its last one."""

    number: int
    start: int
    stop: int


class Diagram:
    """The drawing of a layout that has fields."""

    def __init__(self, section: LayoutSection) -> None:
        self._entries = section.layout.fields
        self._fixed, self._loose = self._strips()
        reach = max((strip.stop for strip in self._fixed), default=0)
        is_wide = bool(self._loose) or any(entry.width is None for entry in self._entries)
        self._bytes = ROW_BYTES if is_wide else max(LEAST, min(ROW_BYTES, reach))
        self._y = RULER
        self._parts: dict[int, list[BoxPart]] = {}
        self.id = f"diagram-of-{section.anchor}"
        self.title = f"Bytes of {section.layout.id}"
        self.width = GUTTER + self._bytes * BYTE + 2
        self.rows: list[Mark] = []
        """Marks beside the rows."""
        row, last = 0, (reach - 1) // self._bytes if self._fixed else -1
        while row <= last:
            row = self._fixed_row(row, last)
        self._loose_rows()
        self.boxes = [self._box(number, f"#{row.anchor}") for number, row in enumerate(section.rows)]
        self.columns = [
            Mark(str(number), GUTTER + number * BYTE + BYTE // 2, RULER - 8)
            for number in range(self._bytes if self._fixed else 0)
        ]
        """Marks above the columns."""
        self.holdings = list(self._holdings(section))
        """The layouts that fields have: words and links."""
        self.height = self._y + 6

    @property
    def description(self) -> str:
        """All fields in words."""
        return "; ".join(box.label for box in self.boxes)

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
                stop = entry.offset + ROW_BYTES - entry.offset % ROW_BYTES
            if stop > entry.offset:
                fixed.append(_Strip(number, entry.offset, stop))
            reached = stop
        return fixed, loose

    def _fixed_row(self, row: int, last: int) -> int:
        """Draw a row; returns the number of the next one. Several rows inside one field become one gap."""
        first, behind = row * self._bytes, (row + 1) * self._bytes
        inside = [strip for strip in self._fixed if strip.start < behind and strip.stop > first]
        if len(inside) == 1 and inside[0].start < first and inside[0].stop > behind:
            until = min(last, (inside[0].stop - 1) // self._bytes)
            if until - row > 1:
                words = (f"… to byte {until * self._bytes - 1}",)
                part = BoxPart(GUTTER, self._y, self._bytes * BYTE, GAP_HEIGHT, words)
                self._parts[inside[0].number].append(part)
                self.rows.append(Mark(f"{first}", GUTTER - 10, self._y + 16))
                self._y += GAP_HEIGHT
                return until
        self.rows.append(Mark(f"{first} · {first:#x}" if first else "0", GUTTER - 10, self._y + HEIGHT // 2 + 4))
        for strip in inside:
            start, stop = max(strip.start, first), min(strip.stop, behind)
            x = GUTTER + (start - first) * BYTE
            self._parts.setdefault(strip.number, []).append(BoxPart(x, self._y, (stop - start) * BYTE, HEIGHT))
        self._y += HEIGHT
        return row + 1

    def _loose_rows(self) -> None:
        """Draw the fields without a fixed place, in their order."""
        taken = self._bytes
        for number in self._loose:
            entry = self._entries[number]
            width = self._bytes if entry.kind == "body" else min(self._bytes, max(2, entry.width or VARYING))
            if taken + width > self._bytes:
                if taken < self._bytes or self.rows:
                    self._y += HEIGHT if number != self._loose[0] else (10 if self._fixed else 0)
                self.rows.append(Mark("then", GUTTER - 10, self._y + HEIGHT // 2 + 4))
                taken = 0
            self._parts[number] = [BoxPart(GUTTER + taken * BYTE, self._y, width * BYTE, HEIGHT)]
            taken += width
        if self._loose:
            self._y += HEIGHT

    def _box(self, number: int, href: str) -> Box:
        entry, parts = self._entries[number], self._parts.get(number, [])
        if parts:
            widest = max(range(len(parts)), key=lambda at: (parts[at].width, -at))
            if not parts[widest].words:
                name = _wrapped(entry.id, int((parts[widest].width - 4) / LETTER))
                parts[widest] = replace(parts[widest], words=tuple(name))
            parts[0] = replace(parts[0], place="" if entry.offset is None else str(entry.offset))
        return Box(href, label(entry), _style(entry), tuple(parts))

    def _holdings(self, section: LayoutSection) -> Iterator[tuple[Mark, list[Target]]]:
        """Below the rows: for each nested record the layouts that it may have, then the types of values."""
        shared: dict[Link, None] = {}
        for row in section.rows:
            links = [row.type] if row.type else [case.link for case in row.cases]
            if row.type and row.field.kind not in NESTED:
                shared[row.type] = None
            elif links:
                yield self._holding(f"{row.field.id} holds" + ("" if row.type else f" one of {len(links)}"), links)
        if shared:
            yield self._holding("types of values", list(shared))

    def _holding(self, words: str, links: Iterable[Link]) -> tuple[Mark, list[Target]]:
        self._y += LINK_GAP
        mark = Mark(words, GUTTER, self._y + 17)
        x = start = GUTTER + int(len(words) * LETTER) + 12
        targets = []
        for link in links:
            width = int(len(link.text) * LETTER) + 18
            if x + width > self.width and x > start:
                x, self._y = start, self._y + LINK_HEIGHT + LINK_GAP
            targets.append(Target(link, x, self._y, width))
            x += width + LINK_GAP
        self._y += LINK_HEIGHT
        return mark, targets


def label(entry: Field) -> str:
    """A field with its place and length in words."""
    length = (
        "as long as the data says" if entry.width is None else f"{entry.width} byte{'s' if entry.width != 1 else ''}"
    )
    if entry.offset is None:
        return f"{entry.id}: {length}, behind the field before it"
    if entry.width is None:
        return f"{entry.id}: from byte {entry.offset}, {length}"
    if entry.width < 2:
        return f"{entry.id}: byte {entry.offset}"
    return f"{entry.id}: bytes {entry.offset} to {entry.offset + entry.width - 1}"


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


def _wrapped(name: str, letters: int) -> Sequence[str]:
    """A name in at most two lines, broken behind underscores where possible."""
    letters = max(letters, 3)
    lines = [""]
    for word in name.replace("_", "_ ").split():
        if len(lines[-1]) + len(word) <= letters or not lines[-1]:
            lines[-1] += word
        else:
            lines.append(word)
    if len(lines) > 2:
        lines = [lines[0], "".join(lines[1:])]
    return [line if len(line) <= letters else line[: letters - 1] + "…" for line in lines]
