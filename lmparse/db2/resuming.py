"""Resuming: what reading the files of a log so far leaves to the reading of the next ones, see `changes.checkpoint`.

Needed again are the records from the first one of the oldest transaction that has not ended, the descriptions of tables
that are in force, and the tables of which rows may be missing there. Transactions whose first record was not read are
not waited for: they stay incomplete, and so their identifiers are kept until they end. But what such a transaction says
of a table holds or not by its end, and so is needed again too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from lmparse.changes.checkpoint import MOST_KNOWN, MOST_UNREAD, Checkpoint, NeededStretch
from lmparse.db2 import lob_columns
from lmparse.db2.definitions import described_in
from lmparse.db2.file_form import form_of, known_reader
from lmparse.db2.file_ranges import placed_range
from lmparse.db2.gaps import KINDS
from lmparse.db2.known_records import last_record_of
from lmparse.db2.log_beginning import evidence_of, evidence_of_back, named
from lmparse.db2.log_index import LogIndex
from lmparse.db2.order import seq_behind
from lmparse.db2.part_reader import IndexedLog
from lmparse.db2.settings import LuwSettings
from lmparse.db2.table_history import TableRecord
from lmparse.db2.tables import Ids, Table
from lmparse.db2.transaction_index import TransactionIndex
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import Window
from lmparse.records.settings import FileSettings
from lmparse.spec.catalog import Spec
from lmparse.storage.joined import Joined, JoinedPiece

_ID_DIGITS = 10
"""Digits of the id of a table or table space at most."""
_NUMBER_DIGITS, _LAST_NUMBER = 4, 0xFFFF
"""Hexadecimal digits of the number of a version in front of the record that describes it, and the last one that it can
be: the versions of the next reading are counted from there."""


class ResumedLog(IndexedLog, Protocol):
    """What resuming asks of a log."""

    path: str
    spec: Spec
    settings: FileSettings

    @property
    def log_index(self) -> LogIndex: ...
    @property
    def transactions(self) -> TransactionIndex: ...
    def windows(self, span: Span | None = None) -> Iterator[Window]: ...


def checkpoint_of(log: ResumedLog, before: Checkpoint | None) -> Checkpoint:
    """The checkpoint behind a log, of which `before` was the one in front.

    Raises FramingError if the log is damaged, and LMP-F013 if one of its records states no position.
    """
    index = log.log_index
    if index.whole.rest.fault is not None:
        raise index.whole.rest.fault
    size = len(log.buffer) - log.options.file_end_offset  # what is read again has records up to its end
    joined = log.origin.joined or Joined((JoinedPiece(log.path, 0, size),))
    settings = replace(log.settings, own=LuwSettings(log.generation))
    reached, ends = ((0, 0), {}) if before is None else (before.reached, dict(before.ends))
    unread = [] if before is None else list(before.unread)
    known = {} if before is None else dict(before.known)
    evidence: set[str] = set()
    pieces = []
    for piece in (piece for piece in joined.pieces if piece.size):
        found = placed_range(piece, log.options, settings)
        if found is not None and found.unplaced is not None:
            raise _without_position(piece.path, *found.unplaced)
        pieces.append(piece if found is None else found.stretch)
        if found is not None:
            if found.first > reached and (piece.missing != 0 or reached == (0, 0)):
                unread.append((reached, found.first))
            if found.last > reached:
                evidence |= evidence_of_back(found.addresses.back_behind(ends))
                reached, ends = found.last, ends | found.addresses.ends_behind(ends)
            known |= last_record_of(found, log.options)
    if before is not None and reached == before.reached:
        return before  # transactions that are open in files read again may have ended in files that are not here
    joined = Joined(tuple(pieces))
    oldest = _oldest_open(index)
    first = joined.records[-1] if oldest is None else _settled_before(index, oldest)
    needed = () if oldest is None else _from_record(log, joined, first)
    stretches = tuple(NeededStretch.of(piece, log.options.bounds) for piece in needed)
    reasons = {f"{one}.{other}": times.at(first) for (one, other), times in sorted(index.whole.gaps.items())}
    gaps = {ids: reason for ids, reason in reasons.items() if reason is not None}
    described = tuple(_described(log, before, first))
    # What the others lack is found again with their first records. In what is read again, others may have their
    # identifiers in front of them, and lack nothing.
    cut = {tid for tid, number in index.cut.items() if number < first}
    # A log without a record shows no form.
    form = form_of(settings) if pieces or (before is not None and before.form) else ()
    beginning, first_column = index.whole.beginning, log.transactions.lob_columns_from
    evidence |= beginning.evidence | evidence_of(joined) | lob_columns.evidence_of(first_column)
    return Checkpoint(
        log.spec.id, seq_behind(reached), reached, ends, stretches, described, gaps, form,
        begins=beginning.firsts, cut=named(cut),
        evidence=tuple(sorted(evidence)),
        unread=tuple(unread[-MOST_UNREAD:]), missing=beginning.missing,
        known=tuple(sorted(known.items())[-MOST_KNOWN:]),
    )  # fmt: skip


def _without_position(path: str, number: int, offset: int) -> FramingError:
    """The error of a record that could be in front of the checkpoint, where its changes would be left out."""
    return FramingError(
        "its log sequence number is zero, so that the log cannot be read on from here", code="LMP-F013", file=path,
        record_index=number, record_offset=offset, hint="read the log without a checkpoint",
    )  # fmt: skip


def _oldest_open(index: LogIndex) -> int | None:
    """The number of the first record that is needed again; None if none is.

    Of transactions that lack records, which are not waited for, only those that describe tables: whether they hold
    shows the end of the transaction.
    """
    found = [] if index.oldest_open is None else [index.oldest_open]
    for records in index.whole.rest.tables.values():
        found += [one.index for one in records if one.is_open and one.until is None and one.tid in index.cut]
    return min(found, default=None)


def _settled_before(index: LogIndex, number: int) -> int:
    """The number of a record, at most `number`, in front of which it is known which rows of tables may be missing.

    A transaction that opens or closes such a gap is then all in front of it, or all behind it.
    """
    rest = index.whole.rest
    spans = [
        (one.first_index, max(one.totals.last_index, one.reused_at))
        for one in rest.transactions
        if (one.state != "open" or one.is_reused) and any(change.kind in KINDS for change in one.changes)
    ]
    for first, last in sorted(spans, reverse=True):
        if first < number <= last:
            number = first
    return number


def gaps_of(before: Checkpoint) -> dict[Ids, str]:
    """The tables of which rows may be missing, with reasons. Raises OptionError LMP-S030 for other ids."""
    found: dict[Ids, str] = {}
    for text, reason in before.gaps.items():
        space, _, table = text.partition(".")
        if not (_is_id(space) and _is_id(table)):
            raise OptionError(f"the checkpoint has a gap of {text!r}, which is no table", code="LMP-S030")
        found[int(space), int(table)] = reason
    return found


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _ID_DIGITS


def _from_record(log: ResumedLog, joined: Joined, number: int) -> tuple[JoinedPiece, ...]:
    """The stretches from a record to the end."""
    for place, piece in enumerate(joined.pieces):
        if number >= joined.records[place + 1]:
            continue
        first = joined.records[place]
        for window in log.windows(Span(joined.starts[place], joined.starts[place + 1], first)):
            if number < window.first_index + len(window):
                behind = int(window.offsets[number - window.first_index]) - log.logs.lead - joined.starts[place]
                begun = replace(
                    piece, start=piece.start + behind, first_record=piece.first_record + number - first,
                    records=piece.records - (number - first), missing=0,
                )  # fmt: skip
                return (begun, *(replace(one, missing=0) for one in joined.pieces[place + 1 :]))
    return ()


# -- descriptions of tables -------------------------------------------------------------------


def _described(log: ResumedLog, before: Checkpoint | None, first: int) -> Iterator[str]:
    """The record of the description of each table that is in force in front of a record, or that dropped the table, as
    hexadecimal, with its prefix. Later ones are read again."""
    known = {} if before is None else {ids: text for ids, text, _, _ in _described_before(log, before)}
    for ids, records in log.transactions.tables.items():
        in_force = [record for record in records if record.is_committed and record.index < first]
        if in_force and in_force[-1].extent is not None:
            extent = in_force[-1].extent
            text = log.buffer[extent.offset - log.logs.lead : extent.end].hex()
            known[ids] = f"{min(in_force[-1].sequence, _LAST_NUMBER):04x}{text}"
    yield from (known[ids] for ids in sorted(known))


def _described_before(log: ResumedLog, before: Checkpoint) -> Iterator[tuple[Ids, str, str, Table | None]]:
    # The checkpoint says their form: an empty file shows none.
    logs = known_reader(before, log.options) or log.logs
    lead = logs.lead
    for text in before.described:
        raw = bytes.fromhex(text[_NUMBER_DIGITS:])
        try:
            record = logs.read(raw, RecordExtent(0, ((lead, len(raw) - lead),), None))
            found = None if record.table is None else described_in(record.kind, record.table, record.body)
        except DataError as error:
            raise _not_describing(str(error)) from None
        if record.table is None or found is None:
            raise _not_describing("")
        yield record.table, text, record.kind, found[0]


def _not_describing(why: str) -> OptionError:
    """The error of a record in a checkpoint that describes no table."""
    return OptionError(
        "the checkpoint has a record that describes no table" + (f": {why}" if why else ""), code="LMP-S030"
    )


def seed(log: ResumedLog, tables: dict[Ids, list[TableRecord]], before: Checkpoint) -> dict[Ids, int]:
    """Add the descriptions in a checkpoint to those of the log, in front of them. Returns for each table the number of
    the last version in front of these."""
    numbers = {}
    for ids, text, kind, table in _described_before(log, before):
        first = TableRecord(table, -1, -1, is_committed=True, is_undone=False, kind=kind)
        tables[ids] = [first, *tables.get(ids, [])]
        numbers[ids] = int(text[:_NUMBER_DIGITS], 16) - (table is not None)
    return numbers
