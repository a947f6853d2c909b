"""Headers of many changes: their columns, and which changes are wanted as far as headers decide that.

Many records share the same facts: the table, the table version in force, the outcome of a unit of recovery. The code
that reads changes one by one finds such a fact once for each distinct value.
"""

from __future__ import annotations

from binascii import hexlify
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lmparse.bmc.columns import header_columns
from lmparse.bmc.control.table_names import TABLE_FIELDS
from lmparse.bmc.control.tables import TableVersion, identity
from lmparse.bmc.log import order
from lmparse.bmc.log.log import LogicalLog
from lmparse.bmc.log.order import OPERATIONS
from lmparse.bmc.record.headers import OUTCOME
from lmparse.changes.change import HEADER_FIELDS
from lmparse.changes.column_reader import TABLE_NAMES, LeftOut
from lmparse.changes.log import OUTSIDE
from lmparse.columnar import arrays, schemas
from lmparse.columnar.filters import Filter, mask
from lmparse.columnar.record_plan import Decoded
from lmparse.errors import DataError
from lmparse.framing.windows import Window
from lmparse.records.reader import Values
from lmparse.values import integers
from lmparse.values.byte_arrays import Bytes, Flags, Int64s
from lmparse.values.distinct import Distinct

_COMMIT_FIELDS = ("uor_disp", "uor_commit_lrsn", "uor_commit_point")
_POSITION_FIELDS = ("member_id", "log_lrsn", "log_rba")
TIMES = {"commit_ts": "uor_commit_timestamp", "ts": "timestamp"}
"""By column, the header fields of the times that every change has."""
_RAW = (
    *("change_type", "total_segs", "uor_id", "data", "incomplete_trans"),
    *dict.fromkeys((*OUTCOME, *_COMMIT_FIELDS, *_POSITION_FIELDS, *TABLE_FIELDS)),
)
HEADER_COLUMNS = {
    **dict.fromkeys(("op", "seq", "txn_id", "schema_name", "table_name", *HEADER_FIELDS), schemas.TEXT),
    **dict.fromkeys(TIMES, schemas.MICROS),
}
"""Columns of a change that depend on its header alone, with their types."""


@dataclass(frozen=True)
class KnownTable:
    """The facts that follow from the table and the position in a header; many records share them."""

    version: TableVersion | None
    """None if the rows of the table are read one by one."""
    is_wanted: bool
    """Whether it is the table that the options name."""
    names: dict[str, Any]
    """The values of TABLE_NAMES; empty without a version."""


@dataclass(frozen=True)
class HeaderRows:
    """Regular records of a window with their headers, in the order of the file."""

    window: Window
    decoded: Decoded
    names: list[str]
    """Names of the decoded columns."""
    numbers: Int64s
    """Numbers of the records in the window."""
    operations: Int64s
    """Number of the change type of each record."""
    known: Int64s
    """Number of the known table of each record."""
    ordinals: Int64s
    """Number of the change of each record among the changes with its position; see `position_runs`."""

    def part(self, which: Flags | Int64s) -> HeaderRows:
        """Some of the records: by a flag for each record, or by their places in order."""
        if which.all() if which.dtype == np.bool_ else len(which) == len(self.numbers):
            return self
        found = {name: getattr(self, name)[which] for name in ("numbers", "operations", "known", "ordinals")}
        return replace(self, **found)

    def column(self, name: str) -> pa.Array:
        """A column of the header, for these records."""
        array = self.decoded.arrays[self.names.index(name)]
        return array if len(self.numbers) == len(array) else array.take(pa.array(self.numbers))

    def raw(self, *names: str) -> Bytes:
        """Bytes of header fields side by side, for these records: (n, width)."""
        every = len(self.numbers) == len(self.window)
        found = [self.decoded.raw[name] if every else self.decoded.raw[name][self.numbers] for name in names]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)


class ChangeHeaders:
    """Decodes the headers of one log and selects changes, by the options of the log and by filters.

    Filters apply to the columns of a schema; without a schema, to any column. Excluded changes are counted. Without
    `has_columns`, headers are read only to select changes.
    """

    def __init__(
        self,
        log: LogicalLog,
        schema: pa.Schema | None,
        filters: Sequence[Filter],
        *,
        has_columns: bool = True,
    ) -> None:
        self._log = log
        self._filters = [entry for entry in filters if self._is_deciding(entry, schema)]
        self._plan = header_columns.HeaderPlan(log.header, log.code_page)
        # Fields that can be faulty are read even if no column needs them: records with a fault are read one by one.
        columns = HEADER_FIELDS if has_columns else ()
        self._names = list(dict.fromkeys((*columns, *TIMES.values(), *self._plan.fallible)))
        self._lrsn = "log_rba" if "log_lrsn" in log.header.absent else "log_lrsn"
        """The field with the LRSN of a record; the RBA if the header has no LRSN."""
        self.operations: list[str] = []
        """Operations by number of the change type; empty for a change type without an operation."""
        self.known: list[KnownTable] = []
        self.states: list[str] = []
        """Outcomes of changes by number, as `unit_state` gives them."""
        self._bounds: list[tuple[bytes, ...]] = []
        """By number of the table, the positions at which a version of it comes into force or ends."""
        self._known_at: dict[tuple[int, int], int] = {}
        """Number of the known table, by number of the table and number of bounds that the position has reached."""
        self._distinct_types = Distinct(self._width("change_type"))
        self._distinct_states = Distinct(self._width(*OUTCOME))
        self._distinct_tables = Distinct(self._width(*TABLE_FIELDS))

    def _width(self, *names: str) -> int:
        return sum(self._log.spec.layout[name].width or 0 for name in names)

    def decode(self, window: Window, ordinals: Int64s) -> tuple[HeaderRows, Flags]:
        """The regular records of a window, and flags of the records that are read one by one.

        `ordinals` has the number of the change of each record, see `HeaderRows`.
        """
        decoded = self._plan.decode(window, self._names, _RAW)
        here = self._log.extract.have(window)
        is_whole = ~decoded.irregular & (integers.decode_unsigned_array(decoded.raw["total_segs"]) <= 1)
        numbers = np.flatnonzero(here & is_whole)
        nothing = np.zeros(len(numbers), np.int64)
        found = HeaderRows(window, decoded, self._names, numbers, nothing, nothing, ordinals[numbers])
        found = replace(found, operations=self._operations_of(found), known=self._known_of(found))
        return found, here & ~is_whole

    # -- what follows from a header -----------------------------------------------------------

    def _states_of(self, found: HeaderRows) -> Int64s:
        """Number of the outcome of each record."""
        states = self._distinct_states.of(found.raw(*OUTCOME))
        for number in range(len(self.states), len(self._distinct_states)):
            self.states.append(order.unit_state(self.values(found, int((states == number).argmax()))))
        return states

    def _operations_of(self, found: HeaderRows) -> Int64s:
        types = self._distinct_types.of(found.raw("change_type"))
        page = self._log.code_page
        for number in range(len(self.operations), len(self._distinct_types)):
            change_type = page.decode(self._distinct_types.row(number)).rstrip(" ")
            self.operations.append(OPERATIONS.get(change_type) or "")
        return types

    def _known_of(self, found: HeaderRows) -> Int64s:
        """Number of the known table of each record, from its table and the version in force."""
        tables = self._distinct_tables.of(found.raw(*TABLE_FIELDS))
        order = np.argsort(tables, kind="stable")
        reached = np.zeros(len(tables), np.int64)
        for places in np.split(order, np.flatnonzero(np.diff(tables[order])) + 1) if len(order) else []:
            number = int(tables[places[0]])
            if number == len(self._bounds):
                self._bounds.append(self._log.tables.of(identity(self.values(found, int(places[0])))).bounds)
            if self._bounds[number]:
                reached[places] = _reached(self.positions(found, places), self._bounds[number])
        _, firsts, groups = np.unique(np.stack((tables, reached)), axis=1, return_index=True, return_inverse=True)
        known = np.zeros(len(firsts), np.int64)
        for at, place in enumerate(firsts.tolist()):
            known[at] = self._known_at.setdefault((int(tables[place]), int(reached[place])), len(self.known))
            if known[at] == len(self.known):
                self.known.append(self._about(self.values(found, place)))
        return known[groups.reshape(-1)]

    def _about(self, values: Values) -> KnownTable:
        log = self._log
        is_wanted = log.is_of_table(values)
        try:
            version = log.tables.find(values)
        except DataError:
            return KnownTable(None, is_wanted, {})
        name = log.decoder.name(values, version)
        names = dict(zip(TABLE_NAMES, (name.schema, name.name, name.is_short), strict=True))
        return KnownTable(version, is_wanted, names)

    def values(self, found: HeaderRows, place: int) -> Values:
        """The values of the header of a regular record."""
        extent = found.window.extent(int(found.numbers[place]))
        return self._log.read_bytes(extent.read(self._log.buffer)).values

    def positions(self, found: HeaderRows, places: Int64s) -> Bytes:
        """Positions of some changes in the log, see `header_columns.positions`."""
        raw = {name: found.decoded.raw[name][found.numbers[places]] for name in _POSITION_FIELDS}
        return header_columns.positions(self._log.header, raw)

    # -- columns ------------------------------------------------------------------------------

    def column(self, name: str, found: HeaderRows) -> pa.Array:
        """A column of HEADER_COLUMNS, except the names of the table."""
        if name == "op":
            return pa.array(self.operations, schemas.TEXT).take(pa.array(found.operations))
        if name == "seq":
            return as_hex(self.commit_positions(found), found.raw(self._lrsn, "log_rba", "member_id"), _ordinals(found))
        if name == "txn_id":
            return as_hex(found.raw("member_id", "uor_id"))
        return found.column(TIMES.get(name, name))

    def sort_keys(self, found: HeaderRows) -> Bytes:
        """Sort keys as in `log_seq.seq`: (n, width) bytes."""
        records = found.raw(self._lrsn, "log_rba", "member_id")
        return np.concatenate([self.commit_positions(found), records, _ordinals(found)], axis=1)

    def commit_positions(self, found: HeaderRows) -> Bytes:
        """Commit positions as in `log_seq.commit_position`: (n, width) bytes."""
        disposition, lrsn, point = (found.raw(name) for name in _COMMIT_FIELDS)
        codes = self._log.spec.enum("uor_disp")
        is_committed = (disposition == codes["committed"]).all(1)
        has_lrsn = np.asarray(lrsn.any(1))
        position = np.where(has_lrsn[:, None], lrsn, point)
        is_known = np.asarray(is_committed & position.any(1))
        return np.where(is_known[:, None], position, np.uint8(0xFF))

    # -- which changes are wanted -------------------------------------------------------------

    def select(self, found: HeaderRows, left_out: list[LeftOut]) -> HeaderRows:
        """The wanted records. Reasons and numbers of the other records are added to `left_out`."""
        found = found.part(self._are_wanted(found, left_out))
        # An image may exclude interpretations for later images. While several are left, all images are read.
        if self._filters and len(self._log.interpretation.image_candidates) == 1:
            for entry in self._filters:
                if len(found.numbers):
                    found = found.part(self._fulfil(entry, found))
        return found

    def _are_wanted(self, found: HeaderRows, left_out: list[LeftOut]) -> Flags:
        options, numbers = self._log.options, found.numbers
        wanted: Flags = each([entry.is_wanted for entry in self.known], found.known)
        if options.operations:
            wanted &= each([op in options.operations for op in self.operations], found.operations)
        if options.table_version is not None:
            sequences = [entry.version.sequence if entry.version else None for entry in self.known]
            is_it = each([sequence == options.table_version for sequence in sequences], found.known)
            left_out.append(("of other table versions", numbers[wanted & ~is_it]))
            wanted &= is_it
        if "all" not in options.include:
            states = self._states_of(found)
            for number, word in enumerate(self.states):
                if word not in options.include:
                    left_out.append((word, numbers[wanted & (states == number)]))
            wanted &= each([word in options.include for word in self.states], states)
        if self._log.range.bounds:
            places = np.flatnonzero(wanted)
            inside = self._are_inside(found.part(wanted))
            if not self._log.extract.is_again:
                left_out.append((OUTSIDE, numbers[places[~inside]]))
            wanted[places] = inside
        return wanted

    def _are_inside(self, found: HeaderRows) -> Flags:
        """Which records are inside the range of the options."""
        columns = {name: self.column(name, found) for name in {name for name, *_ in self._log.range.bounds}}
        if "commit_ts" in columns:
            columns["commit_ts"] = columns["commit_ts"].cast(pa.int64())
        return mask(columns, [Filter(*bound) for bound in self._log.range.bounds])

    def _is_deciding(self, entry: Filter, schema: pa.Schema | None) -> bool:
        """Whether a filter can exclude changes by their headers alone."""
        type_ = HEADER_COLUMNS.get(entry.column)
        if type_ is None or not entry.rejects_null or not entry.fits(type_):
            return False
        # Any bad record ends the reading, whether it is wanted or not.
        if self._log.options.mode == "failfast":
            return False
        return schema is None or (entry.column in schema.names and schema.field(entry.column).type == type_)

    def _fulfil(self, entry: Filter, found: HeaderRows) -> Flags:
        name = entry.column
        if name == "op":
            words = pa.array([op or None for op in self.operations], schemas.TEXT)
            return each(mask({name: words}, [entry]).tolist(), found.operations)
        if name in TABLE_NAMES:
            names = [known.names.get(name, "") for known in self.known]
            is_it = mask({name: pa.array(names, schemas.TEXT)}, [entry]).tolist()
            # A record without a table version gets its names or its fault when it is read by itself.
            return each([it or not known.version for it, known in zip(is_it, self.known, strict=True)], found.known)
        return mask({name: self.column(name, found)}, [entry])


def each(values: Sequence[Any], numbers: Int64s) -> npt.NDArray[Any]:
    """The value with each number."""
    return np.array([*values, 0], type(values[0]) if values else np.bool_)[numbers]


def _reached(positions: Bytes, bounds: tuple[bytes, ...]) -> Int64s:
    """How many bounds each of n positions has reached. Bounds are ascending."""
    # NumPy compares positions like bytes, except for zeros at the end.
    held = np.ascontiguousarray(positions).view(f"S{positions.shape[1]}").reshape(-1)
    found: Int64s = np.searchsorted(np.array(bounds, held.dtype), held, side="right")
    return found


def as_hex(*parts: Bytes) -> pa.Array:
    """Bytes side by side as upper-case hex texts."""
    raw = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    count, width = raw.shape
    shown = np.frombuffer(hexlify(raw.tobytes()).upper(), np.uint8)
    return arrays.strings(shown, arrays.steps(count, 2 * width))


def _ordinals(found: HeaderRows) -> Bytes:
    return found.ordinals.astype(">u4").view(np.uint8).reshape(-1, 4)
