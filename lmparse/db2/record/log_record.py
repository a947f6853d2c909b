"""Log records of Db2 LUW: detection, kind of a record, and its position in the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from kaitaistruct import KaitaiStruct

from lmparse.db2.record import kinds as record_kinds
from lmparse.errors import DataError, FramingError, RecordError
from lmparse.framing.base import Framing
from lmparse.framing.detection import Detection
from lmparse.framing.extents import RecordExtent
from lmparse.framing.framings import framing_of
from lmparse.options import DB2_FRAMINGS
from lmparse.records.reader import RecordReader, kind_of
from lmparse.spec import catalog
from lmparse.spec.layout import Field, Layout
from lmparse.storage.buffers import Buffer
from lmparse.values.codepages import CodePage
from lmparse.values.json_form import to_json

SPEC = "db2_log"
Ids = tuple[int, int]
"""Table space id and table id."""
GENERATIONS = ("v7", "v9.7", "v10")
"""Forms of the log record header."""
BYTE_ORDERS = ("little", "big")
MARGIN = 4
"""Factor by which one generation must explain more records than any other."""
_ROW_FIELDS = ("record", "records", "old_row", "new_row", "data", "payload")
STREAMS = 1 << 16
"""Number of possible log streams. A prefix has more bytes for a log stream than a header and a `seq`."""
UNLISTED = "records of a type or component that is not listed; they are passed over"
NOT_CAPTURED = "changes of rows that are not for propagation (tables without DATA CAPTURE CHANGES); passed over"


class LogReader:
    """Reads the log records of one server."""

    def __init__(self, generation: str, byte_order: str, framing: str, page: CodePage | None = None) -> None:
        self.generation = generation
        self.byte_order = byte_order
        self.byte_order_word: Literal["little", "big"] = "little" if byte_order == "little" else "big"
        server = catalog.load("db2_server")
        order = server.enum("byte_order")[byte_order]
        form = server.enum("generation")[generation.replace(".", "_")]
        self.records = RecordReader(catalog.load(SPEC), code_page=page, arguments=(form, order))
        self.worded = RecordReader(catalog.load(SPEC), code_page=page, arguments=(form, order), labels=True)
        prefix = catalog.load("db2_prefix")
        self._has_prefix = framing != "bare"
        self.prefixes = RecordReader(prefix, arguments=(prefix.enum("framing")[framing], order))
        """Reader of the prefix that the API puts in front of a record."""
        self.lead = framing_of(framing, byte_order=byte_order).lead

    def read(self, buffer: Buffer, extent: RecordExtent) -> LogRecord:
        """The log record with an extent. Raises InvalidValueError, RecordError (LMP-R002: its prefix contradicts
        it)."""
        parsed: Any = self.records.parse(extent.read(buffer))
        prefix = self._prefix(buffer, extent)
        record = LogRecord(extent, parsed, innermost(parsed), kind_of(parsed), prefix)
        stated, own = _prefix_lsn(prefix), _number(getattr(parsed.chain, "lsn", None))
        if stated is not None and own is not None and stated != own:
            raise RecordError(
                "the API and the record name two log sequence numbers", code="LMP-R002", spec=SPEC, field="lsn",
                expected=f"{stated:016X}", found=f"{own:016X}",
            )  # fmt: skip
        lri = getattr(prefix, "record_lri_type1", None)
        if lri is not None and hasattr(parsed.chain, "lfs") and int(lri.part1) != record.lfs:
            raise RecordError(
                "the API and the record name two log flush sequences", code="LMP-R002", spec=SPEC, field="lfs",
                expected=f"{int(lri.part1):016X}", found=f"{record.lfs:016X}",
            )  # fmt: skip
        return record

    def header_of(self, record: LogRecord) -> dict[str, Any]:
        """The fields of a record without its rows, as JSON values; enumerations are words."""
        values = self.worded.values_of(record.parsed).values
        found: dict[str, Any] = to_json({name: value for name, value in values.items() if name not in _ROW_FIELDS})
        return found

    def lsn_and_transaction(self, buffer: Buffer, extent: RecordExtent) -> str:
        """LSN and transaction of a record that may be damaged, in words; empty if its header is not complete."""
        raw = extent.read(buffer)
        layout, base = self.chain
        if len(raw) < base + layout.least_width:
            return ""
        words = [f"LSN {number:016X}" for number in self.lsns(buffer, extent)[:1]]
        return ", ".join([*words, f"transaction {_bytes_of(raw, layout['transaction_id'], base).hex().upper()}"])

    def lsns(self, buffer: Buffer, extent: RecordExtent) -> list[int]:
        """The different LSNs that a record and its prefix state, as far as they are complete."""
        layout, base = self.chain
        found = []
        if "lsn" in layout.by_id and extent.length >= base + layout.least_width:
            found.append(int.from_bytes(_bytes_of(extent.read(buffer), layout["lsn"], base), self.byte_order_word))
        prefix = self._prefix(buffer, extent)
        stated = _prefix_lsn(prefix)
        if stated is not None and stated not in found:
            found.append(stated)
        return found

    def offsets(self, buffer: Buffer, extent: RecordExtent) -> list[int]:
        """The log sequence offset in the prefix of a record; other records refer to the record by this number."""
        lri = getattr(self._prefix(buffer, extent), "record_lri_type2", None)
        return [] if lri is None else [int(lri.part2)]

    def _prefix(self, buffer: Buffer, extent: RecordExtent) -> Any:
        if not self._has_prefix:
            return None
        return self.prefixes.parse(buffer[extent.offset - self.lead : extent.offset]).body

    @property
    def chain(self) -> tuple[Layout, int]:
        """Layout of the header behind length, type and flags, and its offset in bytes."""
        layout = self.records.spec.layouts[f"{SPEC}.chain_{self.generation.replace('.', '')}"]
        return layout, self.records.spec.layout["chain"].offset or 0


@dataclass(slots=True)
class LogRecord:
    """One log record, parsed."""

    extent: RecordExtent
    parsed: Any
    body: Any
    """The innermost part of the record, which depends on its kind."""
    kind: str
    """Spec and word of its kind: `db2_dms.insert_record`."""
    prefix: Any
    """The prefix that the API put in front of the record; None without a prefix."""

    @property
    def transaction_id(self) -> bytes:
        """The six bytes of the transaction identifier."""
        raw: bytes = self.parsed.chain.transaction_id
        return raw

    @property
    def lsn(self) -> int | None:
        """Log sequence number of the record or its prefix; None if neither has it."""
        own = _number(getattr(self.parsed.chain, "lsn", None))
        return own if own is not None else _prefix_lsn(self.prefix)

    @property
    def address(self) -> int | None:
        """The number by which other records name this one: LSO from version 10.1 on, else LSN; None if not stated."""
        if hasattr(self.parsed.chain, "previous_lso"):
            lri = getattr(self.prefix, "record_lri_type2", None)
            return None if lri is None else int(lri.part2)
        return _prefix_lsn(self.prefix)

    @property
    def lfs(self) -> int:
        """Log flush sequence; zero before version 10.1."""
        return int(getattr(self.parsed.chain, "lfs", 0))

    @property
    def stream(self) -> int:
        """Log stream. Headers of 40 bytes do not have it set: then from the prefix; zero without a prefix."""
        own, lri = int(getattr(self.parsed.chain, "log_stream_id", 0)), getattr(self.prefix, "record_lri_type2", None)
        return int(lri.part1) if not own and lri is not None and lri.part1 < STREAMS else own

    @property
    def previous(self) -> int:
        """Address of the previous record of the transaction; zero for its first record."""
        chain = self.parsed.chain
        return _number(getattr(chain, "previous_lsn", None) or getattr(chain, "previous_lso", 0)) or 0

    @property
    def compensated(self) -> int | None:
        """Address of the record that this one compensates; None if the header does not state it."""
        chain = self.parsed.chain
        return _number(getattr(chain, "compensated_lsn", getattr(chain, "compensated_lso", None)))

    @property
    def before_compensated(self) -> int | None:
        """Address of the record before the compensated one in the transaction; None if the header does not state it."""
        chain = self.parsed.chain
        return _number(getattr(chain, "before_compensated_lsn", getattr(chain, "before_compensated_lso", None)))

    @property
    def table(self) -> Ids | None:
        """Table space id and table id; None if the record has none."""
        part = getattr(self.body, "header", None)
        for names in TABLE_NAMES:
            if part is not None and hasattr(part, names[0]):
                return getattr(part, names[0]), getattr(part, names[1])
        body = self.body
        return (body.pool_id, body.object_id) if hasattr(body, "object_pool_list") else None

    @property
    def is_compressed(self) -> bool:
        """Whether its rows are still compressed because the API could not expand them."""
        return bool(getattr(self.prefix, "sqlcode", 0))

    @property
    def is_compensating(self) -> bool:
        """Whether the record takes a change back, by its type or its kind."""
        return bool(self.parsed.is_compensation) or self.kind.partition(".")[2].startswith("undo_")

    @property
    def is_captured(self) -> bool:
        """False for a row, or a piece of one, that is not for propagation: its table has no DATA CAPTURE CHANGES."""
        of_rows = self.kind in record_kinds.ROWS or self.kind in record_kinds.PIECES
        return bool(self.parsed.is_propagatable) or not (of_rows or self.kind == record_kinds.DIFFERENCE)

    @property
    def notes(self) -> tuple[str, ...]:
        """Messages on the record. Equal messages of many records are reported once, with their number."""
        stated, type_ = getattr(self.body, "record_class", None), int(self.parsed.type)
        found = []
        # The type `information_only` fits every kind.
        if stated is not None and type_ not in (int(stated), _types()["information_only"]):
            found.append(f"{self.kind} is {stated.name}, but the type of the record is {type_:#x}")
        if self.kind.startswith(f"{SPEC}.unlisted"):
            found.append(UNLISTED)
        if not self.is_captured:
            found.append(NOT_CAPTURED)
        return tuple(found)


def still_compressed(record: LogRecord) -> RecordError:
    """The error of a record whose rows are still compressed: RecordError LMP-R007."""
    return RecordError(
        "its rows are compressed still: the API could not expand them", code="LMP-R007", spec="db2_prefix",
        field="sqlcode", expected="0", found=str(record.prefix.sqlcode),
    )  # fmt: skip


TABLE_NAMES = (("tablespace_id", "table_id"), ("parent_pool_id", "parent_object_id"))
"""Pairs of fields that name table space and table, in the order in which a header is searched for them."""


def _bytes_of(raw: bytes, field: Field, base: int) -> bytes:
    start = base + (field.offset or 0)
    return raw[start : start + (field.width or 0)]


def attributes(body: Any) -> dict[str, bool]:
    """Attributes that an alter table attribute record sets, by the words of the spec; unlisted bits by number."""
    names = {value: word for word, value in catalog.load("db2_dms").enum("table_attribute").items()}
    bits = (1 << place for place in range(body.attribute_mask.bit_length()))
    set_ = [bit for bit in bits if body.attribute_mask & bit]
    return {names.get(bit, f"bit_{bit:#x}"): bool(body.attribute_values & bit) for bit in set_}


_EARLIEST, _LATEST = 315_532_800, 1 << 32
"""Seconds since 1970 that a commit time can have: from 1980 on, in 32 bits."""


def commit_seconds(value: int | None, byte_order: str) -> int | None:
    """Seconds since 1970 in a time of 4 or 8 bytes: the half that can be a commit time.

    If both halves can be, the half that is first in memory counts, as in seconds and a fraction.
    """
    if value is None:
        return None
    halves = [value & 0xFFFFFFFF, value >> 32]
    likely = [half for half in (halves if byte_order == "little" else reversed(halves)) if _EARLIEST <= half < _LATEST]
    return likely[0] if likely else halves[0]


def innermost(parsed: Any) -> Any:
    """The innermost part of a record, which contains no other body."""
    while isinstance(getattr(parsed, "body", None), KaitaiStruct):
        parsed = parsed.body
    return parsed


@cache
def _types() -> dict[str, int]:
    return catalog.load(SPEC).enum("log_record_type")


def _number(value: Any) -> int | None:
    """A log sequence number as an integer; a number of six bytes consists of half-words."""
    if value is None or isinstance(value, int):
        return value
    return int(value.number)


def _prefix_lsn(prefix: Any) -> int | None:
    if prefix is None:
        return None
    lri = getattr(prefix, "record_lri_type1", None)
    return int(lri.part2) if lri is not None else _number(prefix.lsn)


# -- what proves a log --------------------------------------------------------------------


def detection(framing: str = "auto", byte_order: str = "auto", generation: str = "auto") -> Detection:
    """How log records are recognised, with the framings, byte orders and generations that the arguments allow."""
    names = DB2_FRAMINGS if framing == "auto" else (framing,)
    orders = BYTE_ORDERS if byte_order == "auto" else (byte_order,)
    generations = GENERATIONS if generation == "auto" else (generation,)

    def test(records: list[bytes], framing: Framing) -> str | None:
        found = explained(records, framing.byte_order or "", generations)
        if max(found.values()) > 0:
            return None
        return f"no record is one of generation {' or '.join(generations)}"

    def options(records: list[bytes], framing: Framing) -> dict[str, str]:
        order = framing.byte_order or ""
        return {"byte_order": order, "generation": prove_generation(records, order, generations)}

    def share(records: list[bytes], framing: Framing) -> float:
        return max(explained(records, framing.byte_order or "", generations).values()) / len(records)

    return Detection(
        "Db2 LUW log records",
        test,
        framings=tuple(framing_of(name, byte_order=order) for name in names for order in orders),
        options=options,
        share=share,
        rare=frozenset(["lris"]),
    )


_LONGEST_PROOF = 1 << 20
"""Most bytes of a record that is parsed to prove a form. With a wrong framing, a record may be as long as the file."""


def explained(records: Sequence[bytes], byte_order: str, generations: Sequence[str] = GENERATIONS) -> Mapping[str, int]:
    """Number of records that each generation explains to the last byte, with a body of a known layout."""
    return {generation: sum(map(_explains(generation, byte_order), records)) for generation in generations}


def _explains(generation: str, byte_order: str) -> Callable[[bytes], bool]:
    reader = LogReader(generation, byte_order, "bare").records

    def explains(raw: bytes) -> bool:
        if len(raw) > _LONGEST_PROOF:
            return False
        try:
            parsed = reader.parse(raw)
            record = reader.values_of(parsed)
        except DataError:
            return False
        # A payload accepts any bytes, and so does text up to the end of the record.
        is_open = hasattr(innermost(parsed), "payload")
        texts = (value for value in record.values.values() if isinstance(value, str))
        return not is_open and not record.faults and all(map(str.isprintable, texts))

    return explains


def prove_generation(records: Sequence[bytes], byte_order: str, generations: Sequence[str] = GENERATIONS) -> str:
    """The only generation that explains the records. Raises FramingError LMP-F003 (none does), LMP-F004 (several)."""
    if len(generations) == 1:
        return generations[0]
    counts = explained(records, byte_order, generations)
    best = max(counts, key=lambda name: counts[name])
    said = ", ".join(f"{name}: {count} of {len(records)} records" for name, count in counts.items())
    if not counts[best]:
        raise FramingError("no generation explains a record", code="LMP-F003", found=said, hint="name the generation")
    # A generation that explains all records needs no margin: short records of one form can fit another.
    least = counts[best] if counts[best] == len(records) else counts[best] / MARGIN
    rivals = [name for name, count in counts.items() if name != best and count >= least > 0]
    if rivals:
        raise FramingError(
            f"generation {' and '.join([best, *rivals])} both fit", code="LMP-F004", found=said,
            hint="name the generation of the log record header",
        )  # fmt: skip
    return best
