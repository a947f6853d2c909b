"""Extract heads: what one pass over the headers of an extract shows of its place in the log, and of its units.

Memory goes by the number of units of recovery in the extract, and counts against the limit `held_bytes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lmparse.bmc import header_columns
from lmparse.bmc.control_file import read_control
from lmparse.bmc.control_search import find_control
from lmparse.bmc.log import LogicalLog
from lmparse.bmc.open import open_logical_log
from lmparse.bmc.read_before import TABLE_FIELDS, ReadBefore
from lmparse.bmc.unit_outcomes import OUTCOME_FIELDS, UNIT_FIELDS, have_ended, is_yes, keys, widths
from lmparse.columnar.record_plan import Decoded
from lmparse.errors import FramingError
from lmparse.framing.windows import Window
from lmparse.limits import Held
from lmparse.options import Options
from lmparse.records.files import ignored
from lmparse.records.settings import FileSettings
from lmparse.values.byte_arrays import Bytes, Flags

POSITION_FIELDS = ("member_id", "log_lrsn", "log_rba")
COMPENSATED = "uor_has_comp"
"""The header field that says whether its unit has compensations."""
"""The header field that says whether a unit has compensations."""
_LEAST_ROWS = 1 << 16
"""Units that are gathered, at least, before those that are the same are made one."""


@dataclass(frozen=True, eq=False)
class ExtractHeads:
    """The place of one extract in the log, and its units. Safe to pickle."""

    path: str
    control: str
    settings: FileSettings
    size: int
    """Bytes of the data file."""
    records: int
    first: bytes
    """Lowest position of a record: LRSN, or RBA outside data sharing; empty if no record states one."""
    last: bytes
    """Highest position."""
    stated_end: bytes
    """Where the extract ends, as DLGE states; empty if it does not."""
    form: tuple[str | None, str | None]
    """How rows are written, as DLDS states: EXPANDVAR and DATEFORMAT."""
    absent: tuple[str, ...]
    """Fields that the header lacks."""
    open_units: Bytes
    """(n, width) bytes of UNIT_FIELDS of units that have an open record."""
    ended: Bytes
    """(n, width) bytes of UNIT_FIELDS, OUTCOME_FIELDS and of one flag, for each unit with an outcome. The flag is 1 if
    a record says that the unit has compensations."""
    unread_units: Bytes
    """As `ReadBefore.unread`."""
    tables: Bytes
    """(n, width) bytes of TABLE_FIELDS of all tables that have a record."""


def heads_of(task: tuple[str, str, Options, ReadBefore | None]) -> ExtractHeads:
    """The heads of the extract with a path and a control file. Damage ends them: reading reports it at its place."""
    path, control, options, before = task
    log = open_extract(path, control, options)
    held = Held(options.bounds)
    units, unread, first, last, count = _Units(held, path), _Units(held, path, flags=2), b"", b"", 0
    tables = [np.zeros((0, sum(widths(TABLE_FIELDS))), np.uint8)]
    names = (*UNIT_FIELDS, *OUTCOME_FIELDS, *POSITION_FIELDS, *TABLE_FIELDS, COMPENSATED)
    for window, decoded in decoded_windows(log, names):
        count += len(window)
        regular = ~decoded.irregular
        if not regular.any():
            continue
        rows, places = _unit_rows(decoded, regular), positions(log, decoded)[regular]
        units.add(rows)
        named = np.concatenate([decoded.raw[name] for name in TABLE_FIELDS], axis=1)[regular]
        tables = [_distinct(np.concatenate([*tables, _distinct(named)]))]
        if before is not None:
            unread.add(before.unread(rows, places, named))
        found = np.sort(keys(places))[[0, -1]].tolist()
        low, high = (one.ljust(10, b"\0") for one in found)
        first, last = min(first or low, low), max(last, high)
    assert log.control is not None
    stated = log.control.first("DLGE").get("end_rba") or b""
    described = log.control.first("DLDS")
    open_units, ended = units.done()
    return ExtractHeads(
        path, control, log.settings, len(log.buffer), count, first, last, stated if stated.strip(b"\0") else b"",
        (described.get("expand_var"), described.get("date_format")), tuple(log.header.absent), open_units, ended,
        unread.rows(), tables[0],
    )  # fmt: skip


def stated_position(path: str, options: Options) -> str:
    """Where an extract ends, as DLGE states, else its highest position; as text that sorts as positions do.

    Raises ControlError LMP-C007 if it has no control file; FramingError LMP-F013 if no record states a position, or the
    damage in front of the first one that could.
    """
    control = find_control(path, options.control, options.bounds)
    stated = read_control(control, framing=options.control_framing, limits=options.bounds).first("DLGE").get("end_rba")
    if not stated or not stated.strip(b"\0"):
        stated = heads_of((path, control, options, None)).last
    if not stated:
        log = open_extract(path, control, options)
        for _ in log.windows():
            pass
        raise not_one("no record states its position", path)
    return str(stated.hex().upper().rjust(20, "0"))


def open_extract(path: str, control: str, options: Options, settings: FileSettings | None = None) -> LogicalLog:
    """The log of one extract, whose errors are reported where it is read."""
    named = replace(options, control=control, mode="permissive")
    return open_logical_log(path, named, settings=settings, on_error=ignored)


def decoded_windows(log: LogicalLog, names: Sequence[str]) -> Iterator[tuple[Window, Decoded]]:
    """The records of a log with bytes of header fields, up to damage. Raises FramingError LMP-F013."""
    plan = header_columns.record_plan(log.header, log.code_page)
    if plan.reason:
        raise not_one(f"its headers cannot be compared with those of other extracts: {plan.reason}", log.path)
    try:
        for window in log.windows():
            yield window, plan.decode(window, (), names)
    except FramingError:
        return


def positions(log: LogicalLog, decoded: Decoded) -> Bytes:
    """(n, width) positions of records in the log: LRSN in data sharing, else RBA; as `tables.position_of`."""
    lrsn = "log_rba" if "log_lrsn" in log.header.absent else "log_lrsn"
    in_group = np.asarray(decoded.raw["member_id"].any(1))
    return np.where(in_group[:, None], decoded.raw[lrsn], decoded.raw["log_rba"])


def not_one(why: str, path: str) -> FramingError:
    """The error of extracts that are not of one log."""
    return FramingError(
        why, code="LMP-F013", file=path, hint="extracts of different logs are read apart, one command or load for each"
    )


def _distinct(rows: Bytes) -> Bytes:
    """Different rows, ascending; many that follow each other may be the same."""
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = (rows[1:] != rows[:-1]).any(1)
    found = np.unique(keys(rows[is_new]))
    return found.view(np.uint8).reshape(len(found), -1) if len(found) else rows[:0]


def _unit_rows(decoded: Decoded, which: Flags) -> Bytes:
    """(n, width) bytes of UNIT_FIELDS, OUTCOME_FIELDS and of a flag for compensations, of some records."""
    compensated = is_yes(decoded.raw[COMPENSATED])[:, None]
    parts = [decoded.raw[name] for name in (*UNIT_FIELDS, *OUTCOME_FIELDS)]
    rows: Bytes = np.concatenate([*parts, compensated.astype(np.uint8)], axis=1)[which]
    # What is not an outcome has no commit either: one row for each open unit.
    dispositions = sum(widths(UNIT_FIELDS))
    rows[~have_ended(rows[:, dispositions : dispositions + 1]), dispositions:] = 0
    return rows


class _Units:
    """The units of an extract, gathered window by window."""

    def __init__(self, held: Held, path: str, *, flags: int = 1) -> None:
        self._held, self._path = held, path
        self._rows: list[Bytes] = []
        self._count, self._distinct = 0, 0
        self._width = sum(widths((*UNIT_FIELDS, *OUTCOME_FIELDS))) + flags

    def add(self, rows: Bytes) -> None:
        """Add the units of some records, as `_unit_rows`, perhaps with flags behind these rows."""
        self._rows.append(self._unique(rows))
        self._count += len(self._rows[-1])
        if self._count > 2 * self._distinct + _LEAST_ROWS:
            self._compact()

    def rows(self) -> Bytes:
        """All units."""
        self._compact()
        return self._rows[0]

    def done(self) -> tuple[Bytes, Bytes]:
        """Units with an open record, and units with an outcome as in `ExtractHeads.ended`."""
        rows = self.rows()
        unit = sum(widths(UNIT_FIELDS))
        ended = have_ended(rows[:, unit : unit + 1])
        return rows[~ended, :unit], rows[ended]

    def _compact(self) -> None:
        rows = np.concatenate([np.zeros((0, self._width), np.uint8), *self._rows])
        rows = self._unique(rows)
        self._held.give(self._distinct * self._width)
        self._held.take(len(rows) * self._width, file=self._path)
        self._rows, self._count, self._distinct = [rows], len(rows), len(rows)

    def _unique(self, rows: Bytes) -> Bytes:
        return _distinct(rows)
