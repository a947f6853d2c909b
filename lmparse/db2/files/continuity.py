"""Continuity: whether the records of a Db2 LUW log are all there, once each, in their order.

A record names the previous record of its transaction by its address: its log sequence offset from version 10.1 on, its
log sequence number before. Some framings state the address of each record. In the others, the link to a record gives
its address. Addresses count bytes: a record begins where the record before it ends, unless records were left out. The
number of such gaps shows whether the filter of the API left records out.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from lmparse.changes.claims import Claim, Statement
from lmparse.db2.record.kinds import ABORTS, COMMITS, OPERATIONS
from lmparse.db2.record.log_record import MARGIN, LogRecord
from lmparse.framing.extents import RecordExtent
from lmparse.records.origin import RecordOrigin

STATEMENTS = (
    Statement("positions in the log ascend", "records"),
    Statement("no record is there twice in a row", "records"),
    Statement("each record follows the one that it names as the one before in its transaction", "records"),
    Statement("a transaction has ended before its identifier is used again", "transactions"),
    Statement("what a commit or an abort ends is in the log", "ends of transactions"),
    Statement("no bytes are missing between two records", "records"),
    Statement("the prefix agrees with its record", "records"),
)  # fmt: skip
_NO_PREFIX = "the framing has no prefix that says more than an LSN"
_COMPRESSED = "its rows are compressed still"
_NO_LSN = "neither the record nor its prefix contains a log sequence number"
_BEFORE = "the transaction begins before the log at hand"
_DAMAGED = "a record that cannot be read is in between"
_FEW = "nothing proves that no record was left out when the log was read: too few begin where the one before ends"
_UNKNOWN = "no record states or refers to its address"
_SHORT = "the record is shorter in the log than here: its rows were compressed"
_LATE = "the record is out of order"
_ENDS = frozenset((*COMMITS, *ABORTS))


@dataclass(slots=True)
class _Chain:
    """The latest record of a transaction identifier."""

    addresses: array[int]
    place: int
    """Place of the record in `addresses`, the addresses of its log stream."""
    index: int
    previous: int
    address: int | None
    is_ended: bool


@dataclass
class _Stream:
    """Records of one log stream."""

    last: tuple[int, int] = (0, 0)
    """Log flush sequence and log sequence number of the last record."""
    address: int | None = None
    """Address of the last record."""
    first: int | None = None
    """Lowest address of a record."""
    indexes: array[int] = field(default_factory=lambda: array("Q"))
    bytes: int = 0
    """Bytes of the records so far."""
    starts: array[int] = field(default_factory=lambda: array("Q"))
    """Bytes of the records in front of each record."""
    unreadable: array[int] = field(default_factory=lambda: array("Q"))
    """Bytes of the records in front of each record that cannot be read; these may be of any stream."""
    addresses: array[int] = field(default_factory=lambda: array("Q"))
    """Address of each record; zero if it is unknown."""


class Continuity:
    """Tests a log record by record."""

    def __init__(self, origin: RecordOrigin) -> None:
        """`origin` says which file a record is in, if the log consists of several."""
        self._said, self._named = origin.said, origin.said_number
        self._order, self._twice, self._chains, self._begins, self._ends, self._gaps, self._prefix = self._all = [
            statement.claim() for statement in STATEMENTS
        ]
        self._suspects: list[tuple[Claim, str]] = []
        """Failures that count only if the log was read without leaving out records."""
        self._streams: dict[int, _Stream] = {}
        self._latest: dict[bytes, _Chain] = {}
        self._unreadable = 0
        self._damaged = -1
        self._last: tuple[int | None, bytes] = None, b""

    def unreadable(self, extent: RecordExtent) -> None:
        """Note a record that cannot be read."""
        self._unreadable += extent.length
        self._damaged = extent.index

    def add(self, record: LogRecord, raw: bytes) -> None:
        """Test one record."""
        stream = self._streams.setdefault(_stream(record), _Stream())
        self._test_order(record, stream)
        self._test_twice(record, raw)
        self._test_prefix(record)
        address = record.address or None
        if address is not None:
            stream.first = address if stream.first is None else min(stream.first, address)
        stream.indexes.append(record.extent.index)
        stream.starts.append(stream.bytes)
        stream.unreadable.append(self._unreadable)
        stream.bytes += record.extent.length
        stream.addresses.append(address or 0)
        if any(record.transaction_id):
            self._test_chain(record, stream)
        elif record.previous and (record.kind in _ENDS or record.kind in OPERATIONS):
            claim = self._ends if record.kind in _ENDS else self._chains
            claim.test(f"{self._said(record.extent)} follows {record.previous:016X}, but names no transaction")

    def claims(self) -> list[Claim]:
        """The claims after all tests."""
        gaps = [gap for stream in self._streams.values() for gap in self._adjoining(stream)]
        # The filter of the API leaves records out all over a log.
        is_whole = self._gaps.tested >= max(1, MARGIN * len(gaps))
        self._suspects += [(self._gaps, gap) for gap in gaps]
        for claim, failure in self._suspects:
            if is_whole:
                claim.test(failure)
            else:
                claim.untestable[_FEW] += 1
        return self._all

    # -- one record ---------------------------------------------------------------------------

    def _test_order(self, record: LogRecord, stream: _Stream) -> None:
        if record.lsn is None:
            self._order.untestable[_NO_LSN] += 1
            return
        position, address = (record.lfs, record.lsn), record.address or None
        failure = None
        if not record.lsn:
            failure = f"{self._said(record.extent)}: its LSN is zero"
        elif record.address == 0 and stream.first is not None:
            failure = f"{self._said(record.extent)}: its address is zero"
        elif position < stream.last:
            failure = f"{self._said(record.extent)}: LSN {record.lsn:016X} behind {stream.last[1]:016X}"
        elif address is not None and stream.address is not None and address <= stream.address:
            failure = f"{self._said(record.extent)}: address {address:016X} behind {stream.address:016X}"
        self._order.test(failure)
        stream.last, stream.address = position, address

    def _test_twice(self, record: LogRecord, raw: bytes) -> None:
        if record.lsn is None:
            self._twice.untestable[_NO_LSN] += 1
        else:
            is_same = (record.lsn, raw) == self._last
            self._twice.test(f"{self._said(record.extent)}: the same as the record before it" if is_same else None)
            self._last = record.lsn, raw

    def _test_prefix(self, record: LogRecord) -> None:
        prefix = record.prefix
        stated = getattr(prefix, "real_log_rec_len", None)
        if stated is None:
            self._prefix.untestable[_NO_PREFIX] += 1
            return
        wrong = list(_contradictions(record))
        if not record.is_compressed and stated != record.extent.length:
            wrong.append(f"realLogRecLen is {stated}, but the record has {record.extent.length} bytes")
        if record.is_compressed and not wrong:
            self._prefix.untestable[_COMPRESSED] += 1
        else:
            self._prefix.test(f"{self._said(record.extent)}: {'; '.join(wrong)}" if wrong else None)

    def _test_chain(self, record: LogRecord, stream: _Stream) -> None:
        known = self._latest.get(record.transaction_id)
        previous, is_end = record.previous, record.kind in _ENDS
        if not previous:
            self._test_beginning(record, known)
        elif known is None or (known.is_ended and previous > (known.address or known.previous)):
            self._test_unknown(record, stream, self._ends if is_end else self._chains)
        else:
            self._test_link(record, known, self._ends if is_end else self._chains)
            if known.address is None and previous > known.previous:
                known.addresses[known.place] = previous
        self._latest[record.transaction_id] = _Chain(
            stream.addresses, len(stream.addresses) - 1, record.extent.index, previous, record.address or None,
            is_end or bool(record.parsed.is_singular),
        )  # fmt: skip

    def _test_beginning(self, record: LogRecord, known: _Chain | None) -> None:
        if known is not None and not known.is_ended:
            if self._damaged > known.index:
                self._begins.untestable[_DAMAGED] += 1
                return
            begun = f"begins transaction {record.transaction_id.hex().upper()}"
            open_ = f"which has not ended behind {self._named(known.index)}"
            self._begins.test(f"{self._said(record.extent)} {begun}, {open_}")
        else:
            self._begins.test()

    def _test_unknown(self, record: LogRecord, stream: _Stream, claim: Claim) -> None:
        """Test the link of the first record of a transaction at hand."""
        if self._damaged >= 0:
            claim.untestable[_DAMAGED] += 1
        elif stream.first is None or not record.address or record.previous < stream.first:
            claim.untestable[_BEFORE] += 1
        else:
            self._suspects.append(
                (claim, f"{self._said(record.extent)}: nothing is at {record.previous:016X}, which it follows")
            )

    def _test_link(self, record: LogRecord, known: _Chain, claim: Claim) -> None:
        """Test the link of a record to the record before it in its transaction."""
        previous = record.previous
        least = known.previous + 1 if known.address is None else known.address
        if previous < least:
            later = f"{self._named(known.index)} comes later in its transaction"
            claim.test(f"{self._said(record.extent)} follows {previous:016X}, but {later}")
        elif known.address in (None, previous):
            claim.test()
        elif self._damaged > known.index:
            claim.untestable[_DAMAGED] += 1
        else:
            missing = f"a record at {previous:016X} is missing behind {self._named(known.index)}"
            self._suspects.append((claim, f"{self._said(record.extent)}: {missing}"))

    # -- addresses ----------------------------------------------------------------------------

    def _adjoining(self, stream: _Stream) -> list[str]:
        """Test that records adjoin. Returns messages on places where bytes are missing or too many."""
        gaps = []
        before: tuple[int, int, int, int] | None = None
        places = zip(stream.indexes, stream.starts, stream.addresses, stream.unreadable, strict=True)
        for index, start, address, unreadable in places:
            if not address:
                self._gaps.untestable[_UNKNOWN] += 1
                continue
            if before is not None:
                missing, bad = (address - before[2]) - (start - before[1]), unreadable - before[3]
                is_told = len(self._streams) == 1 or not 0 <= missing < bad
                missing -= bad if is_told else 0
                if not missing:
                    self._gaps.test()
                elif not is_told:
                    self._gaps.untestable[_DAMAGED] += 1
                elif missing < 0 and stream.first is not None:
                    self._gaps.untestable[_SHORT if address > before[2] else _LATE] += 1
                else:
                    words = f"{missing} bytes are missing" if missing > 0 else f"there are {-missing} bytes too many"
                    gaps.append(f"between {self._named(before[0])} and {self._named(index)}: {words}")
            before = index, start, address, unreadable
        return gaps


def _stream(record: LogRecord) -> int:
    """Log stream of a record, from the prefix if there is one: headers of 40 bytes do not have it set."""
    lri = getattr(record.prefix, "record_lri_type2", None)
    return record.stream if lri is None else int(lri.part1)


def _contradictions(record: LogRecord) -> Iterator[str]:
    """Contradictions of the log record identifiers in a prefix to the manual or to the record, in words."""
    for number in (1, 2):
        lri = getattr(record.prefix, f"record_lri_type{number}", None)
        if lri is None:
            return
        if lri.lri_type != number:
            yield f"lriType is {lri.lri_type}, not {number}"
        # Headers of 40 bytes do not have the stream set.
        if number == 2 and record.stream not in (0, lri.part1):
            yield f"part1 of type 2 is {lri.part1}, but the record has {record.stream}"
