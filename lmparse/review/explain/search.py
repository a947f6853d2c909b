"""Explaining: finds one record of a file by its number, by a byte of the file, or by its position in the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from operator import index
from pathlib import Path
from typing import Any

from lmparse.changes.family import ControlFinder
from lmparse.errors import FramingError, OptionError
from lmparse.framing.extents import RecordExtent
from lmparse.logs.families import dissector_of, known_files, read_options, spec_name
from lmparse.logs.open import look_beside, open_file
from lmparse.logs.sniff import sniff
from lmparse.options import FILE_OPTIONS, Options, check_taken
from lmparse.records.dissection import Dissection
from lmparse.records.file_dissection import faulty
from lmparse.records.files import RecordFile, ignored
from lmparse.review.descriptor_dissection import words_of
from lmparse.review.explain.explanation import ExplainedSection, Explanation
from lmparse.review.explain.page import page
from lmparse.review.explain.text import text_lines
from lmparse.spec import catalog
from lmparse.spec.layout import spec_of
from lmparse.spelling import plain, quoted, shortened
from lmparse.storage.addresses import path_of

_SHOWN = 256
"""Number of bytes shown of bytes that are not a record."""
_BEFORE = 64
"""How many of these are in front of the requested byte, when it is far behind the last sound record."""
_LISTED = 20
"""Greatest number of records to list."""


@dataclass(frozen=True, repr=False)
class Explained(Explanation):
    """One record with its bytes beside its fields, and the ways to show it."""

    def lines(self, width: int = 80, brief: bool = False) -> list[str]:
        """The record as text, in lines of at most `width` characters; less than 60 counts as 60.

        `brief` gives one line for each field, without documentation.
        """
        return list(text_lines(self, width, brief=brief))

    def html(self) -> str:
        """The record as a page that loads nothing. Raises OptionError LMP-S005 without Jinja2."""
        return page(self)

    def _repr_html_(self) -> str:
        """The page in a frame of a notebook; text where Jinja2 is not installed."""
        try:
            inside = escape(self.html())
        except OptionError:
            return f"<pre>{escape(str(self))}</pre>"
        style = "width: 100%; height: 42em; border: 0"
        return f'<iframe title="record" sandbox="allow-scripts" style="{style}" srcdoc="{inside}"></iframe>'

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
    search = search_in(path, **options)
    if lsn is not None:
        return search.by_position(lsn)
    return search.by_number(wanted) if byte is None else search.by_offset(byte)


def search_in(path: str | Path, **options: Any) -> RecordSearch:
    """A search in a file, which is opened once for all records that are looked for.

    `options` are those of `explain`. Raises FramingError for a file that is not recognised, and OptionError.
    """
    given = {name: value for name, value in options.items() if value is not None}
    Options.parse(given)
    check_taken(given, "explain", "one record")
    return RecordSearch(open_unknown(path, given))


def open_unknown(
    path: str | Path, given: Mapping[str, Any], searches: dict[str, ControlFinder] | None = None
) -> RecordFile:
    """A file of which nothing may be known, with the spec that its bytes have and the control file beside it.

    Which one was taken is among the decisions. `searches` as for `look_beside`. Raises as `search_in`.
    """
    beside = look_beside(str(path), read_options(with_spec(path, given)), searches)
    file = open_file(path, beside.options, on_error=ignored)
    file.decisions[:0] = [] if beside.decision is None else [beside.decision]
    return file


def with_spec(path: str | Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the spec of the file: the one that an option is for, else what the bytes are."""
    names = {plain(name) for name in given}
    if names.intersection(("spec", *FILE_OPTIONS)):
        return dict(given)
    for spec in known_files():
        if any(plain(name) in names for name in catalog.load(spec_name(spec)).layout.params):
            return {"spec": spec, **given}
    options = Options.parse(given)
    try:
        return {"spec": sniff(path, options.bounds).spec, **given}
    except FramingError as error:
        if options.framing == "auto" or error.code != "LMP-F003":
            raise
        return dict(given)  # a framing that is named may be one that nothing recognises


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


class RecordSearch:
    """Finds a record of a file and explains it."""

    def __init__(self, file: RecordFile) -> None:
        self.file, self.dissector = file, dissector_of(file)
        self.reads_whole_file = True
        """Whether what is said of a record has facts that need a pass over the whole file."""
        self._last: RecordExtent | None = None
        """The last sound record in front of the wanted one."""

    def at(self, extent: RecordExtent, *, offset_asked: int | None = None, found_by: str = "") -> Explained:
        """The record with an extent."""
        file, found = self.file, self.dissect(extent)
        for fault in faulty(found):
            fault.at(file=file.path, record_index=extent.index, record_offset=extent.offset)
        words = words_of(file.framing, file.buffer, extent)
        return self._shown(found, extent.pieces, words, extent.index, offset_asked=offset_asked, found_by=found_by)

    def dissect(self, extent: RecordExtent) -> Dissection:
        """The fields of a record."""
        if self.reads_whole_file:
            return self.dissector.dissect(extent)
        return self.dissector.dissect_bytes(extent.read(self.file.buffer))

    def by_number(self, wanted: int) -> Explained:
        """The record with a number."""
        try:
            found = self._first(lambda extent: extent.index == wanted)
        except FramingError as error:
            raise self._hinted(error) from None
        if found is None:
            raise OptionError(f"there is no record {wanted}: {self._count}")
        return self.at(found)

    def by_offset(self, wanted: int) -> Explained:
        """The record with a byte of the file, or the bytes there where no record can be read."""
        if wanted >= len(self.file.buffer):
            raise OptionError(f"there is no byte {wanted:#x}: the file has {len(self.file.buffer)} bytes")
        first, behind = self.file.framing.range_of(self.file.buffer)
        if not first <= wanted < behind:
            name = "fileStartOffset" if wanted < first else "fileEndOffset"
            raise OptionError(f"byte {wanted:#x} is not in a record: {name} leaves it out")
        try:
            found = self._first(lambda extent: wanted < extent.end)
        except FramingError as error:
            return self._damaged(wanted, error)
        if found is None:
            raise OptionError(f"byte {wanted:#x} is not in a record: {self._count}")
        return self.at(found, offset_asked=wanted)

    def by_position(self, given: int | str) -> Explained:
        """The record with a position in the log."""
        names = self.dissector.positions
        if not names:
            raise OptionError(f"records of {self.file.spec.id} name no place in a log", hint="give record or offset")
        try:
            wanted = int(given.strip(), 16) if isinstance(given, str) else index(given)
        except (ValueError, TypeError):
            raise OptionError(f"lsn has no value {quoted(given)}", hint="hex digits: " + " or ".join(names)) from None
        found: list[tuple[RecordExtent, list[str]]] = []
        fault: FramingError | None = None
        try:
            for extent in self.file.extents():
                self._last = extent
                if named := [name for name, number in self.dissector.positions_of(extent) if number == wanted]:
                    found.append((extent, named))
        except FramingError as error:
            fault = self._hinted(error)
        if len(found) > 1:
            listed = [str(extent.index) for extent, _ in found[:_LISTED]] + ["..."] * (len(found) > _LISTED)
            said = f"{wanted:X} is in {len(found)} records: {', '.join(listed)}"
            raise OptionError(said, hint="name one of them with record")
        if not found:
            if fault is not None:
                raise fault
            raise OptionError(f"no record has {' or '.join(names)} {shortened(f'{wanted:X}')}")
        ((extent, named),) = found
        return self.at(extent, found_by=f"{wanted:X} is its {' and '.join(dict.fromkeys(named))}")

    def _first(self, is_wanted: Callable[[RecordExtent], bool]) -> RecordExtent | None:
        self._last = None
        for extent in self.file.extents():
            if is_wanted(extent):
                return extent
            self._last = extent
        return None

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
        # The kind of a record is its own `kind`, else the spec of its fields if all have the same, another one.
        specs = {spec_of(node.layout) for node in found.nodes}
        kind = found.kind or (specs.pop() if len(specs) == 1 and found.spec not in specs else "")
        return Explained(
            file.path, len(file.buffer), record, file.framing.name, main, words, file.code_page, kind,
            (*found.notes, *file.tally.notices), tuple(file.decisions), **more,
        )  # fmt: skip

    # -- what is damaged ----------------------------------------------------------------------

    @property
    def _reached(self) -> int:
        """Offset behind the last sound record."""
        return self.file.framing.range_of(self.file.buffer)[0] if self._last is None else self._last.end

    @property
    def _count(self) -> str:
        last = self._last
        return "the file has none" if last is None else f"the last one is {last.index}, at {last.offset:#x}"

    def _hinted(self, error: FramingError) -> FramingError:
        """The error of damage in front of the wanted record, with a hint how to show the bytes there."""
        behind = "" if self._last is None else f"the last sound record is {self._last.index}; "
        hints = [error.hint, f"{behind}the option offset shows the bytes from {self._reached:#x} on"]
        error.hint = "; ".join(hint for hint in hints if hint)
        return error

    def _damaged(self, wanted: int, error: FramingError) -> Explained:
        """The bytes behind the last sound record, or around the wanted one if that is far behind it."""
        file, start = self.file, self._reached
        if wanted >= start + _SHOWN:
            start = wanted - _BEFORE
        found = Dissection(file.spec.id, file.buffer[start : start + _SHOWN], ())
        found_by = f"byte {wanted:#x} of the file is in no sound record: {self._count}"
        return self._shown(
            found, [(start, len(found.raw))], (), None, offset_asked=wanted, found_by=found_by, fault=error
        )


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
