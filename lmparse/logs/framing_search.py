"""Framing search: the framings whose records fill a file, with their options and the spec of the records.

The search tries the framings of z/OS with the rules of manuals: either byte order, and a length with or without its
word. A rule is proven if each word leads to the next word up to the end of the file; one record proves nothing. No byte
is skipped: a file whose records lead far and end in damage is shown with its damage.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import Any

from lmparse.errors import FramingError, LmparseError
from lmparse.framing import index
from lmparse.framing.base import Framing
from lmparse.framing.blocks import in_blocks
from lmparse.framing.descriptors import RULES
from lmparse.framing.extents import RecordExtent
from lmparse.framing.framings import described
from lmparse.framing.rdw import WordFraming
from lmparse.logs.families import known_files
from lmparse.options import Options
from lmparse.records.files import RAW
from lmparse.storage.buffers import Buffer, open_buffer

_NAMES = ("rdw", "zosmf", "bdw", "vbs", "bdw-vbs")
"""Framings with descriptor words, in the order of preference."""
_BLOCKED = ("bdw", "bdw-vbs")
"""Framings with blocks. Blocks look like records, but records do not fill blocks by chance."""
_LEAST, _LEAST_DAMAGED = 2, 8
"""Fewest records that prove a rule: if they fill the file, and if damage follows."""
_SHARE = 4
"""Damage is shown if the records in front of it are at least this part of the file: one byte in `_SHARE`."""
_SAMPLE, _BLOCKS, _FIRST = 64, 16, 5


@dataclass(frozen=True)
class FittingFraming:
    """One way to cut a file. Lengths in bytes, without descriptor words."""

    spec: str
    """Spec id of the records of a log, as its family recognizes them; for other records that of any records."""
    options: dict[str, str]
    """The options, under their Python names."""
    records: int
    shortest: int
    longest: int
    first: tuple[tuple[int, int, int], ...]
    """Number, offset and length of the first records."""
    fault: FramingError | None = None
    """Damage behind the last record; None if the records fill the file, except for its header and trailer."""

    def to_dict(self) -> dict[str, Any]:
        """The framing as JSON."""
        return {
            **self.options,
            "count": self.records,
            "shortest": self.shortest,
            "longest": self.longest,
            "records": [{"index": index, "offset": at, "length": length} for index, at, length in self.first],
            "fault": None if self.fault is None else self.fault.to_dict(),
        }


@dataclass(frozen=True)
class FramingSearch:
    """The result of the search in one file."""

    path: str
    size: int
    framings: tuple[FittingFraming, ...]
    """The best framing first, all with records of one spec; empty if nothing is proven."""

    @property
    def spec(self) -> str:
        """Spec id of the records."""
        return self.framings[0].spec if self.framings else RAW

    @property
    def title(self) -> str:
        """A description of the records in words."""
        return "records of an unknown kind" if self.spec == RAW else f"records of {self.spec}"

    def to_dict(self) -> dict[str, Any]:
        """The result as one JSON object."""
        found = [one.to_dict() for one in self.framings]
        return {"file": self.path, "size": self.size, "kind": "records", "spec": self.spec, "framings": found}


def search(path: str | Path, options: Options) -> FramingSearch:
    """Find the framings of a file of records.

    `options` give the limits, and the header and trailer of the file. Raises FramingError LMP-F001 for an unreadable
    file, LMP-F002 for an empty file.
    """
    buffer = open_buffer(path, options.bounds)
    if not len(buffer):
        raise FramingError("is empty, so nothing proves what it is", code="LMP-F002", file=str(path))
    return FramingSearch(str(path), len(buffer), tuple(fitting_framings(buffer, options)))


def fitting_framings(buffer: Buffer, options: Options) -> list[FittingFraming]:
    """The framings of a file, best first.

    If no framing fills the file, framings that reach a quarter of it in front of damage. If some framings give records
    of a log, only these framings.
    """
    skipped = {name: str(size) for name in ("file_start_offset", "file_end_offset") if (size := getattr(options, name))}
    found = [
        one for named, framing in _ways(options) if (first := _first(framing, buffer))
        and (one := _tried(named | skipped, framing, buffer, first)) is not None
    ]  # fmt: skip
    found = [one for one in found if one.fault is None] or found
    logs = [one for one in found if one.spec != RAW]
    # Best first: framings that lead far, and blocks before the records in blocks.
    found = sorted(
        [one for one in logs if one.spec == logs[0].spec] or found,
        key=lambda one: (-one.records if one.fault is not None else 0, one.options["framing"] not in _BLOCKED),
    )
    # Show the same records once, such as records that could be spanned but are not.
    return list({(one.first, one.records): one for one in reversed(found)}.values())[::-1]


def _ways(options: Options) -> Iterator[tuple[dict[str, str], Framing]]:
    """Yield the ways to cut a file, with their options; for each framing, those with the fewest options first."""
    for name in _NAMES:
        ways: list[tuple[dict[str, str], Framing]] = []
        for record, block in product(RULES, RULES if name in _BLOCKED else RULES[:1]):
            framing = described(name, record, block)
            assert isinstance(framing, WordFraming)
            ways.append(({"framing": name, **framing.word_options}, framing))
        for named, framing in sorted(ways, key=lambda way: len(way[0])):
            skipped = options.file_start_offset, options.file_end_offset
            yield named, framing.within(options.bounds).skipping(*skipped)


def _first(framing: Framing, buffer: Buffer) -> list[RecordExtent]:
    """The first records of a file. Empty for too few records, blocks, or zeros that an adjustment makes a length."""
    first: list[RecordExtent] = []
    with suppress(LmparseError):
        first.extend(islice(framing.extents(buffer), _SAMPLE))
    stated = sum(any(buffer[extent.offset - framing.lead : extent.offset]) for extent in first)
    is_proven = len(first) >= _LEAST and (not framing.lead or 2 * stated > len(first))
    return first if is_proven and not in_blocks(framing, [one.read(buffer) for one in first[:_BLOCKS]]) else []


def _tried(named: dict[str, str], framing: Framing, buffer: Buffer, first: list[RecordExtent]) -> FittingFraming | None:
    """Try one way on the whole file; None if it is not proven."""
    count, filled, shortest, longest = 0, 0, 1 << 62, 0
    fault: FramingError | None = None
    try:
        for window in index.windows(framing, buffer):
            count += len(window)
            filled += int((window.lengths > 0).sum())
            shortest, longest = min(shortest, int(window.lengths.min())), max(longest, int(window.lengths.max()))
    except FramingError as error:
        fault = error
        fault.forget_frames()
    if 2 * filled <= count or count < (_LEAST if fault is None else _LEAST_DAMAGED):
        return None  # words without a record behind them are zeros, such as padding of a file
    start, end = framing.range_of(buffer)
    if fault is not None and _SHARE * ((fault.record_offset or 0) - start) < end - start:
        return None
    records = [extent.read(buffer) for extent in first]
    logs = (spec for spec, kind in known_files().items() if not kind.framings and kind.test(records, framing) is None)
    shown = tuple((extent.index, extent.offset, extent.length) for extent in first[:_FIRST])
    return FittingFraming(next(logs, RAW), named, count, shortest, longest, shown, fault)
