"""Detection: the framing that the bytes of a file prove.

A framing is a candidate if its records fill the first window exactly and have the expected kind. The caller describes
the expected records by a `Detection`; this module knows only descriptor words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

from lmparse.errors import FileLimitError, FramingError, OptionError, TruncatedError
from lmparse.framing.base import Framing
from lmparse.framing.blocks import IN_BLOCKS, in_blocks
from lmparse.framing.extents import RecordExtent
from lmparse.framing.framings import named_framing, unused
from lmparse.framing.length_field import Cutter
from lmparse.framing.whole import Whole
from lmparse.limits import DEFAULT, Limits
from lmparse.options import Options
from lmparse.spelling import camel
from lmparse.storage.buffers import Buffer
from lmparse.values.codepages import CodePage

WINDOW_BYTES = 1 << 20
_SAMPLE, _BLOCKS = 64, 16
_FOLLOWING = 5
"""Records that must be sound, a record above the limit included, to prove that this record is one."""
_ANY_LENGTH = Limits(record_bytes=1 << 62)

Test = Callable[[list[bytes], Framing], str | None]
"""Why a file's first records, cut by a framing, are not the expected records; None if they are."""


@dataclass(frozen=True)
class Detection:
    """The records expected in a file."""

    name: str
    """Name of the records in messages."""
    test: Test
    cutter: Cutter | None = None
    """Reads the length of a record from the record, if it states one."""
    page: Callable[[bytes], CodePage] | None = None
    """Reads the file's code page from the first record, if the record names one."""
    framings: tuple[Framing, ...] = ()
    """Possible framings; if empty, the framings of z/OS files."""
    record: Callable[[bytes], bool] | None = None
    """Whether bytes may be such a record, whatever its codes; if None, the parser decides."""
    others: tuple[Framing, ...] = ()
    """Framings to try if no possible framing gives records that fill the file."""
    options: Callable[[list[bytes], Framing], dict[str, str]] | None = None
    """Options besides the framing that the first records prove, by Python name."""
    rare: frozenset[str] = frozenset()
    """Framings to take only if no other framing fits."""
    share: Callable[[list[bytes], Framing], float] | None = None
    """The share of records understood to the last byte. Of several fitting framings, those with a share of 1 are kept,
    if any."""
    magic: bytes = b""
    """Bytes with which the first record of every such file begins, if known."""
    least: int = 1
    """Fewest records that prove the framing of a damaged or cut file, which records cannot fill."""
    not_whole: Callable[[bytes], str | None] | None = None
    """Why bytes are not exactly one record, for records that may be a whole file; None if they are."""


@dataclass(frozen=True)
class Trial:
    """The result of a framing on the first window."""

    framing: Framing
    extents: tuple[RecordExtent, ...]
    """The first records, at most 64."""
    fault: FramingError | None
    """The error of the framing; None if its records fill the window exactly."""
    refusal: str | None
    """Why the records are not the expected records; None if they are."""
    is_spanned: bool

    @property
    def is_proven(self) -> bool:
        """Whether expected records fill the window exactly."""
        return self.fault is None and self.refusal is None and bool(self.extents)

    @property
    def reached(self) -> int:
        """Offset up to which the framing is sound."""
        return self.fault.record_offset or 0 if self.fault is not None else 1 << 63

    @property
    def verdict(self) -> str:
        """The outcome in words."""
        if self.refusal is not None:
            return self.refusal
        return "fits" if self.fault is None else str(self.fault)


def detect(
    buffer: Buffer,
    detection: Detection,
    limits: Limits = DEFAULT,
    options: Options | None = None,
    walks: Walks | None = None,
    last: Framing | None = None,
) -> Trial:
    """Find the framing of a file by proof, not by a guess, among framings that use all given framing options.

    `last` is tried if no other framing fits. Raises OptionError LMP-S003 if no framing uses the options. Raises
    FramingError LMP-F002 if the file is empty, LMP-F003 if no framing fits, LMP-F004 if several fit, LMP-F006 if the
    file ends inside its first record, which begins with `magic`, and LMP-L002 if the first record exceeds the limit.
    """
    possible = possible_framings(detection, limits, options)
    if not len(buffer):
        raise FramingError("is empty, so nothing proves what it is", code="LMP-F002", hint="name the framing")
    trials = try_framings(buffer, detection, possible, walks)
    left = _preferred([trial for trial in trials if trial.is_proven])
    if not left and not (options or Options()).of_framing:
        others = [framing.within(limits) for framing in detection.others]
        left = [trial for trial in try_framings(buffer, detection, others) if trial.is_proven]
    left = [one for one in left if one.framing.name not in detection.rare] or left
    if len(left) > 1 and detection.share is not None:
        share = detection.share
        left = [one for one in left if share([extent.read(buffer) for extent in one.extents], one.framing) == 1] or left
    if not left:
        # No framing fills a damaged or cut file. The only framing that begins soundly is then taken, and reading
        # reports the damage at its place.
        sound = [trial for trial in trials if trial.refusal is None and len(trial.extents) >= detection.least]
        furthest = max((trial.reached for trial in sound), default=0)
        best = [trial for trial in sound if trial.reached == furthest]
        left = _preferred(best) or best
    if not left and (whole := _whole(buffer, detection, limits, options)) is not None:
        if whole.is_proven:
            return whole
        trials.append(whole)
    if not left and last is not None:
        trials += try_framings(buffer, detection, [last])
        left = [trial for trial in trials[-1:] if trial.is_proven]
    if len(left) == 1:
        return left[0]
    if left:
        names = " and ".join(_name(trial.framing) for trial in left)
        raise FramingError(
            f"{names} both fit the first {min(len(buffer), WINDOW_BYTES)} bytes", code="LMP-F004",
            hint="name the framing that the transfer used",
        )  # fmt: skip
    for trial in trials:
        trial.framing.range_of(buffer)  # raises if the options skip all bytes
    if (cut := _cut_at_once(buffer, detection, trials) or _too_long_at_once(buffer, trials)) is not None:
        raise cut
    raise FramingError(
        f"no framing gives {detection.name}", code="LMP-F003", record_offset=0,
        found="; ".join(f"{_name(trial.framing)}: {trial.verdict}" for trial in trials), hex=buffer[:32].hex().upper(),
        expected="records that tile the file", hint="lmparse sniff FILE says more",
    )  # fmt: skip


def _whole(buffer: Buffer, detection: Detection, limits: Limits, options: Options | None) -> Trial | None:
    """The trial of a file that is one record; None if one record is impossible."""
    given = options or Options()
    framing = Whole().within(limits).skipping(given.file_start_offset, given.file_end_offset)
    start, end = framing.range_of(buffer)
    if detection.not_whole is None or given.of_framing or not start < end <= start + limits.record_bytes:
        return None
    extent = next(framing.extents(buffer))
    return Trial(framing, (extent,), None, detection.not_whole(extent.read(buffer)), False)


def _cut_at_once(buffer: Buffer, detection: Detection, trials: list[Trial]) -> TruncatedError | None:
    """The error of a file that begins with `magic`, without a word, and ends inside its first record; or None."""
    if not detection.magic or buffer[: len(detection.magic)] != detection.magic:
        return None
    faults = (trial.fault for trial in trials if trial.framing.word_id is None)
    return next((fault for fault in faults if isinstance(fault, TruncatedError)), None)


def _too_long_at_once(buffer: Buffer, trials: list[Trial]) -> FramingError | None:
    """The error of a file whose first record exceeds the limit, if sound records or nothing follow; or None."""
    for trial in trials:
        if isinstance(trial.fault, FileLimitError) and not trial.extents:
            try:
                deque(islice(trial.framing.within(_ANY_LENGTH).extents(buffer), _FOLLOWING), 0)
            except FramingError:
                continue
            return trial.fault
    return None


def possible_framings(detection: Detection, limits: Limits = DEFAULT, options: Options | None = None) -> list[Framing]:
    """The framings to try. Raises OptionError LMP-S003 if no framing uses all framing options that are given."""
    given = options or Options()
    if detection.framings:
        offsets = given.file_start_offset, given.file_end_offset
        found = [] if given.of_framing else [framing.skipping(*offsets) for framing in detection.framings]
    else:
        names = ["bdw-vbs", "bdw", "vbs", "rdw", "zosmf"]
        if detection.cutter is not None or given.record_length_field is not None:
            names.append("glued")
        if given.record_length is not None:
            names.append("fixed")
        found = [named_framing(name, given, detection.cutter) for name in names if not any(unused(name, given))]
    if not found:
        given_names = " and ".join(camel(name) for name in given.of_framing)
        raise OptionError(f"no framing of {detection.name} uses {given_names}", code="LMP-S003")
    return [framing.within(limits) for framing in found]


Walks = dict[tuple[Framing, Limits, int, int], Trial]
"""Trials by framing in the first window of one file, cached for all kinds of records; they have no `refusal` yet."""


def try_framings(
    buffer: Buffer, detection: Detection, framings: list[Framing] | None = None, walks: Walks | None = None
) -> list[Trial]:
    """The trials of framings, by default of those that need no option. `walks` caches the reading of the window."""
    walks = {} if walks is None else walks
    trials = []
    for framing in possible_framings(detection) if framings is None else framings:
        way = framing, framing.limits, framing.skipped_at_start, framing.skipped_at_end
        if way not in walks:
            walks[way] = _walked(framing, buffer)
        trial = walks[way]
        refusal: str | None = f"no record: {trial.fault.says()}" if trial.fault is not None else "no record"
        if trial.extents:
            first = [extent.read(buffer) for extent in trial.extents]
            refusal = (
                "the records are blocks" if in_blocks(framing, first[:_BLOCKS]) else detection.test(first, framing)
            )
        trials.append(replace(trial, refusal=refusal))
    return trials


def _walked(framing: Framing, buffer: Buffer) -> Trial:
    """Read the records of the first window."""
    first: list[RecordExtent] = []
    fault: FramingError | None = None
    is_spanned = False
    try:
        for count, extent in enumerate(framing.extents(buffer)):
            if count < _SAMPLE:
                first.append(extent)
            is_spanned = is_spanned or len(extent.pieces) > 1
            if extent.offset + extent.length >= WINDOW_BYTES:
                break
    except FramingError as error:
        fault = error
    return Trial(framing, tuple(first), fault, None, is_spanned)


def _preferred(fits: list[Trial]) -> list[Trial]:
    """The preferred trials: spanned framings only with spanned records, and blocks rather than the records in blocks.

    Framings with descriptor words are preferred, because such words cannot fit by chance.
    """
    fits = [trial for trial in fits if trial.is_spanned or not trial.framing.is_spanned]
    fits = [trial for trial in fits if trial.framing.word_id is not None] or fits
    if any(trial.framing.is_blocked for trial in fits):
        fits = [trial for trial in fits if trial.framing.is_blocked or trial.framing.word_id not in IN_BLOCKS]
    return fits


def _name(framing: Framing) -> str:
    return f"{framing.name} {framing.byte_order}" if framing.byte_order else framing.name
