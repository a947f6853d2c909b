"""Segment runs: segments that no extract has a whole change of, put together to changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from lmparse.bmc.paired_change import MOST_COMPARED, PairedChange
from lmparse.bmc.repeated_changes import SharedSegment

Run = list[tuple[int, SharedSegment]]
"""Segments of one extract and TOTALSEGS with ascending numbers, which may be of one change; with the number of the
extract."""
_Piece = tuple[int, int, bytes]
"""TOTALSEGS, SEGNUM, and the digest of table and DATA."""


def put_together(segments: Iterable[tuple[int, SharedSegment]]) -> list[PairedChange]:
    """Put segments of all extracts together, which are in the order of the extracts and of their records.

    Runs that have all segments of a change are one if they have the same; of several with the same, the first one of
    an extract is the first one of the others. Other runs are of the change in front of them: one begins where numbers
    are there again, or where that is whole. Then they may be of one that another extract has all of.
    """
    runs = list(_ascending(segments))
    whole = _whole(runs)
    by_piece: dict[_Piece, list[PairedChange]] = {}
    for number, change in whole.items():
        for _, segment in runs[number]:
            known = by_piece.setdefault(_piece(segment), [])
            if change not in known[-1:]:
                known.append(change)
    found: dict[int, PairedChange] = {}
    last: dict[int, PairedChange] = {}
    for number, run in enumerate(runs):
        total = run[0][1].total
        change = whole.get(number) or _taking(run, last.get(total), by_piece) or PairedChange(total)
        if number not in whole:
            for rank, segment in run:
                change.add(rank, segment)
        last[total] = found[id(change)] = change
    return list(found.values())


def _whole(runs: list[Run]) -> dict[int, PairedChange]:
    """The changes of which an extract has all segments in their order, by the number of the run."""
    found: dict[int, PairedChange] = {}
    same: dict[tuple[_Piece, ...], list[PairedChange]] = {}
    counts: dict[tuple[int, tuple[_Piece, ...]], int] = {}
    for number, run in enumerate(runs):
        (rank, first), total = run[0], run[0][1].total
        is_whole = len(run) == total and first.number < 2 and run[-1][1].number == total - 1 + first.number
        if not is_whole or not all(segment.is_complete for _, segment in run):
            continue
        pieces = tuple(_piece(segment) for _, segment in run)
        nth = counts[rank, pieces] = counts.get((rank, pieces), 0) + 1
        changes = same.setdefault(pieces, [])
        if nth > len(changes):
            changes.append(PairedChange(total))
        found[number] = changes[nth - 1]
        for _, segment in run:
            found[number].add(rank, segment)
    return found


def _taking(run: Run, last: PairedChange | None, by_piece: dict[_Piece, list[PairedChange]]) -> PairedChange | None:
    """The change that a run may be of."""
    known = by_piece.get(_piece(run[0][1]), ())[:MOST_COMPARED]
    near = [last] if last is not None else []
    return next((change for change in (*near, *known) if all(change.takes(*one) for one in run)), None)


def _ascending(segments: Iterable[tuple[int, SharedSegment]]) -> Iterator[Run]:
    for _, own in groupby(segments, key=lambda one: one[0]):
        runs: dict[int, Run] = {}
        for rank, segment in own:
            run = runs.setdefault(segment.total, [])
            if run and segment.is_complete and _piece(segment) == _piece(run[-1][1]):
                continue  # a record that was copied begins no change
            if run and segment.number <= run[-1][1].number:
                yield run
                run = runs[segment.total] = []
            run.append((rank, segment))
        yield from runs.values()


def _piece(segment: SharedSegment) -> _Piece:
    return segment.total, segment.number, segment.digest
