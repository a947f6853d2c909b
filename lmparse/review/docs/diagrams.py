"""Spec diagrams: the fields of a layout as boxes, to be drawn as SVG.

Bytes run from left to right, sixteen to a row, as far as the layout knows where fields stand. Behind that the
fields follow in their order, each in a box of about its width. All measures are in pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lmparse.review.docs.rows import LayoutSection, Link
from lmparse.spec.layout import Field

ROW_BYTES = 16
BYTE = 72
GUTTER = 84
HEIGHT = 54
GAP_HEIGHT = 24
RULER = 22
LINE = 13
LETTER = 6.7
"""Width of a letter of the boxes."""
LINK_HEIGHT = 26
LINK_GAP = 8
VARYING = 6
"""Bytes that the box of a field takes whose length is not known."""
LEAST = 6
"""Bytes that a diagram is wide at least."""


@dataclass(frozen=True, slots=True)
class BoxPart:
    """A rectangle of a box: a field may go on in the next row."""

    x: int
    y: int
    width: int
    height: int
    words: tuple[str, ...] = ()
    """Name of the field in lines."""
    place: str = ""
    """Where it starts, for the bottom of the box."""

    def baseline(self, number: int) -> int:
        """Where a line of the name stands."""
        return self.y + 16 + number * LINE


@dataclass(frozen=True, slots=True)
class Box:
    """A field."""

    href: str
    label: str
    """Name, place and length in words."""
    style: str
    """`coded`, `nested`, `opaque` or `plain`, and `varies` where place or length depend on the data."""
    parts: tuple[BoxPart, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A layout that a field holds, as a box that leads there."""

    link: Link
    x: int
    y: int
    width: int


@dataclass(frozen=True, slots=True)
class Holding:
    """What a field holds: one layout, or one of several."""

    text: str
    y: int
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A word beside a row, or a number above a column."""

    text: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Diagram:
    """A drawing, ready for the template."""

    id: str
    title: str
    description: str
    width: int
    height: int
    boxes: tuple[Box, ...]
    rows: tuple[Mark, ...]
    columns: tuple[Mark, ...]
    holdings: tuple[Holding, ...]


@dataclass(frozen=True, slots=True)
class _Strip:
    """A field on its way through the rows: sixteenths of a row from the start of the drawing."""

    number: int
    start: int
    stop: int


def diagram(section: LayoutSection) -> Diagram | None:
    """The drawing of a layout, None for one without fields."""
    entries = section.layout.fields
    if not entries:
        return None
    return _Drawing(section).done()


class _Drawing:
    def __init__(self, section: LayoutSection) -> None:
        self._section = section
        self._entries = section.layout.fields
        self._fixed, self._loose = self._strips()
        reach = max((strip.stop for strip in self._fixed), default=0)
        is_wide = bool(self._loose) or any(entry.width is None for entry in self._entries)
        self._bytes = ROW_BYTES if is_wide else max(LEAST, min(ROW_BYTES, reach))
        self._y = RULER
        self._rows: list[Mark] = []
        self._parts: dict[int, list[BoxPart]] = {}

    def done(self) -> Diagram:
        section = self._section
        last = max((strip.stop - 1) // self._bytes for strip in self._fixed) if self._fixed else -1
        row = 0
        while row <= last:
            row = self._fixed_row(row, last)
        self._loose_rows()
        boxes = tuple(self._box(number) for number in range(len(self._entries)))
        columns = tuple(
            Mark(str(number), GUTTER + number * BYTE + BYTE // 2, RULER - 8) for number in range(self._bytes)
        )
        width = GUTTER + self._bytes * BYTE + 2
        holdings = tuple(self._holdings(width))
        return Diagram(
            id=f"diagram-of-{section.anchor}",
            title=f"Bytes of {section.layout.id}",
            description="; ".join(box.label for box in boxes),
            width=width,
            height=self._y + 6,
            boxes=boxes,
            rows=tuple(self._rows),
            columns=columns if self._fixed else (),
            holdings=holdings,
        )

    def _strips(self) -> tuple[list[_Strip], list[int]]:
        """Fields with a place, and those that stand somewhere behind them."""
        fixed: list[_Strip] = []
        loose: list[int] = []
        reached = 0
        for number, entry in enumerate(self._entries):
            if entry.offset is None or loose or entry.offset < reached:
                loose.append(number)
                continue
            stop = entry.offset + (entry.width or 0)
            if entry.width is None:  # it takes what is left of its row
                stop = entry.offset + ROW_BYTES - entry.offset % ROW_BYTES
            if stop > entry.offset:
                fixed.append(_Strip(number, entry.offset, stop))
            reached = stop
        return fixed, loose

    def _fixed_row(self, row: int, last: int) -> int:
        """Draw a row; returns the next one. Rows that one field fills without an end become a single gap."""
        first, behind = row * self._bytes, (row + 1) * self._bytes
        inside = [strip for strip in self._fixed if strip.start < behind and strip.stop > first]
        if len(inside) == 1 and inside[0].start < first and inside[0].stop > behind:
            until = min(last, (inside[0].stop - 1) // self._bytes)
            if until - row > 1:
                part = BoxPart(
                    GUTTER, self._y, self._bytes * BYTE, GAP_HEIGHT, (f"… to byte {until * self._bytes - 1}",)
                )
                self._parts[inside[0].number].append(part)
                self._rows.append(Mark(f"{first}", GUTTER - 10, self._y + 16))
                self._y += GAP_HEIGHT
                return until
        self._rows.append(Mark(f"{first} · {first:#x}" if first else "0", GUTTER - 10, self._y + HEIGHT // 2 + 4))
        for strip in inside:
            start, stop = max(strip.start, first), min(strip.stop, behind)
            x = GUTTER + (start - first) * BYTE
            self._parts.setdefault(strip.number, []).append(BoxPart(x, self._y, (stop - start) * BYTE, HEIGHT))
        self._y += HEIGHT
        return row + 1

    def _loose_rows(self) -> None:
        """Fields whose place the data decides, in their order."""
        taken = self._bytes
        for number in self._loose:
            entry = self._entries[number]
            width = self._bytes if entry.kind == "body" else min(self._bytes, max(2, entry.width or VARYING))
            if taken + width > self._bytes:
                if taken < self._bytes or self._rows:
                    self._y += HEIGHT if number != self._loose[0] else (10 if self._fixed else 0)
                self._rows.append(Mark("then", GUTTER - 10, self._y + HEIGHT // 2 + 4))
                taken = 0
            self._parts[number] = [BoxPart(GUTTER + taken * BYTE, self._y, width * BYTE, HEIGHT)]
            taken += width
        if self._loose:
            self._y += HEIGHT

    def _box(self, number: int) -> Box:
        entry, row = self._entries[number], self._section.rows[number]
        parts = self._parts.get(number, [])
        named = max(range(len(parts)), key=lambda at: (parts[at].width, -at), default=None)
        finished = []
        for at, part in enumerate(parts):
            words = part.words
            if at == named and not words:
                words = tuple(_wrapped(entry.id, int((part.width - 4) / LETTER)))
            place = "" if at or entry.offset is None else str(entry.offset)
            finished.append(BoxPart(part.x, part.y, part.width, part.height, words, place))
        return Box(f"#{row.anchor}", label(entry), _style(entry), tuple(finished))

    def _holdings(self, width: int) -> Iterator[Holding]:
        shared: dict[Link, None] = {}
        for row, entry in zip(self._section.rows, self._entries, strict=True):
            links = [row.type] if row.type else [case.link for case in row.cases]
            if row.type and entry.kind not in ("struct", "body"):
                shared[row.type] = None
            elif links:
                words = f"{row.id} holds" + ("" if row.type else f" one of {len(links)}")
                yield self._holding(words, links, width)
        if shared:
            yield self._holding("types of values", list(shared), width)

    def _holding(self, words: str, links: list[Link], width: int) -> Holding:
        self._y += LINK_GAP
        start = GUTTER + int(len(words) * LETTER) + 12
        return Holding(words, self._y + 17, tuple(self._targets(links, start, width)))

    def _targets(self, links: Iterable[Link], start: int, width: int) -> Iterator[Target]:
        x = start
        for link in links:
            wide = int(len(link.text) * LETTER) + 18
            if x + wide > width and x > start:
                x, self._y = start, self._y + LINK_HEIGHT + LINK_GAP
            yield Target(link, x, self._y, wide)
            x += wide + LINK_GAP
        self._y += LINK_HEIGHT


def label(entry: Field) -> str:
    """A field with its place and length in words."""
    if entry.offset is None:
        return f"{entry.id}: {length_in_words(entry)}, behind the field before it"
    if entry.width is None:
        return f"{entry.id}: from byte {entry.offset}, {length_in_words(entry)}"
    if entry.width < 2:
        return f"{entry.id}: byte {entry.offset}"
    return f"{entry.id}: bytes {entry.offset} to {entry.offset + entry.width - 1}"


def length_in_words(entry: Field) -> str:
    """How long a field is."""
    if entry.width is None:
        return "as long as the data says"
    return "1 byte" if entry.width == 1 else f"{entry.width} bytes"


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
    """A name in at most two lines, broken behind underscores where it can be."""
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
