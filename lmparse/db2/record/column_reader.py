"""Reader of record columns: the fields of log records that decide about transactions, as arrays.

The fixed part of the header is at one place in all records. The other fields are read form by form. A record is parsed
by itself if it does not fit the arithmetic of its form, or if the form has no arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from lmparse.db2.record import kinds as record_kinds
from lmparse.db2.record.forms import Fields, Place, RecordForm, Role, places
from lmparse.db2.record.log_record import SPEC, STREAMS, LogReader, LogRecord, commit_seconds
from lmparse.db2.record.parsed_records import ParsedRecords, members_of
from lmparse.db2.record.record_table import (
    NO_AUTHID,
    NO_TIME,
    ChangedRows,
    Ends,
    Members,
    Pieces,
    RecordTable,
    Undos,
    links_of,
)
from lmparse.db2.record.row_images import RowImages
from lmparse.errors import DataError
from lmparse.framing.windows import Window
from lmparse.limits import Held
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer
from lmparse.values.byte_arrays import Bytes, Flags, Int64s, UInt64s, places_by_value, stand_in, take_rows
from lmparse.values.codepages import CodePage

T = TypeVar("T")
ERROR_BYTES = 2600
"""Bytes of memory that the error of one record takes; measured."""
MOST_FORMS = 1 << 12
"""Most forms, and most headers, that a reader learns; servers write some hundred. Others are parsed one by one."""
_NO_BYTE = 256
"""In place of component or function: the record ends before that byte."""


@dataclass(frozen=True)
class _Header:
    """The header of records of one type with the same flags."""

    base: int
    """Bytes of the header."""
    has_component: bool
    """Whether the two bytes behind the header are a component and a function."""
    places: dict[str, Place]
    """By id, the fields of the header behind length, type and flags."""


class RecordColumnReader:
    """Reads the records of one log into columns. `authids` has the number of each authorization id."""

    def __init__(
        self, logs: LogReader, buffer: Buffer, framing_name: str, page: CodePage, held: Held, *, is_parsed: bool = False
    ) -> None:
        """With `is_parsed`, the generated parser reads each record by itself, as the engine `kaitai` does."""
        self.is_parsed = is_parsed
        self.held = held
        """Counts the memory of the errors of records."""
        self.forms: list[RecordForm] = []
        self.authids: dict[str, int] = {}
        self.logs, self.buffer, self.page = logs, buffer, page
        self.spec = logs.records.spec
        self.fields = Fields(self.spec.layouts, logs.byte_order_word)
        self.images = RowImages(self.fields)
        self._headers: dict[int, _Header] = {}
        self._numbers: dict[int, int] = {}
        """Numbers of forms by type, flags, component and function."""
        self._parsed_forms: dict[str, int] = {}
        """Numbers of forms by kind, for records that are parsed by themselves."""
        self.chain, self.chain_base = logs.chain
        self.prefix = places_of_prefix(framing_name)
        self.lead = logs.lead

    def read(self, window: Window) -> RecordTable:
        """The record table of a window whose data begin `lead` bytes in front of its first record."""
        return _Batch(self, window).columns()

    def heads(self, window: Window) -> tuple[Members, Flags] | None:
        """The fixed part of the header of each record of such a window, and which headers are sound; None without a
        header.

        A sound header states the length of its record, and the LSN and LFS of its prefix.
        """
        return _Batch(self, window).head()

    # -- headers and forms ----------------------------------------------------------------

    def header_of(self, key: int, record: LogRecord | None) -> _Header | None:
        """The header of a type with flags, learned from `record` if it is new; None if it is not known."""
        found = self._headers.get(key)
        if found is None and record is not None and len(self._headers) < MOST_FORMS:
            base = record.extent.length - record.parsed.body._io.size()
            has_component = self.spec.layout_of(record.parsed.body).id == f"{SPEC}.component_record"
            inside = places(self.chain, base - self.chain_base, self.chain_base)
            found = self._headers[key] = _Header(base, has_component, inside)
        return found

    def parsed_form(self, record: LogRecord) -> int:
        """The number of the form of all records of a kind that are parsed by themselves."""
        found = self._parsed_forms.get(record.kind)
        if found is None:
            found = self._parsed_forms[record.kind] = len(self.forms)
            self.forms.append(RecordForm.of(record, self.spec))
        return found

    def form_number(self, key: int, record: LogRecord | None) -> int | None:
        """The number of the form with a key, learned from `record` if it is new; None if it is not known."""
        found = self._numbers.get(key)
        if found is None and record is not None and len(self._numbers) < MOST_FORMS:
            found = self._numbers[key] = len(self.forms)
            self.forms.append(RecordForm.of(record, self.spec))
        return found


def places_of_prefix(framing_name: str) -> dict[str, Place]:
    """Places of `lfs`, `lsn`, `stream`, `lso` and `sqlcode` in the prefix of a framing, as far as it has them."""
    layouts = catalog.load("db2_prefix").layouts
    layout = layouts[f"db2_prefix.{framing_name}"]
    found: dict[str, Place] = {}
    for field in layout:
        if field.type is not None and field.id.startswith("record_lri"):
            parts, is_first = layouts[field.type], field.id == "record_lri_type1"
            words = ("lfs", "lsn") if is_first else ("stream", "lso")
            for word, name in zip(words, ("part1", "part2"), strict=True):
                found[word] = (field.offset or 0) + (parts[name].offset or 0), parts[name]
        elif field.id in ("lsn", "sqlcode"):
            found[field.id] = field.offset or 0, field
    return found


class _Batch:
    """Makes the columns of the records of one window."""

    def __init__(self, reader: RecordColumnReader, window: Window) -> None:
        self.reader, self.window = reader, window
        self.data, self.starts, self.lengths = window.data, window.starts, window.lengths
        count = len(window)
        self.form = np.full(count, -1, np.int32)
        self.role = np.full(count, Role.MEMBER, np.int32)
        self.base = np.zeros(count, np.int64)
        self.parsed: dict[int, LogRecord | DataError] = {}
        self.found = RecordTable(count, int(window.offsets[-1] + window.lengths[-1]))
        self.rows: list[ChangedRows] = []
        self.undos: list[Undos] = []
        self.ends: list[Ends] = []
        self.pieces: list[Pieces] = []
        self.entries = ParsedRecords(reader.images, reader.logs.byte_order)

    def columns(self) -> RecordTable:
        """The record table of the window."""
        head = None if self.reader.is_parsed else self.head()
        if head is not None:
            members, is_sound = head
            self._find_forms(is_sound)
            forms = self.form.copy()  # `_read_form` takes the form away from records that do not fit
            for number, which in places_by_value(forms):
                if number >= 0:
                    self._read_form(self.reader.forms[number], which)
        for place in np.flatnonzero(self.form < 0).tolist():
            self._take_parsed(place)
        for name, arrays in self.entries.arrays():
            getattr(self, name).append(arrays)
        if head is None:
            parsed = {place: record for place, record in self.parsed.items() if isinstance(record, LogRecord)}
            members = members_of(self.window, parsed, self.role, self.form)
        is_member = np.ones(len(self.window), np.bool_)
        is_member[[place for place, found in self.parsed.items() if isinstance(found, DataError)]] = False
        self.found.links = links_of(members.take(is_member))
        is_member &= (self.role != Role.APART) & ((self.role != Role.MEMBER) | (members.tid != 0))
        return self._finished(members, is_member)

    def _finished(self, members: Members, is_member: Flags) -> RecordTable:
        found, numbers = self.found, np.cumsum(is_member) - 1
        if len(members):
            found.members = members.take(is_member)
        for name, parts in (("rows", self.rows), ("undos", self.undos), ("ends", self.ends), ("pieces", self.pieces)):
            if parts:
                whole = type(parts[0]).joined(parts)  # type: ignore[arg-type]
                keys = (whole.number, whole.member) if isinstance(whole, ChangedRows) else (whole.member,)
                whole = whole.take(np.lexsort(keys)) if len(parts) > 1 or name == "rows" else whole
                whole.member[:] = numbers[whole.member]
                setattr(found, name, whole)
        return found

    # -- the fixed part of the header -------------------------------------------------------

    def head(self) -> tuple[Members, Flags] | None:
        """As `RecordColumnReader.heads`. Sets `key` and `is_compressed` too."""
        reader, window = self.reader, self.window
        fields, lead = reader.fields, reader.lead
        width = reader.chain_base + reader.chain.least_width
        is_sound = self.lengths >= width
        starts = stand_in(self.starts, is_sound)
        if starts is None:
            return None
        rows = take_rows(self.data, starts - lead, lead + width)
        prefix = {name: fields.numbers(rows, place) for name, place in reader.prefix.items()}
        chain = places(reader.chain, reader.chain.least_width, lead + reader.chain_base)
        zeros = np.zeros(len(window), np.uint64)

        def number(*names: str) -> UInt64s:
            return next((fields.numbers(rows, chain[name]) for name in names if name in chain), zeros)

        layout = reader.spec.layout
        self.key = np.zeros(len(window), np.int64)
        for name in ("type", "general_flag"):
            field = layout[name]
            value = fields.numbers(rows, (lead + (field.offset or 0), field)).view(np.int64)
            self.key = self.key << 8 * (field.width or 0) | value
        own = fields.numbers(rows, chain["lsn"]) if "lsn" in chain else None
        lsn = prefix.get("lsn") if own is None else own
        if own is not None and "lsn" in prefix:
            is_sound &= own == prefix["lsn"]
        if "lfs" in chain and "lfs" in prefix:
            is_sound &= number("lfs") == prefix["lfs"]
        length = layout["length"]
        is_sound &= fields.numbers(rows, (lead + (length.offset or 0), length)).view(np.int64) == self.lengths
        self.is_compressed = prefix["sqlcode"] != 0 if "sqlcode" in prefix else np.zeros(len(window), np.bool_)
        stream, stated = number("log_stream_id"), prefix.get("stream", zeros)  # as `LogRecord.stream`
        offset, tid = chain["transaction_id"]
        return Members(
            index=np.arange(len(window)) + window.first_index,
            offset=window.offsets,
            length=self.lengths,
            tid=Fields(fields.layouts, "big").numbers(rows, (offset, tid)),
            previous=number("previous_lsn", "previous_lso"),
            lsn=window.offsets.astype(np.uint64) if lsn is None else lsn,
            lfs=number("lfs"),
            stream=np.where((stream == 0) & (stated < STREAMS), stated, stream).view(np.int64),
            address=prefix.get("lso" if "previous_lso" in chain else "lsn", zeros),
            role=self.role,
            form=self.form,
        ), is_sound

    # -- forms ------------------------------------------------------------------------------

    def _find_forms(self, is_sound: Flags) -> None:
        """Set the form and the bytes of the header of each record whose header is sound."""
        has_component = np.zeros(len(self.key), np.bool_)
        for key, which in places_by_value(self.key):
            header = self._learned(self.reader.header_of, key, which[is_sound[which]])
            if header is not None:
                self.base[which], has_component[which] = header.base, header.has_component
        is_sound = is_sound & (self.base > 0) & (self.lengths >= self.base)
        code = np.zeros(len(self.key), np.int64)
        for place in (0, 1):
            byte = np.full(len(self.key), _NO_BYTE, np.int64)
            has = np.flatnonzero(is_sound & has_component & (self.lengths > self.base + place))
            byte[has] = self.data[self.starts[has] + self.base[has] + place]
            code = code << 9 | byte
        for key, which in places_by_value(self.key << 18 | code):
            places_ = which[is_sound[which]]
            if len(places_):
                form = self._learned(self.reader.form_number, key, places_)
                self.form[places_] = -1 if form is None else form

    def _learned(self, get: Callable[[int, LogRecord | None], T | None], key: int, which: Int64s) -> T | None:
        """The header or form of a key. `get` learns a new key from the first record of `which` that is good."""
        found = get(key, None)
        for place in () if found is not None else which.tolist():
            record = self._parse(place)
            if isinstance(record, LogRecord):
                return get(key, record)
        return found

    def _parse(self, place: int) -> LogRecord | DataError:
        found = self.parsed.get(place)
        if found is None:
            extent = self.window.extent(place)
            try:
                found = self.reader.logs.read(self.reader.buffer, extent)
            except DataError as error:
                place_ = {"record_index": extent.index, "record_offset": extent.offset}
                self.reader.held.take(ERROR_BYTES, **place_)
                found = error
                self.found.bad.append((extent, error))
            self.parsed[place] = found
        return found

    # -- records of one form ------------------------------------------------------------------

    def _read_form(self, form: RecordForm, which: Int64s) -> None:
        """Read the records that fit a form. The other records lose the form and are parsed by themselves."""
        least = form.layout.least_width
        lengths = self.lengths[which] - form.base
        is_fitting = lengths >= least if form.fit else np.zeros(len(which), np.bool_)
        starts = stand_in(self.starts[which] + form.base, is_fitting)
        if starts is not None and form.fit:
            rows = take_rows(self.data, starts, least)
            is_fitting &= self.reader.images.fitting(
                form, self.data, rows, starts, np.where(is_fitting, lengths, least)
            )
        self.form[which[~is_fitting]] = -1
        which, rows_ = which[is_fitting], None if starts is None or not form.fit else rows[is_fitting]
        if not len(which) or rows_ is None:
            return
        self.role[which] = form.role
        for note in form.notes:
            self.found.counts[note] += len(which)
        if form.has_rows:
            self._change(form, which, rows_)
        elif form.role == Role.UNDO:
            self._undo(form, which, rows_)
        elif form.role == Role.PIECE:
            self._piece(form, which, rows_)
        elif form.role in (Role.COMMIT, Role.ABORT):
            self._end(form, which, rows_)

    def _change(self, form: RecordForm, which: Int64s, rows: Bytes) -> None:
        offset = self.window.offsets[which] - self.starts[which]
        starts, lengths = self.starts[which] + form.base, self.lengths[which] - form.base
        found = self.reader.images.of(form, self.data, rows, starts, lengths)
        ids = self.reader.images.ids(form, rows)
        for image in found:
            chosen = image.which
            self.rows.append(
                ChangedRows(
                    member=which[chosen],
                    number=np.full(len(chosen), image.number),
                    ids=ids[chosen],
                    rid=image.rid,
                    is_half=image.is_half,
                    is_compressed=self.is_compressed[which[chosen]],
                    before_types=self.reader.images.types(self.data, image.before, image.before_length),
                    after_types=self.reader.images.types(self.data, image.after, image.after_length),
                    before=np.where(image.before < 0, -1, image.before + offset[chosen]),
                    before_length=image.before_length,
                    after=np.where(image.after < 0, -1, image.after + offset[chosen]),
                    after_length=image.after_length,
                )
            )

    def _undo(self, form: RecordForm, which: Int64s, rows: Bytes) -> None:
        fields = self.reader.fields
        keys = self.key[which]
        for key, chosen in places_by_value(keys):
            header = self.reader.header_of(key, None)
            assert header is not None
            held: list[Any] = []
            for word in ("compensated", "before_compensated"):
                place = header.places.get(f"{word}_lsn") or header.places.get(f"{word}_lso")
                values = np.zeros(len(chosen), np.uint64)
                if place is not None:
                    values = fields.numbers_at(self.data, self.starts[which[chosen]] + place[0], place[1])
                held += [values, np.full(len(chosen), place is not None)]
            ids, rids = self.reader.images.ids(form, rows), self.reader.images.rids(form, rows)
            self.undos.append(Undos(which[chosen], ids[chosen], rids[chosen], *held))

    def _piece(self, form: RecordForm, which: Int64s, rows: Bytes) -> None:
        layout, fields = form.layout, self.reader.fields
        column, address, length = (
            fields.numbers(rows, (layout[name].offset or 0, layout[name]))
            for name in ("column_id", "byte_address", "data_length")
        )
        has_data = np.full(len(which), "data" in layout.by_id)
        ids = self.reader.images.ids(form, rows)
        self.pieces.append(Pieces(which, ids, column.view(np.int64), address, length.view(np.int64), has_data))

    def _end(self, form: RecordForm, which: Int64s, rows: Bytes) -> None:
        layout, fields = form.layout, self.reader.fields
        time = np.full(len(which), NO_TIME)
        if "time_committed" in layout.by_id:
            field = layout["time_committed"]
            values = fields.numbers(rows, (field.offset or 0, field))
            different, inverse = np.unique(values, return_inverse=True)
            seconds = [commit_seconds(value, self.reader.logs.byte_order) for value in different.tolist()]
            time = np.array(seconds, np.int64)[inverse]
        authid = np.full(len(which), NO_AUTHID)
        if form.role == Role.COMMIT:
            starts, lengths = self._authids(form, which)
            for length, chosen in places_by_value(lengths):
                if not length:
                    continue
                raw = take_rows(self.data, starts[chosen], length).view(f"V{length}")[:, 0]
                different, inverse = np.unique(raw, return_inverse=True)
                for number, places in places_by_value(inverse):
                    same = chosen[places]
                    authid[same] = self._authid(which[same], different[number].tobytes())
        self.ends.append(Ends(which, time, authid))

    def _authids(self, form: RecordForm, which: Int64s) -> tuple[Int64s, Int64s]:
        """Start and length of the authorization id of each commit; length zero if the form has none."""
        layout = form.layout
        if "authid" not in layout.by_id:
            return self.starts[which], np.zeros(len(which), np.int64)
        offset = layout["authid"].offset or 0
        starts = self.starts[which] + form.base + offset
        return starts, np.maximum(self.lengths[which] - form.base - offset, 0)

    def _authid(self, places_: Int64s, raw: bytes) -> int:
        """The number of the authorization id of the commits at some places. Adds faults if it is not text."""
        authids = self.reader.authids
        for place in places_.tolist() if raw else ():
            try:
                return authids.setdefault(self.reader.page.decode(raw.rstrip(b"\x00 ")), len(authids))
            except DataError as error:
                self.found.faults.append((self.window.extent(place), error.at(spec="db2_transaction", field="authid")))
        return NO_AUTHID

    # -- records that are parsed by themselves --------------------------------------------------

    def _take_parsed(self, place: int) -> None:
        record = self._parse(place)
        if isinstance(record, DataError):
            return
        raw = getattr(record.body, "authid", None) if record.kind in record_kinds.COMMITS else None
        authid = NO_AUTHID if raw is None else self._authid(np.array([place]), raw)
        try:
            role = self.entries.add(place, record, self.found, authid)
        except DataError as error:
            self.found.bad.append((record.extent, error))
            return
        self.role[place] = role
        if role != Role.MEMBER:
            self.form[place] = self.reader.parsed_form(record)
        self.found.counts.update(record.notes)
