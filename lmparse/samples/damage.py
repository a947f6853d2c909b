"""Damage: what happens to files on their way, done to a sample on purpose."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lmparse.errors import OptionError
from lmparse.spelling import quoted
from lmparse.values import codepages

KINDS = {
    "cut": "the file ends inside its last record",
    "word": "a bit of the length in front of a record is another",
    "missing": "a record is missing; of a Log Master log with segments one of these",
    "twice": "a record is there twice",
    "zeros": "zeros are behind the last record, up to a whole block of 4,096 bytes",
    "text": "the transfer was in text mode: EBCDIC was translated, in other files each line feed became two bytes",
}
"""The kinds of damage, and what happened to the file."""
_BLOCK = 4096
_CHUNK = 1 << 20
_LEAST = 8
"""Records that a file must have, so that each kind has one of its own."""
_CUT = 3
Edit = tuple[int, int, bytes]
"""Bytes from an offset to another, and what is in their place."""


@dataclass(frozen=True)
class MadeRecords:
    """A file of records, and what is known of it."""

    path: Path
    starts: Sequence[int]
    """Offsets of its first records, with what is in front of them, and the end of the last of these."""
    length_at: int
    """From there to the last byte of the length that says where a record ends."""
    segments: Sequence[int]
    """Numbers of the records that go on with a change that another one has begun."""
    is_ebcdic: bool


def check_kinds(kinds: Sequence[str]) -> None:
    """Raise OptionError for a kind that there is not, or that is named twice."""
    for place, kind in enumerate(kinds):
        if kind not in KINDS or kind in kinds[:place]:
            raise OptionError(f"damage has no value {quoted(kind)}", hint="one or more of " + ", ".join(KINDS))


def damage(file: MadeRecords, kinds: Sequence[str]) -> list[str]:
    """Damage a file; returns for each kind where and how. Raises OptionError for a file with too few records."""
    count = len(file.starts) - 1
    if count < _LEAST:
        raise OptionError(f"a file of {count} records is too small to be damaged", hint="more rows")
    size = file.path.stat().st_size
    places = {
        "word": count // 2,
        "missing": file.segments[len(file.segments) // 2] if file.segments else count // 4,
        "twice": 3 * count // 4,
    }
    edits, said = list[Edit](), list[str]()
    for kind in kinds:
        where = ""
        if kind in places:
            number = places[kind]
            start, end = file.starts[number], file.starts[number + 1]
            where = f"record {number} at {start:#x}: "
            edits.append(_edit(file, kind, start, end))
        elif kind == "cut":
            edits.append((size - _CUT, size, b""))
        elif kind == "zeros":
            edits.append((size, size, bytes(_BLOCK - size % _BLOCK)))
        said.append(f"{kind}: {where}{KINDS[kind]}")
    _rewrite(file, sorted(edits), _in_text_mode(file.is_ebcdic) if "text" in kinds else bytes)
    return said


def _edit(file: MadeRecords, kind: str, start: int, end: int) -> Edit:
    with file.path.open("rb") as opened:
        opened.seek(start)
        record = opened.read(end - start)
    if kind == "word":
        at = file.length_at
        return start + at, start + at + 1, bytes([record[at] ^ 0x10])
    return (start, end, b"") if kind == "missing" else (start, start, record)


def _in_text_mode(is_ebcdic: bool) -> Callable[[bytes], bytes]:
    table = codepages.lookup("cp1047").latin1
    assert table is not None
    return (lambda data: data.translate(table)) if is_ebcdic else (lambda data: data.replace(b"\n", b"\r\n"))


def _rewrite(file: MadeRecords, edits: Sequence[Edit], change: Callable[[bytes], bytes]) -> None:
    """Write a file again with some edits, in order, and with another form of all bytes."""
    other = file.path.with_suffix(".damaged")
    with file.path.open("rb") as source, other.open("wb") as out:
        place = 0
        for start, end, new in (*edits, (file.path.stat().st_size,) * 2 + (b"",)):
            for chunk in _chunks(source.read, start - place):
                out.write(change(chunk))
            out.write(change(new))
            place = end
            source.seek(end)
    os.replace(other, file.path)


def _chunks(read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
    while size > 0:
        chunk = read(min(size, _CHUNK))
        size -= len(chunk)
        yield chunk
