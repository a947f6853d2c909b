"""A summary as text, with bars of plain characters."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from lmparse.logs.summary import LogSummary
from lmparse.review.summary.sections import SummarySection, sections

LEAST_WIDTH = 60
_BINS, _NAMES = 24, 20
_SHORTEST_BAR, _LONGEST_BAR = 5, 40
_GAP = "  "


def text_lines(found: LogSummary, provenance: str, width: int) -> Iterator[str]:
    """The summary in lines of at most `width` characters, where names and numbers leave room; at least 60."""
    width = max(width, LEAST_WIDTH)
    yield from found.files
    yield from _folded(f"{found.title}; {found.size} bytes, spec {found.spec}", width)
    if provenance:
        yield from _folded(provenance, width)
    for section in sections(found, bins=_BINS, most=_NAMES):
        yield ""
        yield section.title
        yield from _table(section, width)
        for note in section.notes:
            yield from _folded(note, width)


def _table(section: SummarySection, width: int) -> Iterator[str]:
    if not section.rows:
        return
    cells = [[head.lstrip("#") for head in section.heads], *([str(cell) for cell in row] for row in section.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    room = width - 2 - sum(widths) - len(_GAP) * len(widths)
    bar = section.bar if room >= _SHORTEST_BAR else None
    greatest = max((int(row[bar]) for row in section.rows), default=0) if bar is not None else 0
    for number, row in enumerate(cells):
        line = _GAP.join(
            cell.rjust(size) if head.startswith("#") else cell.ljust(size)
            for cell, head, size in zip(row, section.heads, widths, strict=True)
        )
        drawn = _bar(int(row[bar]), greatest, min(room, _LONGEST_BAR)) if bar is not None and number else ""
        yield f"  {line}{_GAP}{drawn}".rstrip()


def _bar(number: int, greatest: int, longest: int) -> str:
    """A bar; of any number above zero at least one character."""
    return "#" * max(round(number * longest / max(greatest, 1)), number > 0)


def _folded(text: str, width: int) -> list[str]:
    """A text in lines; a word is never cut."""
    front = "  "
    return wrap(
        text, width, initial_indent=front, subsequent_indent=front, break_long_words=False, break_on_hyphens=False
    )
