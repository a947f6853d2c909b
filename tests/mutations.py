"""Mutations: logs of the cases with one record or one field changed, and whether `check` sees it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from cases.files import arguments, load

from lmparse.bmc.log.log import LogicalLog
from lmparse.changes.log import ChangeLog
from lmparse.db2.log import Db2Log
from lmparse.errors import LmparseError
from lmparse.framing.extents import RecordExtent
from lmparse.logs.check import CheckReport, account
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.spec.layout import Field

STRUCTURAL = ("removed", "doubled", "far", "swapped", "cut", "broken", "pasted")
"""A record removed, doubled in place, doubled at the end, before the one in front of it, without its last byte; the log
cut off in a record, and there twice."""
SELECTIVE = ("table", "table-version", "columns")
"""Options of cases that select changes: check is for whole logs."""
VALUES = ("zero", "ones", "other", "listed")
"""A field of zeros, of ones, with a byte changed, and with another code of its list; `blank` is a text of blanks."""


@dataclass(frozen=True)
class Mutation:
    """A changed log."""

    kind: str
    """One of STRUCTURAL, or `field`."""
    data: bytes
    record: int
    field: str = ""
    value: str = ""
    """One of VALUES, or `blank`."""

    def __str__(self) -> str:
        return f"{self.kind} {self.record} {self.field} {self.value}".rstrip()


@dataclass(frozen=True)
class Place:
    """A field of a header: its offset in the record, negative in the prefix, and its bytes."""

    field: Field
    offset: int
    width: int


@cache
def _clean(path: str, options: Options) -> CheckReport:
    """What `check` says of a case as it is."""
    return account(path, options)


class Sample:
    """A case as a log, with its records."""

    def __init__(self, path: Path, folder: Path) -> None:
        case = load(path)
        _, self.path, *words = arguments(path, case)
        named = dict(zip((word[2:] for word in words[::2]), words[1::2], strict=True))
        self.options = Options.parse({name: value for name, value in named.items() if name not in SELECTIVE})
        self.data = Path(self.path).read_bytes()
        self._copy = folder / "mutated.bin"
        self.file = open_file(self.path, self.options)
        self.extents = list(self.file.extents())
        self.clean = _clean(self.path, self.options)

    @property
    def family(self) -> str:
        """`bmc` or `db2`; empty for a file of single records."""
        return "bmc" if isinstance(self.file, LogicalLog) else "db2" if isinstance(self.file, Db2Log) else ""

    @property
    def has_control(self) -> bool:
        """Whether a control file describes it."""
        return isinstance(self.file, ChangeLog) and self.file.has_descriptions

    @property
    def log(self) -> LogicalLog:
        """It as a log of Log Master."""
        assert isinstance(self.file, LogicalLog)
        return self.file

    @cached_property
    def values(self) -> list[dict[str, Any]]:
        """The values of each record."""
        return [self.file.read_bytes(extent.read(self.file.buffer)).values for extent in self.extents]

    def is_seen(self, mutation: Mutation) -> bool:
        """Whether `check` says of a changed log what it does not say of the case."""
        self._copy.write_bytes(mutation.data)
        try:
            report = account(str(self._copy), self.options)
        except LmparseError:
            return True
        return report.error_count > self.clean.error_count or bool(_said(report) - _said(self.clean))

    # -- records ------------------------------------------------------------------------------

    @cached_property
    def _chunks(self) -> list[bytes]:
        """Each record with what is in front of it."""
        ends = [0, *(sum(extent.pieces[-1]) for extent in self.extents)]
        return [self.data[start:end] for start, end in pairwise(ends)]

    def structural(self, kind: str, number: int) -> Mutation | None:
        """A mutation of STRUCTURAL at a record; None if there is none."""
        chunks, extent = self._chunks, self.extents[number]
        one = chunks[number]
        before, behind = chunks[:number], chunks[number + 1 :]
        made: list[bytes] | None = None
        if kind == "removed" and len(chunks) > 1:
            made = [*before, *behind]
        elif kind == "doubled":
            made = [*before, one, one, *behind]
        elif kind == "far":
            made = [*chunks, one]
        elif kind == "swapped" and number and chunks[number - 1] != one:
            made = [*before[:-1], one, before[-1], *behind]
        elif kind == "cut" and extent.length > 1:
            made = [*before, self._shorter(extent, one), *behind]
        elif kind == "broken":
            made = [self.data[: extent.offset + max(1, extent.length // 2)]]
        elif kind == "pasted":
            made = [self.data, self.data]
        return None if made is None else Mutation(kind, b"".join(made), number)

    def _shorter(self, extent: RecordExtent, chunk: bytes) -> bytes:
        """A record without its last byte; the length in front of it, or in it, says so where there is one."""
        cut, at = bytearray(chunk[:-1]), len(chunk) - extent.length
        order: Any = "big"
        if isinstance(self.file, Db2Log):
            start, width, order = at, 4, self.file.byte_order
        else:
            width = {"rdw": 2, "zosmf": 4}.get(self.file.framing.name, 0)
            start = at - 4
        if width:
            length = int.from_bytes(cut[start : start + width], order)
            cut[start : start + width] = (length - 1).to_bytes(width, order)
        return bytes(cut)

    # -- fields -------------------------------------------------------------------------------

    @cached_property
    def places(self) -> list[Place]:
        """The fixed fields of the header of each record."""
        if isinstance(self.file, LogicalLog):
            header, layout = self.file.header, self.file.spec.layout
            if header.is_described:
                return [Place(layout[name], *where) for name, where in header.places.items()]
            least = min((extent.length for extent in self.extents), default=0)
            whole = [field for field in layout if field.offset is not None and field.width is not None]
            return [Place(f, f.offset or 0, f.width or 0) for f in whole if (f.offset or 0) + (f.width or 0) <= least]
        if isinstance(self.file, Db2Log):
            return list(_db2_places(self.file))
        return []

    def changed(self, place: Place, value: str, number: int) -> Mutation | None:
        """A log with another value in a field of a record; None if there is no other one."""
        field = place.field
        if field.conditional:
            having = [at for at, values in enumerate(self.values) if values.get(field.id) is not None]
            if not having:
                return None
            number = having[number % len(having)]
        extent = self.extents[number]
        old = self._bytes(extent, place)
        new = bytearray(old)
        if value == "zero":
            new[:] = bytes(len(old))
        elif value == "ones":
            new[:] = b"\xff" * len(old)
        elif value == "other":
            at = 0 if field.kind in ("char", "code") else -1
            new[at] = (new[at] + 1) & 0xFF
        elif value == "blank":
            new[:] = b"\x40" * len(old)
        else:
            codes = [code.value.to_bytes(place.width, "big") for code in field.codes if isinstance(code.value, int)]
            others = [code for code in codes if code != old]
            if not others or field.kind != "code":
                return None
            new[:] = others[number % len(others)]
        if new == old:
            return None
        data = bytearray(self.data)
        for byte, at in zip(new, self._addresses(extent, place), strict=True):
            data[at] = byte
        return Mutation("field", bytes(data), number, field.id, value)

    def _addresses(self, extent: RecordExtent, place: Place) -> list[int]:
        if place.offset < 0:
            return list(range(extent.offset + place.offset, extent.offset + place.offset + place.width))
        every = [at for start, length in extent.pieces for at in range(start, start + length)]
        return every[place.offset : place.offset + place.width]

    def _bytes(self, extent: RecordExtent, place: Place) -> bytes:
        return bytes(self.data[at] for at in self._addresses(extent, place))


def _db2_places(file: Db2Log) -> Iterator[Place]:
    layouts = catalog.load("db2_log").layouts
    lead = file.framing.lead
    prefix = layouts.get(f"db2_prefix.{file.framing.name}")
    for field in prefix or ():
        for part in layouts[field.type] if field.type == "db2_prefix.lri" and field.type else (field,):
            start = (field.offset or 0) + (0 if part is field else part.offset or 0)
            yield Place(part, start - lead, part.width or 0)
    chain = layouts[f"db2_log.chain_{file.generation.replace('.', '')}"]
    base = layouts["db2_log"]["chain"].offset or 0
    for field in layouts["db2_log"]:
        if field.offset is not None and field.width is not None and field.id != "chain":
            yield Place(field, field.offset, field.width)
    offset = base
    for field in chain:  # those that only compensations have come one after the other, behind all others
        assert field.width is not None
        yield Place(field, offset, field.width)
        offset += field.width


def _said(report: CheckReport) -> Counter[str]:
    """What a report finds wrong or strange, without its numbers."""
    unlisted = (f"{name} {value}" for name, values in report.unlisted.items() for value in values)
    errors = (f"{error.code} {error.field}" for error in report.errors)
    words = (re.sub("[0-9]+", "", text) for text in (*report.differences, *report.notices))
    return Counter([*errors, *words, *unlisted])
