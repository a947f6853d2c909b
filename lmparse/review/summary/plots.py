"""Plots of a summary: where each bar and each word of a drawing is. The drawing is `summary_plot.svg`.

All plots are 360 units wide, so that their words can be read on a phone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from lmparse.logs.summary import LogSummary
from lmparse.logs.summary_counts import Distribution
from lmparse.review.summary.sections import (
    EPOCH,
    NONE_STATED,
    SHOWN_OPERATIONS,
    by_operation,
    duration,
    in_words,
    kind_name,
)

WIDTH = 360
BINS = 60
"""Most bars of time in a plot, and most bins in JSON."""
_BARS = 12
_LEFT, _RIGHT, _TOP = 4, 356, 24
_COLUMN_HEIGHT, _BELOW = 110, 20
_BAR_ROW, _BAR_HEIGHT = 30, 9
_LONGEST_NAME = 44
STYLES = (*SHOWN_OPERATIONS.values(), "other")
"""Styles of bars, in the order of the parts of a bar."""
_COLOURS = {"inserts": "#1a6b37", "updates": "#0b5cad", "deletes": "#b3261e", "other": "#7a7f87", "plain": "#0b5cad"}
"""Colours of a plot that is shown by itself, on white; on a page, its styles have others for dark and light."""


@dataclass(frozen=True)
class PlotBar:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    style: str

    @property
    def colour(self) -> str:
        """Its colour in a plot that is shown by itself."""
        return _COLOURS[self.style]


@dataclass(frozen=True)
class PlotWord:
    """A text; `anchor` says which part of it is at `x`."""

    x: float
    y: float
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class SummaryPlot:
    """One drawing."""

    name: str
    title: str
    height: float
    bars: tuple[PlotBar, ...]
    words: tuple[PlotWord, ...]
    description: str
    """What it shows, for those who do not see it."""

    @property
    def width(self) -> int:
        """Units of the drawing; its height has the same."""
        return WIDTH


def plots(found: LogSummary) -> list[SummaryPlot]:
    """All plots for which a summary has something to draw."""
    made = [
        _kinds(found), _over_time(found), _tables(found),
        _ranges("changes", "Committed units by their number of changes", found.sizes["changes"]),
        _ranges("bytes", "Committed units by their bytes", found.sizes["bytes"]),
        _ranges("durations", "Committed units by their duration", found.durations, is_time=True),
        _users(found),
    ]  # fmt: skip
    return [one for one in made if one.bars]


def _kinds(found: LogSummary) -> SummaryPlot:
    rows = [
        (kind_name(found, kind), (counts["records"],), f"{counts['records']:,}")
        for kind, counts in found.kinds.ordered("records")
    ]
    return _rows("records", "Records by kind", rows, ("plain",))


def _tables(found: LogSummary) -> SummaryPlot:
    rows = []
    for name, counts in found.tables.ordered("changes"):
        numbers = by_operation(counts)
        said = ", ".join(f"{number:,} {word}" for number, word in zip(numbers, STYLES, strict=True) if number)
        rows.append((name, tuple(numbers), said))
    return _rows("tables", "Changes by table and operation", rows, STYLES)


def _users(found: LogSummary) -> SummaryPlot:
    rows = [
        (name or NONE_STATED, (counts["changes"],), f"{counts['changes']:,}")
        for name, counts in found.who["auth_id"].ordered("changes")
    ]
    return _rows("users", "Changes by user", rows, ("plain",))


def _rows(
    name: str, title: str, rows: Sequence[tuple[str, tuple[int, ...], str]], styles: Sequence[str]
) -> SummaryPlot:
    """A bar for each row, one below the other, made of parts."""
    shown = rows[:_BARS]
    greatest = max((sum(numbers) for _, numbers, _ in shown), default=0)
    bars: list[PlotBar] = []
    words: list[PlotWord] = []
    for place, (label, numbers, said) in enumerate(shown):
        y, x = _TOP + _BAR_ROW * place, float(_LEFT)
        words += _label(label, said, y + 10)
        for number, style in zip(numbers, styles, strict=True):
            width = number * (_RIGHT - _LEFT) / max(greatest, 1)
            if number:
                bars.append(PlotBar(x, y + 15, max(width, 0.5), _BAR_HEIGHT, style))
            x += width
    height = _TOP + _BAR_ROW * len(shown)
    if len(rows) > len(shown):
        height += 16
        words.append(PlotWord(_LEFT, height - 4, f"and {len(rows) - len(shown):,} more"))
    said = "; ".join(f"{label}: {text}" for label, _, text in shown)
    return SummaryPlot(name, title, height, tuple(bars), tuple(words), f"{title}: {said}")


def _label(label: str, said: str, y: float) -> list[PlotWord]:
    """The name of a bar at the left and its numbers at the right, cut so that they do not meet."""
    room = _LONGEST_NAME + 14 - len(said)
    cut = label if len(label) <= room else f"{label[: max(room - 3, 8)]}..."
    return [PlotWord(_LEFT, y, cut), PlotWord(_RIGHT, y, said, "end")]


def _over_time(found: LogSummary) -> SummaryPlot:
    step, start, changes, units = found.over_time(BINS)
    counts = changes if any(changes) else units
    what = "Changes" if any(changes) else "Units"
    times = [(EPOCH + timedelta(seconds=start + step * place)).isoformat(" ") for place in (0, len(counts))]
    title = f"{what} by time of commit, {in_words(step)} a bar"
    return _columns("time", title, counts, (times[0], times[1]) if counts else ("", ""))


def _ranges(name: str, title: str, numbers: Distribution, *, is_time: bool = False) -> SummaryPlot:
    found = list(numbers.bins())
    shown = [duration(low) if is_time else f"{low:,}" for low, _, _ in found]
    last = found[-1][1] if found else 0
    ends = (shown[0], duration(last) if is_time else f"{last:,}") if found else ("", "")
    return _columns(name, title, [count for _, _, count in found], ends, shown)


def _columns(
    name: str, title: str, counts: Sequence[int], ends: tuple[str, str], labels: Sequence[str] = ()
) -> SummaryPlot:
    """A bar for each count, side by side, with the ends of the axis, or a label for each if there is room."""
    greatest, bottom = max(counts, default=0), _TOP + 14 + _COLUMN_HEIGHT
    step = (_RIGHT - _LEFT) / max(len(counts), 6)
    bars = tuple(
        PlotBar(_LEFT + step * place, bottom - height, max(step - 1, 0.5), height, "plain")
        for place, count in enumerate(counts)
        if (height := count * _COLUMN_HEIGHT / max(greatest, 1))
    )
    below = bottom + 14
    if labels and step >= 7 * max(map(len, labels)):
        words = list(_centred(labels, step, below))
    else:
        words = [PlotWord(_LEFT, below, ends[0]), PlotWord(_RIGHT, below, ends[1], "end")]
    words.append(PlotWord(_LEFT, _TOP + 8, f"up to {greatest:,}"))
    if labels:
        words.append(PlotWord(_RIGHT, _TOP + 8, "a bar begins at the number below it", "end"))
    said = f"{title}: {len(counts)} bars from {ends[0]} to {ends[1]}, the highest {greatest:,}"
    return SummaryPlot(name, title, bottom + _BELOW, bars, tuple(words), said)


def _centred(labels: Sequence[str], step: float, y: float) -> Iterator[PlotWord]:
    for place, label in enumerate(labels):
        yield PlotWord(_LEFT + step * (place + 0.5), y, label, "middle")
