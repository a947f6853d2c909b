"""Law: who follows what `sniff` says of a damaged file loses no record that is still in it, unless an error says so.

Sound files of every framing and family are damaged in one place. The options that `sniff` prints for the damaged file
are given to `records`: if that ends without an error, each record whose bytes, and those of its word, are still in the
file has a row.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from amounts import amount
from commands import Run
from samples.db2_random import FORMS, form_of, random_script
from writers.bmc import logs
from writers.foreign import BLOCKED, FRAMINGS, Form, Rule

from lmparse.errors import LmparseError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes, open_file
from lmparse.records.files import ignored

DRAW = random.Random(7)
RAW = [DRAW.randbytes(DRAW.randrange(20, 90)) for _ in range(40)]


@dataclass(frozen=True)
class Sound:
    """A file without damage: the places of its records, with what is in front of each, in order."""

    name: str
    data: bytes
    starts: list[int]
    """First byte of the word in front of each record."""
    records: list[bytes]


def framed(name: str, form: Form, records: list[bytes]) -> Sound:
    data, offsets = form.file(records)
    return Sound(name, data, [offset - 4 for offset in offsets], records)


def of_zos() -> Iterator[Sound]:
    rules = [Rule(*facts) for facts in product((False, True), (True, False))]
    for framing, rule in product(FRAMINGS, rules):
        form = Form(framing, rule, rule if framing in BLOCKED else Rule(), size=50 if "vbs" in framing else 300)
        yield framed(f"{framing} {rule}", form, RAW)
    log = logs.example()
    for framing in FRAMINGS:
        form = Form(framing, Rule(includes=framing != "zosmf"), size=700)
        yield framed(f"log {framing}", form, log.data_records)
    for rule in rules:
        yield framed(f"control {rule}", Form("rdw", rule), log.control_records)


def of_db2(folder: Path) -> Iterator[Sound]:
    for seed in range(len(FORMS)):
        path = folder / "sound.log"
        path.write_bytes(random_script(seed, 6).data)
        log, extents = open_changes(str(path), read_options({"spec": "db2_log"})), []
        with suppress(LmparseError):  # a script may end inside a record
            extents.extend(log.extents())
        data = path.read_bytes()[: extents[-1].end]
        starts = [extent.offset - log.framing.lead for extent in extents]
        form = form_of(seed)
        name = f"{form.generation} {form.byte_order} {form.framing}"
        yield Sound(name, data, starts, [extent.read(log.buffer) for extent in extents])


def flipped(data: bytes, start: int, end: int) -> bytes:
    place = DRAW.randrange(start, min(start + 4, end))
    return data[:place] + bytes([data[place] ^ 1 << DRAW.randrange(8)]) + data[place + 1 :]


DAMAGE: dict[str, Callable[[bytes, int, int], bytes]] = {
    "a bit of a word": flipped,
    "a word of zeros": lambda data, start, end: data[:start] + bytes(4) + data[start + 4 :],
    "reserved bytes": lambda data, start, end: data[: start + 2] + b"\x40" + data[start + 3 :],
    "bytes missing": lambda data, start, end: data[: (start + end) // 2] + data[(start + end) // 2 + 3 :],
    "bytes too many": lambda data, start, end: data[: (start + end) // 2] + b"\xc1\xc2" + data[(start + end) // 2 :],
    "blanks in front": lambda data, start, end: data[:start] + b"\x40" * 80 + data[start:],
    "zeros in front": lambda data, start, end: data[:start] + bytes(100) + data[start:],
    "a record in front": lambda data, start, end: data[:start] + b"\0\x10\x40\0" + b"x" * 12 + data[start:],
    "cut": lambda data, start, end: data[: end - 3],
    "zeros to the end": lambda data, start, end: data[:start] + bytes(len(data) - start),
    "zeros behind": lambda data, start, end: data + bytes(300),
    "a line end behind": lambda data, start, end: data + b"\r\n",
    "a header": lambda data, start, end: b"HDR1".ljust(80, b" ") + data,
    "read as text": lambda data, start, end: data.replace(b"\x15", b"\n"),
}
"""Each changes a file at the record that is from `start` to `end`, its word included."""


def advised(said: str) -> Iterator[list[str]]:
    """The options for the shell that `sniff` prints."""
    yield from (shlex.split(line)[1:] for line in said.splitlines() if line.startswith("  shell  "))


def read_as(path: Path, words: list[str]) -> set[bytes] | None:
    """The records of a file with options for the shell; None if reading ends in an error."""
    options = {name[2:].replace("-", "_"): value for name, value in zip(words[::2], words[1::2], strict=True)}
    try:
        file = open_file(path, read_options(options), on_error=ignored)
        return {extent.read(file.buffer) for extent in file.extents()}
    except LmparseError:
        return None


def lost(sound: Sound, kind: str, number: int, path: Path, run: Callable[..., Run]) -> Iterator[str]:
    """What is lost in silence, by each way to read the damaged file that `sniff` prints."""
    ends = [*sound.starts[1:], len(sound.data)]
    damaged = DAMAGE[kind](sound.data, sound.starts[number], ends[number])
    path.write_bytes(damaged)
    for words in advised(run("sniff", path).out):
        found = read_as(path, words)
        for place, (start, end) in enumerate(zip(sound.starts, ends, strict=True)):
            if found is not None and sound.data[start:end] in damaged and sound.records[place] not in found:
                yield f"{sound.name}: {kind} at record {number}, {' '.join(words)}: record {place} is not read"


@pytest.mark.parametrize("family", ["zos", "db2"])
def test_advice_loses_no_record_in_silence(family: str, tmp_path: Path, run: Callable[..., Run]) -> None:
    path, tried, faults = tmp_path / "damaged.dat", 0, list[str]()
    for turn, sound in enumerate(of_zos() if family == "zos" else of_db2(tmp_path)):
        path.write_bytes(sound.data)
        assert any(read_as(path, words) == {*sound.records} for words in advised(run("sniff", path).out)), sound.name
        for rank, kind in enumerate(DAMAGE):
            if (turn + rank) % amount(8, 1):
                continue
            for number in {0, len(sound.records) // 2, len(sound.records) - 1}:
                tried += 1
                faults += lost(sound, kind, number, path, run)
    assert tried > 100
    assert not faults, "\n".join(faults)
