"""Extents or a LmparseError: walked one by one, as arrays and in parts alike, inside the file, in bounded memory.

An input is a case of any spec, whose bytes are changed with their descriptor words, read in its own framing or another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any
from unittest import mock

from fuzz.edits import Source, edited, inputs
from fuzz.seeds import seeds
from lmparse.bmc.control import control_file
from lmparse.bmc.record import change_record
from lmparse.errors import FramingError, LmparseError
from lmparse.framing import index, word_scan
from lmparse.framing.base import Framing
from lmparse.framing.detection import detect
from lmparse.framing.framings import framing_of, named_framing
from lmparse.logs.families import known_files
from lmparse.options import DB2_FRAMINGS, Options

CASES = seeds(lambda seed: True)
SEEDS = inputs(len(CASES))
_NAMES = ("rdw", "bdw", "vbs", "bdw-vbs", "zosmf")
Facts = tuple[list[tuple[int, int, bytes]], str]


@cache
def _framings() -> list[Framing]:
    cutters = (control_file.detection().cutter, change_record.detection().cutter)
    return [
        *(framing_of(name) for name in _NAMES),
        *(framing_of("fixed", record_length=length) for length in (1, 60, 320)),
        *(framing_of("glued", cutter=cutter) for cutter in cutters),
        *(framing_of(name, byte_order=order) for name in DB2_FRAMINGS for order in ("little", "big")),
        *(named_framing(name, _OTHERS[0 if name in ("bdw", "bdw-vbs") else 1]) for name in _NAMES),
        *(named_framing("glued", _measured(name, step)) for name in ("length", "segment_code") for step in (0, 4, -3)),
        named_framing("glued", Options(spec="bmc_lldf", record_length_field="seg_num")),  # far behind the start
    ]


_WORDS = {"rdw_endian": "little", "rdw_includes_header": "false", "rdw_adjustment": "-2", "file_start_offset": "3"}
_OTHERS = (
    Options.parse(_WORDS | {"bdw_endian": "little", "bdw_adjustment": "1", "file_end_offset": "5"}),
    Options.parse(_WORDS),
)


def _measured(name: str, step: int) -> Options:
    return Options(spec="zos_sdw", record_length_field=name, rdw_adjustment=step or None)


def target(data: bytes) -> None:
    source = Source(data)
    seed = source.pick(CASES, 2)
    chosen, scan, sizes = source.number(), source.pick((1 << 20, 40, 1)), source.pick((1 << 20, 300, 1))
    own = [seed.file.framing] if seed.file is not None else []
    framing = (own + _framings())[chosen % (len(own) + len(_framings()))]
    buffer = b"".join(edited(seed.stretches, source))
    with mock.patch.object(word_scan, "_SCAN_BYTES", scan):
        _reads_alike(framing, buffer, sizes)
    if chosen % 8 == 0:
        for detection in known_files().values():
            with suppress(LmparseError):
                detect(buffer, detection)


def _reads_alike(framing: Framing, buffer: bytes, size: int) -> None:
    walked = _facts(buffer, framing.extents(buffer))
    _lie_inside(framing, buffer)
    windows = index.windows(framing, buffer, max_records=1 + size % 7, max_bytes=size)
    assert _facts(buffer, (window.extent(n) for window in windows for n in range(len(window)))) == walked, "windows"
    spans = index.spans(framing, buffer, size)
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])], "spans leave something out"
    assert spans[-1].end == len(buffer)

    def in_parts() -> Iterator[Any]:
        for span in spans:
            yield from framing.extents(buffer, span.start, span.end, span.first_index)

    assert _facts(buffer, in_parts()) == walked, "parts"


def _facts(buffer: bytes, extents: Iterable[Any]) -> Facts:
    found: list[tuple[int, int, bytes]] = []
    try:
        for extent in extents:
            found.append((extent.index, extent.offset, extent.read(buffer)))
    except LmparseError as error:
        return found, str(error)
    return found, ""


def _lie_inside(framing: Framing, buffer: bytes) -> None:
    """Pieces follow one another, and add up to the file with the descriptor words between them."""
    try:
        end, behind = framing.range_of(buffer)
        for extent in framing.extents(buffer):
            for offset, length in extent.pieces:
                assert end <= offset <= offset + length <= behind, "a piece lies outside"
                end = offset + length
    except FramingError:
        return
    assert end == behind, "the end of the file is in no record"
