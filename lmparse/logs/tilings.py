"""Tilings: every way to cut a file of unknown records into records that fill it, with the options for it.

A word that says a length proves little by itself; that each word leads to the next one up to the end of the file
proves a rule. One record is not a proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path
from typing import Any

from lmparse.errors import FramingError, LmparseError, OptionError, TruncatedError
from lmparse.framing import index
from lmparse.framing.base import Framing
from lmparse.framing.framings import described, named_framing, rules_of, unused
from lmparse.framing.measured import fitting_fields
from lmparse.framing.windows import Window
from lmparse.framing.word_rules import WordRule
from lmparse.framing.words import WordFraming
from lmparse.options import FRAMING_OPTIONS, Options
from lmparse.records.reader import RecordReader
from lmparse.records.settings import page_of, reader_of
from lmparse.spec import catalog
from lmparse.spec.layout import Layout
from lmparse.storage.buffers import Buffer, open_buffer

_NAMES = ("rdw", "zosmf", "bdw", "vbs", "bdw-vbs")
"""Framings with descriptor words, in the order of preference."""
_BLOCKED = ("bdw", "bdw-vbs")
"""Those in blocks. A block looks like a record, but records do not fill others by chance."""
_UNCOUNTED = range(-8, 13)
"""Bytes that a length may leave out: up to 8 more or less than a word that counts itself, or does not, leaves out."""
_LEAST, _LEAST_BESIDE = 2, 8
"""Fewest records that prove a rule: if they fill the file, and if they fill only a part of it."""
_HEADER = 1 << 16
"""Most bytes of a file header or trailer that are searched for."""
_STARTS = 64
"""Places at which the first record behind a file header is looked for."""
_SAMPLE, _FIRST = 64, 5
_PASSES, _RECORD, _SHORT = 64, 64, 1 << 20
"""All ways together read so many times the bytes of the file, with so many more for each record; a file counts as one
of 1 MB at least. A file that nearly any rule fits would be read through thousands of times."""
_SPARE = 1 << 10
"""Bytes by which a record may be longer than twice the longest one."""


@dataclass(frozen=True)
class Tiling:
    """One way to cut a file. Lengths in bytes, without descriptor words."""

    options: dict[str, str]
    """The options, under their Python names."""
    records: int
    shortest: int
    longest: int
    first: tuple[tuple[int, int, int], ...]
    """Number, offset and length of the first records."""
    fitting: int | None = None
    """How many of the first records the spec accepts; None without a spec."""
    tried: int = 0
    """How many were tried."""
    fault: FramingError | None = None
    """Damage behind the last record; None if the records fill the file, but for its header and trailer."""

    @property
    def is_of_spec(self) -> bool:
        """Whether most of the first records are of the spec, if there is one."""
        return self.fitting is None or 2 * self.fitting > self.tried

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        names = ("index", "offset", "length")
        fits = {} if self.fitting is None else {"fitting": self.fitting, "tried": self.tried}
        return {
            **self.options,
            "count": self.records,
            "shortest": self.shortest,
            "longest": self.longest,
            **fits,
            "records": [dict(zip(names, record, strict=True)) for record in self.first],
            "fault": None if self.fault is None else self.fault.to_dict(),
        }


@dataclass(frozen=True)
class Tiled:
    """The result for one file."""

    path: str
    size: int
    spec: str | None
    """Spec id of the records, if it was named."""
    tilings: tuple[Tiling, ...]
    """The ways to cut it, the best first; none if nothing is proven."""

    def to_dict(self) -> dict[str, Any]:
        """The same as one JSON object."""
        found = [tiling.to_dict() for tiling in self.tilings]
        return {"file": self.path, "size": self.size, "kind": "records", "spec": self.spec, "framings": found}


def tile(path: str | Path, options: Options, spec: str | None) -> Tiled:
    """Find the ways to cut a file into records, of a spec if one is named.

    Raises FramingError LMP-F001 if the file cannot be read, LMP-F002 if it is empty, and OptionError.
    """
    reader = None
    if spec is not None:
        found = catalog.load(spec)
        reader = reader_of(found, options, page_of(found, options))
    buffer = open_buffer(path, options.bounds)
    if not len(buffer):
        raise FramingError("is empty, so nothing proves what it is", code="LMP-F002", file=str(path))
    return Tiled(str(path), len(buffer), spec, tuple(tilings(buffer, options, reader)))


class _Reads:
    """What may still be read to find the ways."""

    def __init__(self, size: int) -> None:
        self.left = _PASSES * max(size, _SHORT)

    def windows(self, framing: Framing, buffer: Buffer, start: int = 0) -> Iterator[Window]:
        """As `index.windows`, to the end."""
        for window in index.windows(framing, buffer, start):
            self.left -= len(window.data) + _RECORD * len(window)
            yield window


def tilings(buffer: Buffer, options: Options, reader: RecordReader | None) -> list[Tiling]:
    """The ways to cut a file with the options that are given, the best first; with a reader, for records of its spec.

    If no way fills the file, a way that leaves out bytes at its start and end, or that ends at damage, is one too.
    Raises OptionError LMP-S003 if no framing uses the given options.
    """
    names = [options.framing] if options.framing != "auto" else [*_NAMES, "glued", "fixed"]
    layout = None if reader is None else reader.spec.layout
    options = options if reader is None else replace(options, spec=reader.spec.name)
    possible = [way for name in names for way in _ways(name, options, layout)]
    if not possible:
        _refuse(names, options)
    skipped = {name: str(size) for name in ("file_start_offset", "file_end_offset") if (size := getattr(options, name))}
    reads = _Reads(len(buffer))
    found = list(_fill(buffer, [(said | skipped, framing) for said, framing in possible], reader, reads))
    whole = [tiling for tiling in found if tiling.fault is None]
    if not whole and not skipped:
        found += _between(buffer, possible, reader, reads)
        whole = [tiling for tiling in found if tiling.fault is None]
    is_cut = any(_is_cut(tiling.fault, tiling.longest) for tiling in found)
    found = sorted(found if is_cut or not whole else whole, key=_rank)
    # The same records by another name, such as records that may be spanned but are not, are not shown twice.
    return list({(tiling.first, tiling.records): tiling for tiling in reversed(found)}.values())[::-1]


def _rank(tiling: Tiling) -> tuple[bool, int, bool, bool]:
    """The best ways are first: those that fill the file or lead far, of the spec; blocks before records in them."""
    name, is_damaged = tiling.options["framing"], tiling.fault is not None
    return is_damaged, -tiling.records if is_damaged else 0, not tiling.is_of_spec, name not in _BLOCKED


Way = tuple[dict[str, str], Framing]
"""Options by their Python names, and the framing that they describe."""


def _refuse(names: list[str], options: Options) -> None:
    for name in names[:1] if len(names) == 1 else ():
        named_framing(name, options)
    given = " and ".join(options.of_framing)
    raise OptionError(f"no framing uses {given}" if given else f"framing {options.framing} needs more options")


def _ways(name: str, options: Options, layout: Layout | None) -> Iterator[Way]:
    """The ways of one framing that agree with the options."""
    if name == "fixed":
        yield from _fixed(options, layout)
    elif name == "glued":
        yield from _measured(options, layout)
    elif name in _NAMES:
        if any(unused(name, options)):
            return
        record, block = rules_of(options)
        rules = list(_rules("rdw", record, options))
        blocks = list(_rules("bdw", block, options)) if "bdw_endian" in FRAMING_OPTIONS[name] else [block]
        # Those with the fewest options first.
        for one, other in sorted(product(rules, blocks), key=lambda pair: sum(map(_cost, pair))):
            framing = described(name, one, other)
            assert isinstance(framing, WordFraming)
            own = framing.block_word
            said = {"framing": name, **dict(framing.rule.options("rdw"))}
            yield said | ({} if own is None else dict(own.rule.options("bdw"))), _in_file(framing, options)
    elif not any(unused(name, options)):
        raise OptionError(f"framing {name} is not one of files of unknown records", hint="give the spec of the log")


def _in_file(framing: Framing, options: Options) -> Framing:
    return framing.within(options.bounds).skipping(options.file_start_offset, options.file_end_offset)


def _rules(word: str, given: WordRule, options: Options) -> Iterator[WordRule]:
    """The rules of a word that agree with the options: either byte order, and what a length may leave out."""
    orders = (False, True) if getattr(options, f"{word}_endian") is None else (given.is_little,)
    is_free = getattr(options, f"{word}_adjustment") is None
    for is_little, uncounted in product(orders, _UNCOUNTED):
        counts = uncounted <= 2
        adjustment = uncounted if counts else uncounted - 4
        if given.counts_itself is not None:
            counts, adjustment = given.counts_itself, uncounted if given.counts_itself else uncounted - 4
        if is_free or adjustment == 0:
            yield WordRule(is_little, counts, adjustment if is_free else given.adjustment)


def _cost(rule: WordRule) -> int:
    return int(rule.is_little) + int(rule.counts_itself is False) + (2 + abs(rule.adjustment) if rule.adjustment else 0)


def _fixed(options: Options, layout: Layout | None) -> Iterator[Way]:
    length = options.record_length or (layout.width if layout is not None else None)
    if length and not any(unused("fixed", replace(options, record_length=length))):
        named = replace(options, record_length=length)
        yield {"framing": "fixed", "record_length": str(length)}, named_framing("fixed", named)


def _measured(options: Options, layout: Layout | None) -> Iterator[Way]:
    """Every number of the spec at a fixed place may be the length of its record."""
    if layout is None:
        return
    names = [options.record_length_field] if options.record_length_field else [f.id for f in fitting_fields(layout)]
    steps = sorted(_UNCOUNTED, key=abs) if options.rdw_adjustment is None else [options.rdw_adjustment]
    for name, step in product(names, steps):
        named = replace(options, record_length_field=name, rdw_adjustment=step or None)
        if not any(unused("glued", named)):
            said = {"framing": "glued", "record_length_field": name}
            yield said | ({"rdw_adjustment": str(step)} if step else {}), named_framing("glued", named)


def _fill(buffer: Buffer, ways: list[Way], reader: RecordReader | None, reads: _Reads) -> Iterator[Tiling]:
    """The ways whose records fill the file, or reach half of it before they meet damage."""
    for said, framing in ways:
        if reads.left < 0 or not _begins(framing, buffer):
            continue
        tiling = _tiling(said, framing, buffer, reader, reads)
        if tiling is not None:
            yield tiling


def _begins(framing: Framing, buffer: Buffer) -> bool:
    """Whether some records are at the start of a file, or fill it. Zeros that an adjustment makes a length are none."""
    count = said = 0
    with suppress(LmparseError):
        for extent in islice(framing.extents(buffer), _SAMPLE):
            count += 1
            said += any(buffer[extent.offset - framing.lead : extent.offset])
    return count >= _LEAST and (not framing.lead or 2 * said > count)


def _tiling(
    options: dict[str, str], framing: Framing, buffer: Buffer, reader: RecordReader | None, reads: _Reads
) -> Tiling | None:
    """One way, if it is proven; it reads the words of the whole file."""
    count, filled, shortest, longest = 0, 0, 1 << 62, 0
    first: list[tuple[int, int, int]] = []
    fault: FramingError | None = None
    fitting = tried = 0
    try:
        for window in reads.windows(framing, buffer):
            if not count:
                extents = [window.extent(number) for number in range(min(len(window), _SAMPLE))]
                first = [(extent.index, extent.offset, extent.length) for extent in extents[:_FIRST]]
                tried = len(extents)
                fitting = 0 if reader is None else sum(_is_good(reader, extent.read(buffer)) for extent in extents)
            count += len(window)
            filled += int((window.lengths > 0).sum())
            shortest, longest = min(shortest, int(window.lengths.min())), max(longest, int(window.lengths.max()))
    except FramingError as error:
        fault = error
        fault.forget_frames()
    if 2 * filled <= count or count < (_LEAST if fault is None else _LEAST_BESIDE):
        return None  # words without a record behind them are zeros, as are bytes that fill a file
    start, end = framing.range_of(buffer)
    if fault is not None and 2 * ((fault.record_offset or 0) - start) < end - start:
        return None
    if framing.name == "fixed" and reader is not None and 2 * fitting <= tried:
        return None  # every file has pieces of one length, so only the values are a proof
    named = None if reader is None else fitting
    return Tiling(options, count, shortest, longest, tuple(first), named, tried, fault)


def _is_good(reader: RecordReader, raw: bytes) -> bool:
    """Whether bytes are a record of the spec in which all values can be read."""
    try:
        return not reader.read(raw).faults
    except LmparseError:
        return False


def _between(buffer: Buffer, ways: list[Way], reader: RecordReader | None, reads: _Reads) -> Iterator[Tiling]:
    """The ways whose records fill the file between a header and a trailer: bytes that are not records."""
    from lmparse.framing.word_scan import sound_words

    size = len(buffer)
    for said, framing in ways:
        plain = isinstance(framing, WordFraming) and not framing.is_blocked and "rdw_adjustment" not in said
        if not plain or not isinstance(framing, WordFraming) or framing.word_id is None:
            continue
        starts = sound_words(framing.bounded_form, buffer, 0, min(_HEADER, size), _HEADER, _LEAST_BESIDE)
        for start in starts[:_STARTS]:
            if reads.left < 0:
                return
            if not _begins(framing.skipping(start, 0), buffer):
                continue
            reached, count, is_cut = _reached(framing, buffer, start, reads)
            if count < _LEAST_BESIDE or size - reached > _HEADER or 2 * (reached - start) <= size:
                continue
            behind = 0 if is_cut else size - reached
            kept = {"file_start_offset": start, "file_end_offset": behind}
            more = {name: str(number) for name, number in kept.items() if number}
            tiling = _tiling(said | more, framing.skipping(start, behind), buffer, reader, reads) if more else None
            if tiling is not None:
                yield tiling
            break


def _reached(framing: Framing, buffer: Buffer, start: int, reads: _Reads) -> tuple[int, int, bool]:
    """The end of the last of the records that follow one another from a place on, their number, and whether another
    one begins behind them, which is damage and not a trailer."""
    reached, count, longest, is_cut = start, 0, 0, False
    try:
        for window in reads.windows(framing, buffer, start):
            reached, count = int(window.offsets[-1] + window.lengths[-1]), count + len(window)
            longest = max(longest, int(window.lengths.max()))
    except FramingError as error:
        is_cut = _is_cut(error, longest)
    return reached, count, is_cut


def _is_cut(fault: FramingError | None, longest: int) -> bool:
    """Whether a file ends inside a record that is not far longer than the longest one, rather than in other bytes."""
    said = (fault.expected or "").partition(" ")[0] if isinstance(fault, TruncatedError) else ""
    return said.isdigit() and int(said) <= 2 * longest + _SPARE
