"""Changes by the column: headers, row images and what follows from both, many records at a time.

What is the same for many records (the table a header names, the version that was in force, what
became of a unit of recovery) is found out once for each distinct value, by the code that reads
changes one by one. So is every record that is not regular: segments, records without row images,
and all that is bad.
"""

from __future__ import annotations

import json
from binascii import hexlify
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lmparse.bmc import header_columns, order
from lmparse.bmc.log import TABLE_FIELDS, LogicalLog
from lmparse.bmc.operations import OPERATIONS
from lmparse.bmc.row_image import ABSENT_REASON
from lmparse.bmc.row_plan import ImagePlan
from lmparse.bmc.segments import Joiner, Segment
from lmparse.bmc.tables import TableVersion, identity
from lmparse.changes.change import HEADER_FIELDS, ROLES
from lmparse.changes.ranges import OUTSIDE
from lmparse.changes.version_batches import Piece, Slow, Versions, struct
from lmparse.columnar import arrays, schemas
from lmparse.columnar.column_types import column_type
from lmparse.columnar.filters import Filter, mask
from lmparse.columnar.metadata_columns import Origin
from lmparse.columnar.record_plan import Decoded
from lmparse.columnar.rows import bad_rows
from lmparse.errors import DataError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import Window
from lmparse.records.reader import Values
from lmparse.spec import catalog
from lmparse.values import byte_arrays, integers
from lmparse.values.distinct import Distinct

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Int64s = npt.NDArray[np.int64]
_STATE_FIELDS = ("uor_disp", "log_rec_disp", "sql_type")
_COMMIT_FIELDS = ("uor_disp", "uor_commit_lrsn", "uor_commit_point")
_POSITION_FIELDS = ("member_id", "log_lrsn", "log_rba")
_TIMES = {"commit_ts": "uor_commit_timestamp", "ts": "timestamp"}
_RAW = (
    *("change_type", "total_segs", "uor_id", "data"),
    *dict.fromkeys((*_STATE_FIELDS, *_COMMIT_FIELDS, *_POSITION_FIELDS, *TABLE_FIELDS)),
)
_DECIDED = {
    **dict.fromkeys(("op", "seq", "txn_id", "schema_name", "table_name", *HEADER_FIELDS), schemas.TEXT),
    **dict.fromkeys(_TIMES, schemas.MICROS),
}
"""Columns of a change that its header alone decides, with their types."""
_MOST_ABSENT = 62
"""Values of one row that are kept elsewhere and can still be told of by the column."""


def refusal(log: LogicalLog, schema: pa.Schema | None = None) -> str:
    """Why the changes of a log cannot be read by the column, in a schema; empty when they can."""
    options = log.options
    if options.order == "commit":
        return "changes in commit order are read one by one"
    if options.header:
        return "the header as JSON text is made row by row"
    if schema is not None and any(
        not pa.types.is_struct(entry.type) for entry in schema if entry.name in ("before", "after")
    ):
        return "images as JSON text are made row by row"
    return header_columns.record_plan(log.header, log.code_page).reason or (
        "" if schema is None else _other_types(log, schema)
    )


def _other_types(log: LogicalLog, schema: pa.Schema) -> str:
    """Which column of a table Arrow cannot bring into the type that is asked for, as the row reader would."""
    found = {
        column.name: column_type(column, log.dec_length)
        for version in log.table_versions()
        for column in version.columns
    }
    for role in ("before", "after"):
        for entry in schema.field(role).type if role in schema.names else ():
            type_ = found.get(entry.name, entry.type)
            is_number = pa.types.is_integer if pa.types.is_integer(type_) else pa.types.is_decimal
            if type_ != entry.type and not (is_number(type_) and is_number(entry.type)):
                return f"{entry.name}: is {type_} and not {entry.type}"
    return ""


@dataclass(frozen=True)
class _Known:
    """What follows from a header, the same for many records."""

    version: TableVersion | None
    """None when rows of it are to be read one by one."""
    is_wanted: bool
    """Whether it is of the table that was asked for."""
    schema: str = ""
    name: str = ""
    is_short: bool = False


@dataclass(frozen=True)
class _Images:
    """Where the row images of records stand in the data of their window; the second one of updates only."""

    starts: Int64s
    lengths: Int64s
    second_starts: Int64s
    second_lengths: Int64s

    def part(self, which: Flags) -> _Images:
        return _Images(self.starts[which], self.lengths[which], self.second_starts[which], self.second_lengths[which])


@dataclass(frozen=True)
class _Selected:
    """Regular records of a window, in the order of the file."""

    window: Window
    decoded: Decoded
    names: list[str]
    """Of the columns that were decoded."""
    numbers: Int64s
    """Which of the records of the window they are."""
    operations: Int64s
    """Number of the change type of each."""
    known: Int64s
    """Number of what is known of each."""
    images: _Images | None = None

    def part(self, which: Flags) -> _Selected:
        """Some of them."""
        if which.all():
            return self
        images = None if self.images is None else self.images.part(which)
        numbers, operations, known = self.numbers[which], self.operations[which], self.known[which]
        return replace(self, numbers=numbers, operations=operations, known=known, images=images)

    def column(self, name: str) -> pa.Array:
        """A column of the header."""
        array = self.decoded.arrays[self.names.index(name)]
        return array if len(self.numbers) == len(array) else array.take(pa.array(self.numbers))

    def raw(self, *names: str) -> Bytes:
        """Bytes of header fields, one behind the other."""
        every = len(self.numbers) == len(self.window)
        found = [self.decoded.raw[name] if every else self.decoded.raw[name][self.numbers] for name in names]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)


class ChangeColumns:
    """Reads the changes of one log by the column.

    With a schema, all rows have its columns; else those of each table version have its own. Row images
    of changes whose headers already miss one of the filters are not read. What is read one by one is
    given whether it fulfils them or not.
    """

    def __init__(self, log: LogicalLog, schema: pa.Schema | None = None, filters: Sequence[Filter] = ()) -> None:
        self.log = log
        self._versions = Versions(log, schema)
        self._filters = [entry for entry in filters if self._is_deciding(entry)]
        self._origin = Origin(log)
        self._plan = header_columns.record_plan(log.header, log.code_page)
        # What no column shows is read too where it can be bad: that is said, and its row read by itself.
        self._names = list(dict.fromkeys((*HEADER_FIELDS, *_TIMES.values(), *self._plan.fallible)))
        self._lrsn = "log_rba" if "log_lrsn" in log.header.absent else "log_lrsn"
        """The field with the LRSN of a record; without one, its RBA stands in."""
        self._wanted_columns = frozenset(log.options.columns) or None
        self._types, self._operations = Distinct(self._width("change_type")), list[str]()
        self._states, self._state_words = Distinct(self._width(*_STATE_FIELDS)), list[str]()
        self._tables, self._bounds = Distinct(self._width(*TABLE_FIELDS)), list[tuple[bytes, ...]]()
        self._known = list[_Known]()
        self._known_at: dict[tuple[int, tuple[bool, ...]], int] = {}
        """What is known by number of the table and by the bounds that a position has reached."""
        self._plans: dict[tuple[int, Any], ImagePlan] = {}
        self._left_out: list[tuple[str, Int64s]] = []
        self._joiner = Joiner()

    def _width(self, *names: str) -> int:
        return sum(self.log.spec.layout[name].width or 0 for name in names)

    def windows(self, span: Span | None = None) -> Iterator[list[Piece]]:
        """The changes, some thousand records at a time. Raises as `LogicalLog.typed_changes` does."""
        log = self.log
        log.check_changes()
        log.keeps_bad_records = log.options.mode == "permissive"
        whole = span or Span(0, len(log.buffer), 0)
        if not len(log.buffer):
            next(log.extents(span), None)  # says so
        for window in log.windows(whole):
            yield from self._window(window, whole.skip)
        last = [slow for extent in whole.foreign for slow in self._one_by_one(extent, 0)]
        log.end_joining(self._joiner)
        yield self._versions.slow_pieces([*last, *(Slow(0, None, row) for row in bad_rows(log))])

    def _window(self, window: Window, skip: frozenset[int]) -> Iterator[list[Piece]]:
        """The changes of a window, in parts where a record tells the ways apart to read images."""
        while len(window):
            way = self.log.interpretation.image
            selected, others = self._select(window, skip)
            pieces, bad = self._fast(selected)
            slow: list[Slow] = []
            reached = len(window)
            for number in np.union1d(others, bad).tolist():
                slow += self._one_by_one(window.extent(number), number)
                if self.log.interpretation.image != way:
                    reached = number + 1  # what was read the old way behind it counts no more
                    break
            self._count_left_out(reached)
            found = [piece.before(reached) for piece in pieces]
            yield self._versions.joined(
                [*(piece for piece in found if len(piece.numbers)), *self._versions.slow_pieces(slow)]
            )
            window = window.behind(reached)

    # -- one by one -------------------------------------------------------------------------

    def _one_by_one(self, extent: RecordExtent, number: int) -> list[Slow]:
        log = self.log
        record = log.read_extent(extent)
        whole = None if record is None else log.joined(self._joiner, Segment(extent, record))
        change = None if whole is None else log.change_of(whole)
        return self._versions.slow(number, change)

    # -- which records ------------------------------------------------------------------------

    def _select(self, window: Window, skip: frozenset[int]) -> tuple[_Selected, Int64s]:
        """The regular records that are asked for, and the numbers of those to be read one by one."""
        decoded = self._plan.decode(window, self._names, _RAW)
        here = np.ones(len(window), np.bool_)
        if skip:
            here = ~np.isin(np.arange(window.first_index, window.first_index + len(window)), list(skip))
        is_whole = ~decoded.irregular & (integers.decode_unsigned_array(decoded.raw["total_segs"]) <= 1)
        is_slow = here & ~is_whole
        numbers = np.flatnonzero(here & is_whole)
        nothing = np.zeros(len(numbers), np.int64)
        found = _Selected(window, decoded, self._names, numbers, nothing, nothing)
        found = replace(found, operations=self._operations_of(found), known=self._known_of(found))
        found = self._matching(found.part(self._are_wanted(found)))
        found, is_placed = self._with_images(found)
        is_slow[found.numbers[~is_placed]] = True
        return found.part(is_placed), np.flatnonzero(is_slow)

    def _operations_of(self, found: _Selected) -> Int64s:
        types = self._types.of(found.raw("change_type"))
        page = self.log.code_page
        for number in range(len(self._operations), len(self._types)):
            self._operations.append(OPERATIONS.get(page.decode(self._types.row(number)).rstrip(" ")) or "")
        return types

    def _known_of(self, found: _Selected) -> Int64s:
        """What is known of each record, by its table and by the version that was in force."""
        tables = self._tables.of(found.raw(*TABLE_FIELDS))
        for number in range(len(self._bounds), len(self._tables)):
            ids = identity(self._values(found, int((tables == number).argmax())))
            versions = [version for version in self.log.tables.versions if version.is_of(ids)]
            bounds = {position for entry in versions for position in (entry.create_rba, entry.drop_rba)}
            self._bounds.append(tuple(sorted(bounds - {b""})) if len(versions) > 1 else ())
        known = np.zeros(len(tables), np.int64)
        for number in np.unique(tables).tolist():
            places = np.flatnonzero(tables == number)
            behind = _are_behind(self._positions(found, places), self._bounds[number])
            for pattern in np.unique(behind, axis=0):
                same = places[(behind == pattern).all(1)]
                known[same] = self._known_number(found, (number, tuple(pattern.tolist())), int(same[0]))
        return known

    def _known_number(self, found: _Selected, key: tuple[int, tuple[bool, ...]], place: int) -> int:
        if key not in self._known_at:
            self._known_at[key] = len(self._known)
            self._known.append(self._about(self._values(found, place)))
        return self._known_at[key]

    def _about(self, values: Values) -> _Known:
        log = self.log
        is_wanted = log.table_ids is None or identity(values) in log.table_ids
        try:
            version = log.tables.find(values)
        except DataError:
            return _Known(None, is_wanted)
        name = log.decoder.name(values, version)
        return _Known(version, is_wanted, name.schema, name.name, name.is_short)

    def _values(self, found: _Selected, place: int) -> Values:
        """The header of a regular record."""
        extent = found.window.extent(int(found.numbers[place]))
        return self.log.read_bytes(extent.read(self.log.buffer)).values

    def _positions(self, found: _Selected, places: Int64s) -> Bytes:
        """Where changes stand: LRSN in data sharing, elsewhere RBA; as `tables.position_of`."""
        raw = found.decoded.raw
        member, lrsn, rba = (raw[name][found.numbers[places]] for name in ("member_id", self._lrsn, "log_rba"))
        in_group = np.asarray(member.any(1))
        return np.where(in_group[:, None], lrsn, rba)

    def _are_wanted(self, found: _Selected) -> Flags:
        """Which records the options ask for; what `include` leaves out is noted, as are other versions."""
        options, numbers = self.log.options, found.numbers
        wanted = _each([entry.is_wanted for entry in self._known], found.known)
        if options.operations:
            wanted &= _each([op in options.operations for op in self._operations], found.operations)
        if options.table_version is not None:
            sequences = [entry.version.sequence if entry.version else None for entry in self._known]
            is_it = _each([sequence == options.table_version for sequence in sequences], found.known)
            self._left_out.append(("of other table versions", numbers[wanted & ~is_it]))
            wanted &= is_it
        if "all" not in options.include:
            wanted &= self._are_included(found, wanted)
        if self.log.range.has_seq or self.log.range.has_time:
            places = np.flatnonzero(wanted)
            inside = self._are_inside(found.part(wanted))
            self._left_out.append((OUTSIDE, numbers[places[~inside]]))
            wanted[places] = inside
        return wanted

    def _are_included(self, found: _Selected, wanted: Flags) -> Flags:
        """Which records became what `include` asks for; those of them that are wanted and did not are noted."""
        states = self._states.of(found.raw(*_STATE_FIELDS))
        for number in range(len(self._state_words), len(self._states)):
            self._state_words.append(order.unit_state(self._values(found, int((states == number).argmax()))))
        for number, word in enumerate(self._state_words):
            if word not in self.log.options.include:
                self._left_out.append((word, found.numbers[wanted & (states == number)]))
        return _each([word in self.log.options.include for word in self._state_words], states)

    def _are_inside(self, found: _Selected) -> Flags:
        """Which records are inside the range that is asked for."""
        asked = self.log.range
        columns: dict[str, pa.Array] = {}
        if asked.has_seq:
            columns["seq"] = self._of_header("seq", found)
        if asked.has_time:
            columns["commit_ts"] = self._of_header("commit_ts", found).cast(pa.int64())
        return mask(columns, [Filter(*bound) for bound in asked.bounds])

    def _is_deciding(self, entry: Filter) -> bool:
        """Whether a filter can rule out changes by their headers."""
        type_ = _DECIDED.get(entry.column)
        if type_ is None or not entry.rejects_null or not entry.fits(type_):
            return False
        # The first that is bad ends the reading, whether it is asked for or not.
        if self.log.options.mode == "failfast":
            return False
        schema = self._versions.wanted
        return schema is None or (entry.column in schema.names and schema.field(entry.column).type == type_)

    def _matching(self, found: _Selected) -> _Selected:
        """The records that no filter rules out by their headers."""
        # As long as images can be read in several ways, any of them may tell these apart for those behind it.
        if self._filters and len(self.log.interpretation.image_candidates) == 1:
            for entry in self._filters:
                if len(found.numbers):
                    found = found.part(self._fulfil(entry, found))
        return found

    def _fulfil(self, entry: Filter, found: _Selected) -> Flags:
        name = entry.column
        if name == "op":
            words = pa.array([op or None for op in self._operations], schemas.TEXT)
            return _each(mask({name: words}, [entry]).tolist(), found.operations)
        if name in ("schema_name", "table_name"):
            names = [known.schema if name == "schema_name" else known.name for known in self._known]
            is_it = mask({name: pa.array(names, schemas.TEXT)}, [entry]).tolist()
            # What is of no version gets its names, or its fault, where it is read by itself.
            return _each([it or not known.version for it, known in zip(is_it, self._known, strict=True)], found.known)
        return mask({name: self._of_header(name, found)}, [entry])

    def _count_left_out(self, reached: int) -> None:
        for why, numbers in self._left_out:
            count = int(np.searchsorted(numbers, reached))
            if count:
                self.log.left_out[why] += count
        self._left_out.clear()

    # -- row images -----------------------------------------------------------------------------

    def _with_images(self, found: _Selected) -> tuple[_Selected, Flags]:
        """Find the row images of records, and which of these fill their DATA and are of a table that is known."""
        counts = _each([len(_roles(op)) for op in self._operations], found.operations)
        starts, lengths = (part[found.numbers] for part in found.decoded.rest["data"])
        data = _Data(found.window.data, starts, lengths, self.log.interpretation.data.reading)
        images = _Images(*data.image(counts > 0), *data.image(counts > 1))
        can_be_read = _each([self._can_read(entry) for entry in self._known], found.known)
        return replace(found, images=images), data.are_filled & (counts > 0) & can_be_read

    def _can_read(self, known: _Known) -> bool:
        if known.version is None:
            return False
        if not pa.types.is_struct(self._versions.schema(known.version).field("after").type):
            return False
        plan = self._image_plan(known.version)
        absent = sum(column.form == "absent" for column in known.version.columns)
        return not plan.refusal(self._wanted_columns) and 2 * absent <= _MOST_ABSENT

    def _image_plan(self, version: TableVersion) -> ImagePlan:
        key = id(version), self.log.interpretation.image
        if key not in self._plans:
            self._plans[key] = ImagePlan(version, self.log.interpretation.image, self.log.image_options)
        return self._plans[key]

    def _fast(self, found: _Selected) -> tuple[list[Piece], Int64s]:
        """The rows of regular records by table version, and the numbers of those whose image is not regular."""
        pieces, bad = [], [np.zeros(0, np.int64)]
        for number in np.unique(found.known).tolist():
            piece, irregular = self._piece(self._known[number], found.part(found.known == number))
            pieces.append(piece)
            bad.append(irregular)
        return pieces, np.concatenate(bad)

    def _piece(self, known: _Known, found: _Selected) -> tuple[Piece, Int64s]:
        version, images = known.version, found.images
        assert version is not None
        assert images is not None
        schema = self._versions.schema(version)
        count = len(found.numbers)
        ops = self._operations
        is_bad = np.zeros(count, np.bool_)
        absent, reasons = np.zeros(count, np.int64), list[str]()
        made: dict[str, pa.Array] = {}
        for role in ("before", "after"):
            is_first = _each([_roles(op)[:1] == (role,) for op in ops], found.operations)
            is_second = _each([_roles(op)[1:] == (role,) for op in ops], found.operations)
            places = np.flatnonzero(is_first | is_second)
            starts = np.where(is_second, images.second_starts, images.starts)[places]
            lengths = np.where(is_second, images.second_lengths, images.lengths)[places]
            decoded = self._image_plan(version).decode(found.window.data, starts, lengths, self._wanted_columns)
            is_bad[places] |= decoded.irregular
            for name, has in decoded.absent.items():
                absent[places] |= has.astype(np.int64) << len(reasons)
                reasons.append(f"{role}.{name}")
            if role in schema.names:
                made[role] = struct(decoded, schema.field(role).type, places, count)
        made["detail"] = _details(absent, reasons)
        batch = pa.RecordBatch.from_arrays([self._column(entry, known, found, made) for entry in schema], schema=schema)
        good = ~is_bad
        if is_bad.any():
            batch = batch.take(pa.array(np.flatnonzero(good)))
        return Piece(version, batch, found.numbers[good]), found.numbers[is_bad]

    # -- columns --------------------------------------------------------------------------------

    def _column(self, entry: pa.Field, known: _Known, found: _Selected, made: dict[str, pa.Array]) -> pa.Array:
        name, count = entry.name, len(found.numbers)
        constants = {"schema_name": known.schema, "table_name": known.name, "table_name_short": known.is_short}
        if name in made:
            return made[name]
        if name in constants:
            return pa.repeat(pa.scalar(constants[name], entry.type), count)
        if name == "op":
            return pa.array(self._operations, schemas.TEXT).take(pa.array(found.operations))
        if name in _DECIDED:
            return self._of_header(name, found)
        if name in schemas.OUTCOMES:
            return self._origin.column(entry, found.window, found.numbers)
        return pa.nulls(count, entry.type)

    def _of_header(self, name: str, found: _Selected) -> pa.Array:
        """A column that the header of each record decides by itself."""
        if name == "seq":
            return _hex(self._commit_positions(found), found.raw(self._lrsn, "log_rba", "member_id"), _ordinals(found))
        if name == "txn_id":
            return _hex(found.raw("member_id", "uor_id"))
        return found.column(_TIMES.get(name, name))

    def _commit_positions(self, found: _Selected) -> Bytes:
        """As `order.commit_position`, as bytes."""
        disposition, lrsn, point = (found.raw(name) for name in _COMMIT_FIELDS)
        codes = self.log.spec.enum("uor_disp")
        is_committed = (disposition == codes["committed"]).all(1)
        has_lrsn = np.asarray(lrsn.any(1))
        position = np.where(has_lrsn[:, None], lrsn, point)
        is_known = np.asarray(is_committed & position.any(1))
        return np.where(is_known[:, None], position, np.uint8(0xFF))


class _Data:
    """DATA of many records under one reading of its halfwords, taken apart from the front; as `lldf.DataReader`."""

    def __init__(self, data: Bytes, starts: Int64s, lengths: Int64s, reading: str) -> None:
        layouts = catalog.load("bmc_lldf_data").layouts
        self._width = layouts["bmc_lldf_data.image"]["length"].width or 0
        self._data, self._reading = data, reading
        self._places, self._ends = starts, starts + lengths
        self._is_sound = np.ones(len(starts), np.bool_)
        if reading == "total":
            self._is_sound &= self._halfword(self._is_sound) == lengths

    def image(self, has: Flags) -> tuple[Int64s, Int64s]:
        """Place and length of the next image, of the records that have one."""
        lengths = self._halfword(has)
        if self._reading == "inclusive":
            lengths = lengths - self._width
        self._is_sound &= ~has | (lengths >= 0)
        lengths = np.where(has & self._is_sound, lengths, 0)
        starts = self._places
        self._places = starts + lengths
        self._is_sound &= self._places <= self._ends
        return starts, lengths

    @property
    def are_filled(self) -> Flags:
        """Which records are sound, and taken apart to their end."""
        filled: Flags = self._is_sound & (self._places == self._ends)
        return filled

    def _halfword(self, has: Flags) -> Int64s:
        fits = self._places + self._width <= self._ends
        self._is_sound &= fits | ~has
        raw = byte_arrays.take_rows(self._data, np.where(fits, self._places, 0), self._width)
        self._places = np.where(has & fits, self._places + self._width, self._places)
        return integers.decode_unsigned_array(raw).astype(np.int64)


def _roles(operation: str) -> tuple[str, ...]:
    """What the images of an operation are, if it has images."""
    return ROLES.get(operation, ())


def _each(values: Sequence[Any], numbers: Int64s) -> npt.NDArray[Any]:
    """The value of each number."""
    return np.array([*values, 0], type(values[0]) if values else np.bool_)[numbers]


def _are_behind(positions: Bytes, bounds: tuple[bytes, ...]) -> Flags:
    """Which of n positions have reached each bound, of shape (n, bounds)."""
    behind = np.zeros((len(positions), len(bounds)), np.bool_)
    for number, bound in enumerate(bounds):
        # As bytes compare: by the first that differs.
        padded = np.frombuffer(bound.ljust(positions.shape[1], b"\x00"), np.uint8)
        differs = positions != padded
        first = differs.argmax(1)
        rows = np.arange(len(positions))
        behind[:, number] = ~differs[rows, first] | (positions[rows, first] > padded[first])
    return behind


def _hex(*parts: Bytes) -> pa.Array:
    """Bytes side by side as upper-case hex."""
    raw = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    count, width = raw.shape
    shown = np.frombuffer(hexlify(raw.tobytes()).upper(), np.uint8)
    return arrays.strings(shown, arrays.steps(count, 2 * width))


def _ordinals(found: _Selected) -> Bytes:
    numbers = (found.window.first_index + found.numbers).astype(">u4")
    return numbers.view(np.uint8).reshape(len(numbers), -1)


def _details(absent: Int64s, reasons: Sequence[str]) -> pa.Array:
    """What the rows say of values that are kept elsewhere, each set of them made once."""
    if not reasons or not absent.any():
        return pa.nulls(len(absent), schemas.TEXT)
    sets, which = np.unique(absent, return_inverse=True)
    texts: list[str | None] = []
    for flags in sets.tolist():
        told = {reason: ABSENT_REASON for number, reason in enumerate(reasons) if flags >> number & 1}
        texts.append(json.dumps({"absent": told}, ensure_ascii=False) if told else None)
    return pa.array(texts, schemas.TEXT).take(pa.array(which))
