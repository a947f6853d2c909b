"""Control file: the records that describe the data file of a logical log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from kaitaistruct import EndOfStreamError

from lmparse.bmc.record.change_record import longest
from lmparse.errors import ControlError, DataError, FramingError, LeftoverError
from lmparse.framing.base import Framing
from lmparse.framing.descriptors import RULES, cut_short, excerpt, no_record
from lmparse.framing.detection import Detection, detect
from lmparse.framing.framings import described, framing_of
from lmparse.framing.rdw import WordFraming
from lmparse.limits import DEFAULT, Limits
from lmparse.records.reader import RecordReader, Values
from lmparse.spec import catalog
from lmparse.storage.buffers import Buffer, open_buffer
from lmparse.values import codepages
from lmparse.values.codepages import CodePage

SPEC = "bmc_control"
_PART = 1 << 16
_USUAL = 512
"""Bytes that are parsed first to find the end of the fields of a record; more only if the fields are longer."""


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """One record of a control file."""

    index: int
    offset: int
    """Offset of the first byte of the record in the file."""
    code: str
    """Record type, four characters: `DLCI`."""
    values: Values


@dataclass(frozen=True)
class ControlFile:
    """A control file, read as a whole."""

    path: str
    framing: str
    records: tuple[ControlRecord, ...]
    padding: int = 0
    """Zero bytes behind the last record. They are no record, because each record begins with its code."""

    @cached_property
    def _by_code(self) -> dict[str, list[ControlRecord]]:
        found: dict[str, list[ControlRecord]] = {}
        for record in self.records:
            found.setdefault(record.code, []).append(record)
        return found

    def of(self, code: str) -> list[ControlRecord]:
        """The records of a type, in the order of the file."""
        return self._by_code.get(code, [])

    def first(self, code: str) -> Values:
        """The values of the first record of a type; empty if there is none."""
        records = self.of(code)
        return records[0].values if records else {}

    @property
    def has_sas_dates(self) -> bool:
        """Whether DLDS says that dates and times are in the form of SAS."""
        return (self.first("DLDS").get("date_format") or "").startswith("SAS")

    @property
    def code_page(self) -> CodePage | None:
        """Code page of headers and control records, from XTYP; None if XTYP names no known one."""
        return _named_page(self.first("XTYP"))


def read_control(
    path: str | Path, *, framing: str = "auto", code_page: CodePage | None = None, limits: Limits = DEFAULT
) -> ControlFile:
    """Read a control file. Its text is decoded with the code page that its XTYP names.

    Raises ControlError LMP-C001 if the first record is not an XTYP record, and the error of a damaged record.
    """
    buffer = open_buffer(path, limits)
    name = str(path)
    try:
        if framing == "auto":
            way = detect(buffer, detection(), limits).framing
        else:
            way = framing_of(framing, cutter=_cut, limits=limits)
        records: list[ControlRecord] = []
        padding = 0
        try:
            records.extend(_records(way, buffer, code_page))
        except LeftoverError as error:
            start = error.record_offset or 0
            if any(map(any, (buffer[place : place + _PART] for place in range(start, len(buffer), _PART)))):
                raise
            padding = len(buffer) - start
    except DataError as error:
        if isinstance(error, FramingError) and error.code in ("LMP-F003", "LMP-F002"):
            raise ControlError(
                "is not a control file", code="LMP-C001", file=name, expected="XTYP as the first record",
                found=error.found or error.message, hex=error.hex, hint=error.hint,
            ) from None  # fmt: skip
        error.at(file=name)
        raise
    if not records or records[0].code != "XTYP":
        raise ControlError(
            "is not a control file", code="LMP-C001", file=name, record_index=0, expected="XTYP as the first record",
            found=records[0].code if records else "no record",
        )  # fmt: skip
    control = ControlFile(name, way.name, tuple(records), padding)
    _check_once(control)
    return control


def _check_once(control: ControlFile) -> None:
    """Raise ControlError LMP-C011 if two records that hold for the whole log contradict each other, or if a second
    control file begins in the file.

    XTYP names the code pages, and DLDS the form of the data. With the wrong one of two records, values would be others.
    """
    for code in ("XTYP", "DLDS"):
        first, *others = control.of(code) or (None,)
        for other in others:
            differing = [name for name, value in other.values.items() if first and value != first.values.get(name)]
            if differing and first:
                field = differing[0]
                raise ControlError(
                    f"several {code} records, which contradict each other", code="LMP-C011", file=control.path,
                    record_index=other.index, record_offset=other.offset, spec=f"bmc_{code.lower()}", field=field,
                    expected=f"{first.values.get(field)}, as in record {first.index}", found=str(other.values[field]),
                    hint="two control files may have been put together: give each data file its own",
                )  # fmt: skip
    for other in control.of("XTYP")[1:]:
        raise ControlError(
            "a second control file begins in it", code="LMP-C011", file=control.path, record_index=other.index,
            record_offset=other.offset, spec="bmc_xtyp", expected="XTYP as the first record alone",
            found=f"{len(control.of('XTYP'))} XTYP records", hint="give each data file its own",
        )  # fmt: skip


def _records(framing: Framing, buffer: Buffer, page: CodePage | None) -> Iterator[ControlRecord]:
    """The records one by one, so that a bad record ends reading before later records take memory."""
    reader: RecordReader | None = None
    for extent in framing.extents(buffer):
        raw = extent.read(buffer)
        if reader is None:
            reader = RecordReader(catalog.load(SPEC), code_page=page or _page_of(raw))
        try:
            values = reader.read(raw).raise_fault().values
        except DataError as error:
            error.at(record_index=extent.index, record_offset=extent.offset)
            raise
        yield ControlRecord(extent.index, extent.offset, values["cntl_record_type"], values)


def detection() -> Detection:
    """How a control file is recognised: as z/OS writes it, or by another rule of descriptor words that fills it."""
    others = tuple(described(name, rule, rule) for rule in RULES[1:] for name in ("bdw", "rdw"))
    return Detection("control records", _test, _cut, _page_of, magic=first_code(), others=others, options=_proven)


def _proven(records: list[bytes], framing: Framing) -> dict[str, str]:
    return framing.word_options if isinstance(framing, WordFraming) else {}


def _page_of(first: bytes) -> CodePage:
    # Codes and digits are the same in every EBCDIC page, so any page reads the CCSID.
    bootstrap = codepages.lookup("cp037")
    values = RecordReader(catalog.load(SPEC), code_page=bootstrap).read(first).values if first else {}
    return _named_page(values) or bootstrap


def _named_page(xtyp: Values) -> CodePage | None:
    ccsid = xtyp.get("ebcdic_single_ccsid")
    return codepages.maybe_lookup(ccsid) if ccsid else None


def first_code() -> bytes:
    """The first bytes of every control file."""
    return _codes()[0]


@cache
def _codes() -> list[bytes]:
    """The first bytes of control records; the bytes of the first record of a file come first."""
    spec = catalog.load(SPEC)
    width = catalog.load("bmc_xtyp").layout["cntl_record_type"].width or 0
    values = sorted(spec.enum("record_code").items(), key=lambda code: code[0] != "type_record")
    return [value.to_bytes(width, "big") for _, value in values]


def _test(records: list[bytes], framing: Framing) -> str | None:
    return None if records[0].startswith(first_code()) else "the first record is not an XTYP record"


def _cut(buffer: Buffer, offset: int, end: int, index: int) -> int:
    """Length of a control record without a descriptor word: up to the next known record type.

    The record type is first searched behind the fields of the spec, so a name that contains a record type is not taken
    for one. Fields and search end at the length of the longest record. Raises TruncatedError LMP-F006 if the file ends
    inside the fields, FramingError if no control record begins or ends there.
    """
    codes = _codes()
    width = len(codes[0])
    start = buffer[offset : min(offset + width, end)]
    if start not in codes:
        if _may_begin(start):
            raise cut_short(buffer, offset, end, index, width, spec=SPEC)
        raise no_record(
            buffer, offset, end, index, spec=SPEC, field="record_code", expected="the code of a control record",
            found=f"X'{start.hex().upper()}'",
        )  # fmt: skip
    last = min(end, offset + longest())
    known, fault = _described(buffer[offset : min(last, offset + _USUAL)])
    if known == _USUAL < last - offset:
        known, fault = _described(buffer[offset:last])
    if fault is None and _may_begin(buffer[offset + known : min(offset + known + width, end)]):
        return known
    found = _next_code(buffer, offset + width, min(end, last + width), width)
    if found is not None:
        return found - offset
    if last < end:
        raise FramingError(
            "no control record begins behind it", code="LMP-F005", record_index=index, record_offset=offset, spec=SPEC,
            expected=f"the code of a control record within {longest()} bytes", found="none",
            hex=excerpt(buffer, offset, end),
        )  # fmt: skip
    if isinstance(fault, EndOfStreamError):
        raise cut_short(
            buffer, offset, end, index, last - offset - fault.bytes_available + fault.bytes_needed, spec=SPEC
        )
    return last - offset


def _may_begin(start: bytes) -> bool:
    """Whether a control record may begin with these bytes: a code, or the part of a code in front of the end."""
    return any(code.startswith(start) for code in _codes())


def _described(raw: bytes) -> tuple[int, Exception | None]:
    """Number of bytes that the fields of the spec take; all, and the error, if the parser rejects them."""
    try:
        body: Any = catalog.load(SPEC).parser.from_bytes(raw).body
    except Exception as error:  # whatever a generated parser raises; the record is read again once it is cut
        return len(raw), error
    undescribed: Any = getattr(body, "rest", None) or getattr(body, "payload", b"")
    return len(raw) - len(undescribed), None


def _next_code(buffer: Buffer, start: int, end: int, width: int) -> int | None:
    """Offset of the first code of a control record, if any. Few bytes are searched first: most records are short."""
    size = _USUAL
    while start < end:
        found = _any_code().search(buffer[start : min(start + size + width - 1, end)])
        if found is not None:
            return start + found.start()
        start, size = start + size, 8 * size
    return None


@cache
def _any_code() -> re.Pattern[bytes]:
    """Finds the first code of a control record in one pass over the bytes up to it."""
    return re.compile(b"|".join(re.escape(code) for code in _codes()))
