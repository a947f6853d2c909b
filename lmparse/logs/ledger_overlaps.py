"""Overlaps of the files in a ledger: which ones have the same positions, and whether they have the same records.

Each file is compared with the one in front of it that reaches farthest. By then that one has been compared with those
in front of it, so all files that overlap have been compared, with one comparison a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from lmparse.changes.log_range import LogRange, OverlappingRecords, StreamRange
from lmparse.errors import FramingError, LmparseError, OptionError
from lmparse.logs.families import family_of
from lmparse.logs.ledger_file import LedgerEntry, LedgerOverlap
from lmparse.logs.ledger_reading import read_again
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.storage.digests import stored_digest

_NOT_ONE = "LMP-F013"
_NOT_COMPARED = "the records of such files are in no order, and filters may have left out others"

StreamKey = tuple[str, str, str]
"""Spec, log and stream."""


@dataclass(frozen=True, slots=True)
class OrderedFile:
    """A file at its place in a stream."""

    entry: LedgerEntry
    range: StreamRange
    before: LedgerEntry | None
    """The file in front of it that reaches farthest."""
    overlaps: bool
    """Whether that one reaches to its beginning."""


def in_order(entries: Iterable[LedgerEntry]) -> dict[StreamKey, list[OrderedFile]]:
    """The files of each stream in the order of their positions."""
    streams: dict[StreamKey, list[tuple[str, str, int, LedgerEntry, StreamRange]]] = {}
    for entry in entries:
        for one in entry.range.streams:
            key = entry.spec, one.log, one.stream
            streams.setdefault(key, []).append((one.first, one.last, entry.id, entry, one))
    return {key: list(_ordered(streams[key])) for key in sorted(streams)}


def _ordered(files: list[tuple[str, str, int, LedgerEntry, StreamRange]]) -> Iterator[OrderedFile]:
    before: LedgerEntry | None = None
    reached = ""
    for first, last, _, entry, one in sorted(files, key=lambda file: file[:3]):
        yield OrderedFile(entry, one, before, before is not None and first <= reached)
        if last > reached or before is None:
            before, reached = entry, last


def compare_new(
    entries: Iterable[LedgerEntry], known: Mapping[tuple[int, int], LedgerOverlap], new: Set[int], options: Options
) -> Iterator[LedgerOverlap]:
    """Compare the files that overlap and that have not been compared. Reads the bytes that both have, of both.

    `new` are the ids of files that have just been read. Files that could not be compared earlier are tried again.
    """
    done = {ids for ids, one in known.items() if one.untested in (None, _NOT_COMPARED)}
    comparison = _Comparison(new, options)
    for files in in_order(entries).values():
        for file in files:
            if file.before is None or not file.overlaps or (file.entry.id, file.before.id) in done:
                continue
            done.add((file.entry.id, file.before.id))
            yield comparison.of(file.entry, file.before)


class _Comparison:
    """Compares files. What is in front of the place where the last one began is not read again."""

    def __init__(self, new: Set[int], options: Options) -> None:
        self._options = options
        self._last: tuple[int, str] = -1, ""
        """Id of the file in front in the last comparison, and where the other one begins."""
        self._place: OverlappingRecords | None = None
        self._is_same = dict.fromkeys(new, True)

    def of(self, entry: LedgerEntry, before: LedgerEntry) -> LedgerOverlap:
        """What two files have both, the second one in front."""
        try:
            options = read_again(entry.spec, before.range.reading, self._options)
        except OptionError as error:
            return LedgerOverlap(entry.id, before.id, None, None, str(error))
        family = family_of(catalog.load(options.spec))
        if family is None or family.shared is None:
            return LedgerOverlap(entry.id, before.id, None, None, _NOT_COMPARED)
        one, other = sorted((before.range, entry.range), key=_extent)  # a stream may say otherwise than the file
        begin = _extent(other)[0]
        place = self._place if self._last[0] == before.id and one is before.range and self._last[1] <= begin else None
        try:
            changed = next((each for each in (before, entry) if not self._is_as_it_was(each)), None)
            if changed is not None:
                said = f"{changed.given} is not as it was when it was added"
                return LedgerOverlap(entry.id, before.id, None, None, said)
            found = family.shared(one, other, options, place)
        except FramingError as error:
            is_other = error.code == _NOT_ONE
            difference, untested = (error.says(), None) if is_other else (None, str(error))
            return LedgerOverlap(entry.id, before.id, None, difference, untested)
        except LmparseError as error:
            return LedgerOverlap(entry.id, before.id, None, None, str(error))
        if one is before.range:
            self._place, self._last = found, (before.id, begin)
        return LedgerOverlap(entry.id, before.id, found.count, None, None)

    def _is_as_it_was(self, entry: LedgerEntry) -> bool:
        if entry.id not in self._is_same:
            self._is_same[entry.id] = stored_digest(entry.path).sha256 == entry.sha256
        return self._is_same[entry.id]


def _extent(found: LogRange) -> tuple[str, str]:
    """The lowest and the highest position of a file."""
    return min(one.first for one in found.streams), max(one.last for one in found.streams)
