"""Resuming: what a reading of the files of a log leaves to the reading of the next ones, see `changes.checkpoint`.

The next reading needs the records from the beginning of the oldest open transaction on. In front of them, it needs the
records that decide about later rows: records that describe tables, and records that open gaps in their rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from lmparse.changes.checkpoint import MOST_FILES, Checkpoint, NeededStretch
from lmparse.db2.files.file_ranges import placed_range
from lmparse.db2.files.joining import known_file
from lmparse.db2.files.settings import LuwSettings, form_of, known_reader
from lmparse.db2.record.log_record import Ids, LogRecord
from lmparse.db2.tables.history import TableRecord
from lmparse.db2.transactions.log_index import LogIndex
from lmparse.db2.transactions.part_reader import IndexedLog
from lmparse.db2.transactions.references import TransactionIndex
from lmparse.db2.transactions.seq import seq_behind
from lmparse.db2.transactions.table_changes import GAP_KINDS, LASTING, described_in, gap_opened_by
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.framing.extents import RecordExtent, Span
from lmparse.framing.windows import Window
from lmparse.records.settings import FileSettings
from lmparse.spec.catalog import Spec
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece

_NUMBER_DIGITS, _LAST_NUMBER = 4, 0xFFFF
"""Hexadecimal digits of the number of a version in front of the record that describes it, and the greatest number. The
next reading counts its versions from that number."""


class ResumedLog(IndexedLog, Protocol):
    """What resuming needs of a log."""

    path: str
    spec: Spec
    settings: FileSettings

    @property
    def log_index(self) -> LogIndex: ...
    @property
    def transactions(self) -> TransactionIndex: ...
    def windows(self, span: Span | None = None) -> Iterator[Window]: ...


def checkpoint_of(log: ResumedLog, before: Checkpoint | None) -> Checkpoint:
    """The checkpoint behind a log; `before` is the checkpoint in front of it.

    Raises FramingError if the log is damaged, and LMP-F013 if one of its records states no position.
    """
    index = log.log_index
    if index.whole.rest.fault is not None:
        raise index.whole.rest.fault
    size = len(log.buffer) - log.options.file_end_offset  # a stretch that is read again has records up to its end
    joined = log.origin.joined or Joined((JoinedPiece(log.path, 0, size),))
    settings = replace(log.settings, own=LuwSettings(log.generation))
    reached, ends = ((0, 0), {}) if before is None else (before.reached, dict(before.ends))
    files = set() if before is None else set(before.files)
    for path in dict.fromkeys(piece.path for piece in joined.pieces if not piece.is_known):
        end = size if log.origin.joined is None else len(open_buffer(path, log.options.bounds))
        found = placed_range(JoinedPiece(path, 0, end), log.options, settings)
        if found is None:
            continue
        if found.unplaced is not None:
            raise _without_position(path, *found.unplaced)
        files.add(known_file(found, log.options))
        if found.last > reached:
            reached = found.last
            for stream, (_, end) in found.streams.items():
                begin = ends[stream][0] if stream in ends else index.whole.beginning.firsts.get(stream, 0)
                ends[stream] = begin, end
    if before is not None and reached == before.reached:
        return before  # open transactions of files read again may have ended in files that are not given again
    pieces = Joined(tuple(_counted(piece, log, settings) for piece in joined.pieces if piece.size))
    first = pieces.records[-1] if index.oldest_open is None else _settled_before(index, index.oldest_open)
    needed = () if index.oldest_open is None else _from_record(log, pieces, first)
    # Behind records that are lost in front of the needed stretches, the log begins anew.
    for piece in pieces.pieces[: len(pieces.pieces) + 1 - len(needed)] if index.whole.beginning.lost else ():
        ends |= {stream: (end, ends[stream][1]) for stream, _, end in piece.lost}
    # A log without a record shows no form.
    form = form_of(settings, log.transactions.lob_columns_from) if pieces.pieces else ()
    return Checkpoint(
        log.spec.id, seq_behind(reached), reached, ends,
        needed=tuple(NeededStretch.of(piece, log.options.bounds) for piece in needed),
        described=tuple(_described(log, before, first)),
        files=tuple(sorted(files, key=lambda one: (one.last, one.first))[-MOST_FILES:]),
        form=form or (() if before is None else before.form),
    )  # fmt: skip


def _counted(piece: JoinedPiece, log: ResumedLog, settings: FileSettings) -> JoinedPiece:
    """A piece with its number of records, which only pieces of joined files have already."""
    found = None if log.origin.joined is not None and piece.records else placed_range(piece, log.options, settings)
    return piece if found is None else found.piece


def _without_position(path: str, number: int, offset: int) -> FramingError:
    """The error of a record without a position. In front of the checkpoint, its changes would be left out."""
    return FramingError(
        "its log sequence number is zero, so that the log cannot be read on from here", code="LMP-F013", file=path,
        record_index=number, record_offset=offset, hint="read the log without a checkpoint",
    )  # fmt: skip


def _settled_before(index: LogIndex, number: int) -> int:
    """The number of a record, at most `number`, in front of which all gaps in tables are known.

    A transaction that opens or closes a gap is wholly in front of the record, or wholly behind it.
    """
    rest = index.whole.rest
    spans = [
        (one.first_index, max(one.last_index, one.reused_at))
        for one in rest.transactions
        if (one.state != "open" or one.is_reused) and any(change.kind in GAP_KINDS for change in one.changes)
    ]
    for first, last in sorted(spans, reverse=True):
        if first < number <= last:
            number = first
    return number


def _from_record(log: ResumedLog, joined: Joined, number: int) -> tuple[JoinedPiece, ...]:
    """The stretches from a record to the end of the log."""
    for place, piece in enumerate(joined.pieces):
        if number >= joined.records[place + 1]:
            continue
        first = joined.records[place]
        for window in log.windows(Span(joined.starts[place], joined.starts[place + 1], first)):
            if number < window.first_index + len(window):
                behind = int(window.offsets[number - window.first_index]) - log.logs.lead - joined.starts[place]
                begun = replace(
                    piece, start=piece.start + behind, first_record=piece.first_record + number - first,
                    records=piece.records - (number - first), lost=(), note="",
                )  # fmt: skip
                return (begun, *joined.pieces[place + 1 :])
    return ()


# -- what later rows are ----------------------------------------------------------------------


def _described(log: ResumedLog, before: Checkpoint | None, first: int) -> Iterator[str]:
    """The records in force in front of record `first`, in hexadecimal with their prefix. For each table: the record
    that describes or drops it, with the number of the version, and the record that opens a gap in its rows."""
    known, gaps = dict[Ids, str](), dict[Ids, str]()
    for text, ids, record in () if before is None else _records_before(log, before):
        (gaps if record.kind in LASTING else known)[ids] = text
    for ids, records in log.transactions.tables.items():
        in_force = [record for record in records if record.is_committed and record.index < first]
        if in_force and (extent := in_force[-1].extent) is not None:
            known[ids] = _kept(log, extent, min(in_force[-1].sequence, _LAST_NUMBER))
    whole = log.log_index.whole
    reasons = {ids: times.at(first) for ids, times in sorted(whole.gaps.items())}
    for transaction in whole.rest.transactions:
        for change in transaction.changes:
            is_in_front = change.op == "S" and change.kind in LASTING and change.extent.index < first
            if is_in_front and change.ids in reasons and (change.notice or {})["gap"] == reasons[change.ids]:
                gaps[change.ids] = _kept(log, change.extent, 0)
    yield from (known[ids] for ids in sorted(known))
    yield from (gaps[ids] for ids, reason in reasons.items() if reason is not None)


def _kept(log: ResumedLog, extent: RecordExtent, number: int) -> str:
    return f"{number:04x}{log.buffer[extent.offset - log.logs.lead : extent.end].hex()}"


def _records_before(log: ResumedLog, before: Checkpoint) -> Iterator[tuple[str, Ids, LogRecord]]:
    """The records of tables in a checkpoint: text as in `Checkpoint.described`, ids of the table, and parsed record.

    Raises OptionError LMP-S030 for a record that says nothing of a table.
    """
    # The checkpoint states their form: an empty file shows none.
    logs = known_reader(before, log.options) or log.logs
    lead = logs.lead
    for text in before.described:
        raw, why = bytes.fromhex(text[_NUMBER_DIGITS:]), ""
        try:
            record = logs.read(raw, RecordExtent(0, ((lead, len(raw) - lead),), None))
            if record.table is not None and _says(record, record.table):
                yield text, record.table, record
                continue
        except DataError as error:
            why = f": {error}"
        raise OptionError(f"the checkpoint has a record that says nothing of a table{why}", code="LMP-S030")


def _says(record: LogRecord, ids: Ids) -> bool:
    """Whether a record describes its table, drops it, or opens a gap. Raises RecordError LMP-R006."""
    if record.kind in LASTING:
        return gap_opened_by(record.kind, record.body) is not None
    return described_in(record.kind, ids, record.body) is not None


def gaps_of(log: ResumedLog, before: Checkpoint) -> dict[Ids, str]:
    """By table, why rows may be missing in front of this reading. Raises OptionError LMP-S030."""
    lasting = ((ids, record) for _, ids, record in _records_before(log, before) if record.kind in LASTING)
    reasons = ((ids, gap_opened_by(record.kind, record.body)) for ids, record in lasting)
    return {ids: reason for ids, reason in reasons if reason is not None}


def seed(log: ResumedLog, tables: dict[Ids, list[TableRecord]], before: Checkpoint) -> dict[Ids, int]:
    """Add the descriptions in a checkpoint to `tables`, in front of the descriptions of the log. Returns, by table, the
    number of the last version in front of the added description."""
    numbers = {}
    for text, ids, record in _records_before(log, before):
        found = described_in(record.kind, ids, record.body)
        if found is None:
            continue
        first = TableRecord(found[0], -1, -1, is_committed=True, is_undone=False, kind=record.kind)
        tables[ids] = [first, *tables.get(ids, [])]
        numbers[ids] = int(text[:_NUMBER_DIGITS], 16) - (found[0] is not None)
    return numbers
