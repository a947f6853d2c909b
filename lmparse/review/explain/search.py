"""Explaining: finds one record of a file by its number, by a byte of the file, or by its position in the log."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from operator import index
from pathlib import Path
from typing import Any, Self

from lmparse.errors import DataError, FramingError, OptionError, TruncatedError
from lmparse.framing.base import Framing
from lmparse.framing.descriptors import block_descriptor
from lmparse.framing.detection import detect
from lmparse.framing.extents import RecordExtent
from lmparse.framing.words import WordFraming
from lmparse.limits import Limits
from lmparse.logs.beside import look_beside, unusable
from lmparse.logs.families import dissector_of, known_files, read_options, spec_name
from lmparse.logs.open import open_file, options_for
from lmparse.logs.sniff import sniff
from lmparse.options import FILE_OPTIONS, NEAR, Options, check_taken
from lmparse.records.dissection import Dissection, Node
from lmparse.records.file_dissection import FileDissector, clipped, faulty, opened
from lmparse.records.files import RAW, RecordFile, ignored
from lmparse.records.settings import Decision
from lmparse.review.descriptor_dissection import words_at, words_of
from lmparse.review.explain.explanation import ExplainedSection, Explanation, names_of
from lmparse.review.explain.page import fragment, page
from lmparse.review.explain.text import brief_lines, text_lines
from lmparse.spec import catalog
from lmparse.spec.layout import Layout, spec_of
from lmparse.spelling import plain, quoted, shortened
from lmparse.storage.addresses import path_of
from lmparse.storage.buffers import open_buffer

_TELLING = ("spec", *FILE_OPTIONS)
"""Options that specify the format of the records; without them it is detected."""
_SHOWN, _MOST_SHOWN = 256, 1 << 16
"""Number of bytes shown of bytes that are not a record, and of a record that the file cuts off."""
_BEFORE = 64
"""How many of these are in front of the requested byte, when it is far behind the last sound record."""
_LISTED = 20
"""Greatest number of records to list."""
_UNKNOWN = Layout("bytes", (), None, title="bytes of the file")


@dataclass(frozen=True, repr=False)
class Explained(Explanation):
    """One record with its bytes beside its fields, and the ways to show it."""

    def lines(self, width: int = 80, colour: bool = False, brief: bool = False) -> list[str]:
        """The record as text, in lines of at most `width` characters; less than 52 counts as 52.

        `brief` gives one line for each field, without documentation.
        """
        return list((brief_lines if brief else text_lines)(self, width, colour=colour))

    def only(self, *names: str) -> Self:
        """The same record with these fields only: paths, ids or the vendor's names. Raises OptionError LMP-S003."""
        known = {name: None for section in self.sections for node in section.dissection.walk()
                 for name in sorted(names_of(node))}  # fmt: skip
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1, cutoff=NEAR)
                hint = f"did you mean {near[0]}?" if near else "--brief lists the fields"
                raise OptionError(f"this record has no field {name!r}; {hint}", hint=hint)
        words = (word.with_fields(names) for word in self.words)
        return replace(self, main=self.main.with_fields(names), words=tuple(word for word in words if word.lines))

    def html(self) -> str:
        """The record as a page that loads nothing. Raises OptionError LMP-S005 without Jinja2."""
        if self.main.chosen is not None:
            raise OptionError("a page shows all fields of a record", hint="leave the names of fields out")
        return page(self)

    def _repr_html_(self) -> str:
        """The output in a notebook; as text where Jinja2 is not installed."""
        try:
            return fragment(self)
        except OptionError:
            return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        what = "bytes" if self.record is None else f"record {self.record}"
        return f"<{what} of {self.file} at {self.offset:#x}>"


def explain(
    path: str | Path,
    record: int | str | None = None,
    *,
    offset: int | str | None = None,
    lsn: int | str | None = None,
    **options: Any,
) -> Explained:
    """One record of a file: its bytes beside its fields, their values and what the manuals say about them.

    `record` counts from 0, `offset` is any byte of the file, `lsn` a position in the log in hex; without any of these
    it is the first record. `options` are those of `lmparse explain`; the others are detected from the bytes.
    Raises OptionError for a record that does not exist, and FramingError where the file is damaged before it. With the
    `offset` of damaged bytes, these are returned as far as they can be read, with `fault` set.
    """
    path = path_of("path", path)
    if sum(place is not None for place in (record, offset, lsn)) > 1:
        raise OptionError("record, offset and lsn each name a record", hint="give one of them")
    wanted = _whole("record", 0 if record is None else record)
    byte = None if offset is None else _whole("offset", offset)
    try:
        search = search_in(path, **options)
    except FramingError as error:
        if byte is None or error.file not in (None, str(path)):
            raise
        given = {name: value for name, value in options.items() if value is not None}
        return _unreadable(path, byte, error, Options.parse(given).bounds)
    if lsn is not None:
        return search.by_position(lsn)
    return search.by_number(wanted) if byte is None else search.by_offset(byte)


def search_in(path: str | Path, **options: Any) -> RecordSearch:
    """A search in a file, which is opened once for all records that are looked for.

    `options` are those of `explain`. Raises FramingError for a file that is not recognised, and OptionError.
    """
    given = {name: value for name, value in options.items() if value is not None}
    _check(given)
    complete, framing = _completed(path, given)
    named = {} if framing is None else {"framing": framing.value}
    file, beside = _opened(path, read_options(complete | named))
    if framing is not None:
        page = Decision("code page", file.code_page.name, "option" if file.options.code_page else "the default")
        file.decisions[:] = [framing, page]
    file.decisions[:0] = [] if beside is None else [beside]
    return RecordSearch(file, dissector_of(file))


def _opened(path: str | Path, options: Options) -> tuple[RecordFile, Decision | None]:
    """The file, read with the control file beside it if that can be read; and which one that is."""
    beside = look_beside(str(path), options)
    try:
        return open_file(path, beside.options, on_error=ignored), beside.decision
    except DataError as error:
        without = unusable(beside, error, options)
        if without is None:
            raise
        return open_file(path, options, on_error=ignored), without.decision


def _whole(name: str, given: int | str) -> int:
    """A number that counts from 0. Raises OptionError LMP-S003."""
    text = str(given).strip().lower()
    digits, base = (text[2:], 16) if text.startswith("0x") else (text, 10)
    try:
        number = int(digits, base) if digits.isalnum() and digits.isascii() else -1
    except ValueError:
        number = -1
    if number < 0:
        raise OptionError(
            f"{name} has no value {quoted(given)}", hint="a whole number from 0, or one in hex such as 0x1f"
        )
    return number


def _check(given: dict[str, Any]) -> None:
    """Raise OptionError for an option that is unknown, or has no meaning for one record."""
    Options.parse(given)
    check_taken(given, "explain", "one record")


def _completed(path: str | Path, given: dict[str, Any]) -> tuple[dict[str, Any], Decision | None]:
    """The options with the spec of the file, and its framing if that was detected with the spec."""
    names = {plain(name) for name in given}
    if names.intersection(_TELLING):
        return given, None
    for spec in known_files():
        if any(plain(name) in names for name in catalog.load(spec_name(spec)).layout.params):
            return {"spec": spec, **given}, None
    bounds = Options.parse(given).bounds
    try:
        return {"spec": sniff(path, bounds).spec, **given}, None
    except FramingError as error:
        found = _found_part(path, bounds) if error.code == "LMP-F003" else None
        if found is None and options_for(path, given)[0].spec == RAW:
            return {"spec": RAW, **given}, None
        if found is None:
            raise
        spec, framing = found
        return {"spec": spec, **given}, None if "framing" in names else framing


def _found_part(path: str | Path, bounds: Limits) -> tuple[str, Decision] | None:
    """Spec and framing of a part of a file, which lacks the record that `sniff` needs at the start of a file."""
    for spec, detection in known_files().items():
        if detection.part is not None:
            with suppress(FramingError):
                trial = detect(open_buffer(path, bounds), detection.part(), bounds)
                if trial.is_proven:
                    evidence = f"the first records begin with codes of {detection.name}"
                    return spec, Decision("framing", trial.framing.name, evidence)
    return None


class RecordSearch:
    """Finds a record of a file and explains it."""

    def __init__(self, file: RecordFile, dissector: FileDissector) -> None:
        self.file, self.dissector = file, dissector
        self._last: RecordExtent | None = None
        """The last sound record before the current place."""

    def at(self, extent: RecordExtent, *, searches: bool = True) -> Explained:
        """The record with an extent; without facts that need a pass over the whole file unless it `searches`."""
        return self._explained(extent, searches=searches)

    def by_number(self, wanted: int) -> Explained:
        """The record with a number."""
        try:
            for extent in self.file.extents():
                if extent.index == wanted:
                    return self._explained(extent)
                self._last = extent
        except FramingError as error:
            raise self._hinted(error) from None
        raise OptionError(f"there is no record {wanted}: {self._count}")

    def by_offset(self, wanted: int, *, searches: bool = True) -> Explained:
        """The record with a byte of the file, or what can be read of the damage there. `searches` as in `at`."""
        self._last = None
        if wanted >= len(self.file.buffer):
            raise OptionError(f"there is no byte {wanted:#x}: the file has {len(self.file.buffer)} bytes")
        first, behind = self.file.framing.range_of(self.file.buffer)
        if not first <= wanted < behind:
            name = "fileStartOffset" if wanted < first else "fileEndOffset"
            raise OptionError(f"byte {wanted:#x} is not in a record: {name} leaves it out")
        try:
            for extent in self.file.extents():
                if wanted < _end(extent):
                    return self._explained(extent, offset_asked=wanted, searches=searches)
                self._last = extent
        except FramingError as error:
            return self._broken(wanted, error)
        raise OptionError(f"byte {wanted:#x} is not in a record: {self._count}")

    def by_position(self, given: int | str) -> Explained:
        """The record with a position in the log."""
        names = self.dissector.positions
        if not names:
            raise OptionError(f"records of {self.file.spec.id} name no place in a log", hint="give record or offset")
        try:
            wanted = int(given.strip(), 16) if isinstance(given, str) else index(given)
        except (ValueError, TypeError):
            raise OptionError(f"lsn has no value {quoted(given)}", hint="hex digits: " + " or ".join(names)) from None
        found: dict[int, tuple[RecordExtent, list[str]]] = {}
        near: list[tuple[int, str, int]] = []
        fault: FramingError | None = None
        try:
            for extent in self.file.extents():
                self._last = extent
                for name, number in self.dissector.positions_of(extent):
                    if number == wanted:
                        found.setdefault(extent.index, (extent, []))[1].append(name)
                    near = _nearest(near, (number, name, extent.index), wanted)
        except FramingError as error:
            fault = self._hinted(error)
        if len(found) > 1:
            numbers = ", ".join(map(str, list(found)[:_LISTED])) + (", ..." if len(found) > _LISTED else "")
            raise OptionError(f"{wanted:X} is in {len(found)} records: {numbers}", hint="name one of them with record")
        if not found:
            if fault is not None:
                raise fault
            said = "; ".join(f"{name} {number:X} in record {index}" for number, name, index in near)
            raise OptionError(
                f"no record has {' or '.join(names)} {shortened(f'{wanted:X}')}",
                hint=f"nearest: {said}" if said else None,
            )
        ((extent, places),) = found.values()
        return self._explained(extent, found_by=f"{wanted:X} is its {' and '.join(dict.fromkeys(places))}")

    # -- what is found ------------------------------------------------------------------------

    def _explained(
        self, extent: RecordExtent, *, offset_asked: int | None = None, found_by: str = "", searches: bool = True
    ) -> Explained:
        file, dissector = self.file, self.dissector
        found = dissector.dissect(extent) if searches else dissector.dissect_bytes(extent.read(file.buffer))
        for fault in faulty(found):
            fault.at(file=file.path, record_index=extent.index, record_offset=extent.offset)
        return self._shown(found, extent.pieces, words_of(file.framing, file.buffer, extent), extent.index,
                           offset_asked=offset_asked, found_by=found_by)  # fmt: skip

    def _shown(
        self,
        found: Dissection,
        pieces: Iterable[tuple[int, int]],
        words: tuple[ExplainedSection, ...],
        record: int | None,
        **more: Any,
    ) -> Explained:
        file = self.file
        main = ExplainedSection(file.spec.layout, found, tuple(pieces))
        asked = more.get("offset_asked")
        if asked is not None and not more.get("found_by"):
            more["found_by"] = _where(asked, main, words, record)
        return Explained(
            file.path, len(file.buffer), record, file.framing.name, main, words, file.code_page, _kind(found),
            (*found.notes, *file.tally.notices), tuple(file.decisions), **more,
        )  # fmt: skip

    # -- what is damaged ----------------------------------------------------------------------

    @property
    def _first(self) -> int:
        """Offset of the first descriptor word."""
        return self.file.framing.range_of(self.file.buffer)[0]

    @property
    def _count(self) -> str:
        last = self._last
        return "the file has none" if last is None else f"the last one is {last.index}, at {last.offset:#x}"

    def _hinted(self, error: FramingError) -> FramingError:
        """The error of damage in front of the wanted record, with a hint how to show the bytes there."""
        reached = self._first if self._last is None else _end(self._last)
        behind = "" if self._last is None else f"the last sound record is {self._last.index}; "
        hints = [error.hint, f"{behind}the option offset shows the bytes from {reached:#x} on"]
        error.hint = "; ".join(hint for hint in hints if hint)
        return error

    def _broken(self, wanted: int, error: FramingError) -> Explained:
        """The bytes behind the last sound record, as far as they can be read."""
        file = self.file
        reached = self._first if self._last is None else _end(self._last)
        is_block = error.spec == block_descriptor().spec.id and error.code != "LMP-F008"
        in_block = error.record_offset == reached and not is_block
        words = words_at(file.framing, file.buffer, reached, in_block=in_block)
        start = words[-1].offset + len(words[-1].dissection.raw) if words else reached
        found = self._torn(start, words, error)
        words = tuple(_with_error(word, error) for word in words)
        if wanted >= start + len(found.raw):
            # The requested byte is behind all bytes that can be read.
            words, start = (), max(reached, wanted - _BEFORE)
            found = Dissection(file.spec.id, file.buffer[start : start + _SHOWN], ())
        found_by = f"byte {wanted:#x} of the file is in no sound record: {self._count}"
        return self._shown(
            found, [(start, len(found.raw))], words, None, offset_asked=wanted, found_by=found_by, fault=error
        )

    def _torn(self, start: int, words: tuple[ExplainedSection, ...], error: FramingError) -> Dissection:
        """The bytes at an offset, read as the record that should begin there."""
        file = self.file
        is_sound = not any(faulty(word.dissection) for word in words)
        is_cut = isinstance(error, TruncatedError)
        raw = file.buffer[start : start + (_MOST_SHOWN if is_cut else _stated(words, file.framing) or _SHOWN)]
        if not is_sound:
            return Dissection(file.spec.id, raw[:_SHOWN], ())
        found = self.dissector.dissect_bytes(raw)
        missing = (error.record_offset or 0) + _number(error.expected) - len(file.buffer) if is_cut else 0
        if 0 < missing < _MOST_SHOWN and start + len(raw) == len(file.buffer):
            # Its own length field alone may make a cut record unreadable: it is read as if it were complete.
            filled = clipped(self.dissector.dissect_bytes(raw + bytes(missing)), len(raw), error)
            if _unread(filled) < _unread(found):
                return filled
        for fault in faulty(found):
            fault.at(file=file.path, record_offset=start)
        return found


def _with_error(word: ExplainedSection, error: FramingError) -> ExplainedSection:
    """A word with the error of the framing in place of its own fault, where both are about the same field."""

    def open_(node: Node) -> Node | None:
        return replace(node, fault=error) if node.fault is not None and node.path == error.field else None

    for fault in faulty(word.dissection):
        fault.at(file=error.file, record_offset=word.offset)
    found = word.dissection
    if found.fault is None or (found.spec, found.fault.field) != (error.spec, error.field):
        return word
    return replace(word, dissection=replace(found, nodes=opened(found.nodes, open_), fault=error))


def _kind(found: Dissection) -> str:
    """The kind of a record: its own `kind`, else the spec of its fields if all have the same, another one."""
    specs = {spec_of(node.layout) for node in found.nodes}
    return found.kind or (specs.pop() if len(specs) == 1 and found.spec not in specs else "")


def _unreadable(path: str | Path, wanted: int, error: FramingError, bounds: Limits) -> Explained:
    """Bytes of a file of unknown format."""
    buffer = open_buffer(path, bounds)
    if wanted >= len(buffer):
        raise error
    start = max(0, wanted - _BEFORE)
    raw = buffer[start : start + _SHOWN]
    main = ExplainedSection(_UNKNOWN, Dissection(_UNKNOWN.id, raw, ()), ((start, len(raw)),))
    said = f"byte {wanted:#x} of the file is byte {wanted - start} of these"
    return Explained(str(path), len(buffer), None, "unknown", main, offset_asked=wanted, found_by=said, fault=error)


def _end(extent: RecordExtent) -> int:
    offset, length = extent.pieces[-1]
    return offset + length


def _stated(words: tuple[ExplainedSection, ...], framing: Framing) -> int:
    """Number of bytes behind the descriptor words, as the last of them says; 0 when none says it."""
    node = words[-1].dissection.at("length") if words else None
    if node is None or not isinstance(node.value, int):
        return 0
    uncounted = framing.word.uncounted if isinstance(framing, WordFraming) and framing.word_id else 0
    return max(node.value + uncounted - len(words[-1].dissection.raw), 0)


def _number(text: str | None) -> int:
    """The number at the start of a text, as in `300 bytes`; 0 without one."""
    first = (text or "").partition(" ")[0]
    return int(first) if first.isdecimal() else 0


def _unread(found: Dissection) -> int:
    return sum(end - start for start, end in found.unread())


def _nearest(near: list[tuple[int, str, int]], entry: tuple[int, str, int], wanted: int) -> list[tuple[int, str, int]]:
    """The nearest positions below and above the wanted one."""
    below = [known for known in (*near, entry) if known[0] < wanted]
    above = [known for known in (*near, entry) if known[0] > wanted]
    return [*sorted(below, reverse=True)[:1], *sorted(above)[:1]]


def _where(asked: int, main: ExplainedSection, words: Iterable[ExplainedSection], record: int | None) -> str:
    """The record, byte and field of a byte of the file, in words."""
    for section in (main, *words):
        byte = section.in_section(asked)
        if byte is not None:
            leaf = next((leaf for leaf in section.dissection.leaves() if leaf.start <= byte < leaf.end), None)
            field = "in no field" if leaf is None else f"in {leaf.path}"
            what = f"record {record}" if section is main else f"the {section.layout.id} in front of record {record}"
            return f"byte {asked:#x} of the file is byte {byte} of {what}, {field}"
    return f"byte {asked:#x} of the file is in front of record {record}"
