"""Extract heads: the range of an extract in its log, and its units, from one pass over its headers.

Memory grows with the number of units of recovery in the extract, and counts against the limit `held_bytes`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from lmparse.bmc.columns import header_columns
from lmparse.bmc.extracts.outcomes import OUTCOME_FIELDS, UNIT_FIELDS, have_ended, is_yes, keys, widths
from lmparse.bmc.log.log import LogicalLog, open_logical_log
from lmparse.columnar.record_plan import Decoded
from lmparse.errors import FramingError
from lmparse.framing.windows import Window
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.records.files import ignored
from lmparse.records.settings import FileSettings
from lmparse.values.byte_arrays import Bytes, Flags

POSITION_FIELDS = ("member_id", "log_lrsn", "log_rba")
TABLE_FIELDS = ("dbid", "psid", "tbobid")
FLAG_FIELDS = ("uor_has_comp", "incomplete_trans")
"""Flags that are Y if the unit took changes back, and if Log Master could not complete the record."""
UNIT_WIDTH = sum(widths(UNIT_FIELDS))
Keys = npt.NDArray[np.bytes_]
"""Rows of bytes, each as one value; see `outcomes.keys`."""
Range = tuple[bytes, bytes]
"""Lowest and highest position of some records, both inclusive."""
Doubtful = Callable[[Bytes, Bytes, Bytes], Bytes]
"""Takes units, positions and tables of n records. Returns rows of the units that nobody has given though a checkpoint
may be behind them, with one more byte; see `ReadBefore.doubtful`."""


def are_in(ranges: Collection[Range], positions: Keys) -> Flags:
    """Which positions are in one of some ranges, which may overlap."""
    if not ranges:
        return np.zeros(len(positions), np.bool_)
    lows, highs = zip(*sorted(ranges), strict=True)
    # A position is in a range only if the farthest-reaching range that begins in front of it has it.
    farthest = np.array(list(accumulate(highs, max)), positions.dtype)
    place = np.searchsorted(np.array(lows, positions.dtype), positions, side="right") - 1
    found: Flags = (place >= 0) & (positions <= farthest[place])
    return found


@dataclass(frozen=True, eq=False)
class ExtractHeads:
    """The range of one extract in the log, and its units. Safe to pickle."""

    path: str
    control: str
    settings: FileSettings
    size: int
    """Bytes of the data file."""
    records: int
    first: bytes
    """Lowest position of a record: LRSN, or RBA outside data sharing; empty without a record."""
    last: bytes
    """Highest position of a record."""
    absent: frozenset[str]
    """Fields that the header of the extract lacks."""
    units: Bytes
    """(n, width) bytes of UNIT_FIELDS, OUTCOME_FIELDS and a flag for each of FLAG_FIELDS, of units with a record. A
    unit has a row for each different outcome, and a row with zeros for records without an outcome."""
    doubtful: Bytes
    """Rows as `Doubtful` returns them."""
    tables: Bytes
    """(n, width) bytes of TABLE_FIELDS of all tables that have a record."""

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The range of the extract; empty if it has no record."""
        return ((self.first, self.last),) if self.first else ()

    def shared_with(self, other: ExtractHeads) -> tuple[Range, ...]:
        """The range that another extract has too; empty if they share no position."""
        low, high = max(self.first, other.first), min(self.last, other.last)
        return ((low, high),) if low and low <= high else ()

    @property
    def ended(self) -> Bytes:
        """Rows of `units` with an outcome."""
        return self.units[have_ended(self.units[:, UNIT_WIDTH : UNIT_WIDTH + 1])]

    @property
    def open_units(self) -> Bytes:
        """(n, width) bytes of UNIT_FIELDS of units that have an open record."""
        is_open = ~have_ended(self.units[:, UNIT_WIDTH : UNIT_WIDTH + 1])
        return distinct(self.units[is_open, :UNIT_WIDTH])


def heads_of(task: tuple[str, str, Options, Doubtful | None]) -> ExtractHeads:
    """The heads of the extract with a path and a control file, up to damage: reading reports it at its place."""
    path, control, options, doubtful_of = task
    log = open_extract(path, control, options)
    units, doubtful, tables = list[Bytes](), list[Bytes](), list[Bytes]()
    first, last, count = b"", b"", 0
    names = tuple(dict.fromkeys((*UNIT_FIELDS, *OUTCOME_FIELDS, *FLAG_FIELDS, *POSITION_FIELDS, *TABLE_FIELDS)))
    for window, decoded in decoded_windows(log, names):
        count += len(window)
        sound = ~decoded.irregular
        if not sound.any():
            continue
        raw = {name: rows[sound] for name, rows in decoded.raw.items()}
        rows, places = _unit_rows(raw), header_columns.positions(log.header, raw)
        named = np.concatenate([raw[name] for name in TABLE_FIELDS], axis=1)
        units.append(distinct(rows))
        tables.append(distinct(named))
        if doubtful_of is not None:
            doubtful.append(distinct(doubtful_of(rows, places, named)))
        low, high = (at.ljust(places.shape[1], b"\0") for at in np.sort(keys(places))[[0, -1]].tolist())
        first, last = min(first or low, low), max(last, high)
    held, width = Held(options.bounds), sum(widths((*UNIT_FIELDS, *OUTCOME_FIELDS))) + len(FLAG_FIELDS)
    all_units, all_doubtful, all_tables = (
        distinct(np.concatenate([np.zeros((0, size), np.uint8), *rows]))
        for rows, size in ((units, width), (doubtful, width + 1), (tables, sum(widths(TABLE_FIELDS))))
    )
    held.take(all_units.size + all_doubtful.size + all_tables.size, file=path)
    return ExtractHeads(
        path, control, log.settings, len(log.buffer), count, first, last,
        frozenset(log.header.absent),
        all_units, all_doubtful, all_tables,
    )  # fmt: skip


def open_extract(path: str, control: str, options: Options, settings: FileSettings | None = None) -> LogicalLog:
    """The log of one extract. Its errors are reported where it is read."""
    named = replace(options, control=control, mode="permissive")
    return open_logical_log(path, named, settings=settings, on_error=ignored)


def decoded_windows(log: LogicalLog, names: Sequence[str]) -> Iterator[tuple[Window, Decoded]]:
    """The windows of a log with bytes of header fields, up to damage. Raises FramingError LMP-F013."""
    plan = header_columns.HeaderPlan(log.header, log.code_page)
    if plan.reason:
        raise not_one(f"its headers cannot be compared with those of other extracts: {plan.reason}", log.path)
    try:
        for window in log.windows():
            yield window, plan.decode(window, (), names)
    except FramingError:
        return


def not_one(why: str, path: str) -> FramingError:
    """The error LMP-F013 of extracts that are not read as one log."""
    return FramingError(
        why, code="LMP-F013", file=path, hint="extracts of different logs are read apart, one command or load for each"
    )


def distinct(rows: Bytes) -> Bytes:
    """The different rows, ascending. Equal rows that follow each other are dropped first."""
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = (rows[1:] != rows[:-1]).any(1)
    found = np.unique(keys(rows[is_new]))
    return found.view(np.uint8).reshape(len(found), -1) if len(found) else rows[:0]


def _unit_rows(raw: dict[str, Bytes]) -> Bytes:
    """Rows as in `ExtractHeads.units`, of n records."""
    flags = [is_yes(raw[name])[:, None].astype(np.uint8) for name in FLAG_FIELDS]
    rows: Bytes = np.concatenate([*(raw[name] for name in (*UNIT_FIELDS, *OUTCOME_FIELDS)), *flags], axis=1)
    # Without an outcome there is no commit: one row for each open unit.
    rows[~have_ended(rows[:, UNIT_WIDTH : UNIT_WIDTH + 1]), UNIT_WIDTH:] = 0
    return rows
