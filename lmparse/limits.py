"""Limits on what is read from elsewhere, in one place. Sound files stay far below the limits.

Each field of `Limits` is one limit, with a default, the code of its error, and what is counted. The option
`limits` sets limits by these names, in any spelling: `recordBytes=1G,numberDigits=500`. To add a limit, add a field.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lmparse.errors import FileLimitError, LimitError, OptionError
from lmparse.spelling import camel, plain, quoted

_SIZE = re.compile(r"\s*([0-9]{1,18})(?:([KMGTP])I?B?|B)?\s*", re.ASCII | re.IGNORECASE).fullmatch
_UNITS = "KMGTP"
_UNIT_NAMES = "K, M, G, T and P (KB, MB, GB, TB and PB too)"


def _limit(
    default: int, code: str, counted: str, error: type[LimitError] = FileLimitError, most: int | None = None
) -> int:
    """A field of Limits: class and `code` of the error, and what the limit counts.

    `most` is the highest value that the limit can have.
    """
    about = {"code": code, "counted": counted, "error": error, "most": most}
    found: int = field(default=default, metadata=about)
    return found


@dataclass(frozen=True, kw_only=True)
class Limits:
    """All limits; each value is the largest number allowed."""

    document_bytes: int = _limit(64 << 20, "LMP-L001", "bytes of a YAML or JSON document", LimitError)
    document_depth: int = _limit(100, "LMP-L001", "levels of a YAML or JSON document", LimitError)
    document_nodes: int = _limit(
        5_000_000, "LMP-L001", "values of a YAML or JSON document, aliases written out", LimitError
    )
    number_digits: int = _limit(128, "LMP-L001", "characters of a number in a YAML or JSON document", LimitError)
    record_bytes: int = _limit(64 << 20, "LMP-L002", "bytes from the first to the last one of a record")
    record_pieces: int = _limit(1 << 16, "LMP-L002", "pieces of a spanned record")
    record_steps: int = _limit(
        100_000, "LMP-L007", "steps of the parser in a record, beyond 16 for each of its bytes", LimitError
    )
    record_unpacked_bytes: int = _limit(64 << 20, "LMP-L008", "bytes that zlib unpacks from a record", LimitError)
    unpacked_bytes: int = _limit(1 << 40, "LMP-L003", "bytes of a compressed or remote file on the disk")
    unpacked_ratio: int = _limit(1000, "LMP-L003", "unpacked bytes for each byte of a compressed file")
    disk_share: int = _limit(90, "LMP-L003", "percent of the free disk in TMPDIR for the copy of a file", most=100)
    index_bytes: int = _limit(
        256 << 20, "none", "bytes of memory for the index of a Db2 LUW log; what is above is made again, or in files"
    )
    held_bytes: int = _limit(4 << 30, "LMP-L004", "bytes of memory for what is kept until its end is read")

    @classmethod
    @cache
    def parse(cls, text: str) -> Limits:
        """The limits, changed as `text` says. Raises OptionError LMP-S003."""
        names = {plain(entry.name): entry.name for entry in dataclasses.fields(Limits)}
        given: dict[str, int] = {}
        for part in filter(str.strip, text.split(",")):
            word, _, size = part.partition("=")
            name, value = names.get(plain(word.strip())), _number_of(size)
            if name is None or not 0 < value <= (Limits.__dataclass_fields__[name].metadata["most"] or value):
                known = ", ".join(map(camel, names.values()))
                hint = f"NAME=NUMBER, where {_UNIT_NAMES} may follow the number; names: {known}"
                raise OptionError(f"limits has no value {quoted(part.strip())}", hint=hint)
            if name in given:
                raise OptionError(f"limits: {camel(name)} is given twice", hint="leave one of them out")
            given[name] = value
        return Limits(**given)

    def check(self, name: str, found: int, **place: Any) -> None:
        """Raise LimitError if `found` exceeds the limit `name`; `place` is as in DataError."""
        if found > getattr(self, name):
            raise self.error(name, found, **place)

    def error(self, name: str, found: int | str | None = None, **place: Any) -> LimitError:
        """The error of an exceeded limit; the error names the limit and how to raise it."""
        entry = type(self).__dataclass_fields__[name]
        most: int = getattr(self, name)
        about = entry.metadata
        higher = 2 * most
        while isinstance(found, int) and higher < found:
            higher *= 2
        higher = min(higher, about["most"] or higher)
        error: LimitError = about["error"](
            f"above the limit {camel(name)}",
            code=about["code"],
            expected=f"at most {most} {about['counted']}",
            found=None if found is None else str(found),
            hint=f"raise it with the option limits, as {camel(name)}={higher}",
            **place,
        )
        return error


def _number_of(text: str) -> int:
    """The number in a text, with or without a binary unit; 0 if there is none."""
    match = _SIZE(text)
    return int(match[1]) << 10 * (_UNITS.index(match[2].upper()) + 1 if match[2] else 0) if match else 0


def byte_size(name: str, text: str) -> int:
    """The bytes of an option's size in Spark's words: `134217728`, `128m`, `128MB`. Raises OptionError."""
    found = _number_of(text)
    if not found:
        hint = f"a number above zero of at most 18 digits, where {_UNIT_NAMES} may follow, as 128MB"
        raise OptionError(f"{name} has no value {quoted(text)}", hint=hint)
    return found


class Held:
    """Counts the bytes of memory held for unfinished data, against the limit `held_bytes`."""

    code = "LMP-L004"
    """Code of the error, which ends the holding, but not the reading of records."""

    def __init__(self, limits: Limits) -> None:
        self.bytes = 0
        self._limits = limits
        self._most = limits.held_bytes

    def take(self, size: int, **place: Any) -> None:
        """Count `size` more bytes. Raises FileLimitError LMP-L004, without counting, if the sum exceeds the limit."""
        if self.bytes + size > self._most:
            raise self._limits.error("held_bytes", self.bytes + size, **place)
        self.bytes += size


DEFAULT = Limits()
