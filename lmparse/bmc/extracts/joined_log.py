"""Joined log: several extracts of one Log Master log, each with its control file, read as one log.

Extracts are in the order of their last positions. A change in several extracts is given once (`ownership`). A unit of
recovery that one extract calls open has the outcome that another states (`outcomes`). These results are in the settings
of each extract, so any process can read a part of an extract by itself.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from lmparse.bmc.columns import change_columns
from lmparse.bmc.columns.change_columns import ChangeColumns
from lmparse.bmc.control.control_file import read_control
from lmparse.bmc.control.find_control import ControlSearch
from lmparse.bmc.control.tables import TableVersion, of_number
from lmparse.bmc.extracts.checkpoint import ReadBefore
from lmparse.bmc.extracts.heads import UNIT_WIDTH, ExtractHeads, heads_of
from lmparse.bmc.extracts.outcomes import ExtractSettings, keys
from lmparse.bmc.extracts.ownership import UnitEnds, ownership
from lmparse.bmc.log.interpretation import LogSettings
from lmparse.bmc.log.log import LogicalLog, open_logical_log
from lmparse.bmc.record.headers import check_header
from lmparse.changes.change import Change, Version
from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.claims import Claim, Statement
from lmparse.changes.log import ChangeLog
from lmparse.changes.rows import VersionBatch
from lmparse.columnar.filters import Filter
from lmparse.errors import DataError, OptionError, TableNotFoundError
from lmparse.framing.extents import Span
from lmparse.options import Options
from lmparse.records.files import OnError, RecordFile, ignored
from lmparse.records.origin import RecordOrigin
from lmparse.records.settings import FileSettings
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece, joined_of, names_in
from lmparse.storage.processes import Run

_MOST_OPEN = 32
"""Most extracts that are open at a time."""


_MOST_NOTES = 20
"""Most notes on places between extracts; of more places only the number is said."""


_NO_BEGINNING = "nothing states where the second begins"


@dataclass(frozen=True, eq=False)
class JoinedExtract:
    """One extract, with the settings that follow from the other extracts."""

    heads: ExtractHeads
    settings: ExtractSettings
    continues: bool
    """Whether an earlier extract states the outcome of a unit of this one: then nothing is missing between them."""

    @property
    def path(self) -> str:
        """The data file."""
        return self.heads.path


def join_extracts(
    files: Sequence[tuple[str, str]], options: Options, run: Run | None, checkpoint: Checkpoint | None
) -> list[JoinedExtract]:
    """The extracts with some data files and control files, in their order. `run` reads them in other processes.

    Raises FramingError LMP-F013 if they cannot be read as one log, LMP-F014 if one comes too late for the checkpoint,
    and FileLimitError LMP-L004.
    """
    many: Run = run or map
    before = None if checkpoint is None else ReadBefore(checkpoint)
    doubtful = None if before is None else before.doubtful
    heads = list(many(heads_of, [(path, control, options, doubtful) for path, control in files]))
    heads.sort(key=lambda head: (head.last, head.first, head.path))
    ends = UnitEnds.of(heads)
    if before is not None:
        before.check_in_time(heads, ends)
    again = set() if checkpoint is None else {one.path for one in checkpoint.needed}
    ended = [before.ended_units(one) if before else keys(one.units[:0]) for one in heads]
    owns = ownership(heads, ends, ended, options, many)
    result, records, size = [], 0, 0
    for number, (one, elsewhere) in enumerate(zip(heads, owns, strict=True)):
        settings = ExtractSettings(
            one.path, one.control, ends.of_open_units(one), elsewhere, records, size, is_again=one.path in again
        )
        first = ends.extract_of(keys(one.units[:, :UNIT_WIDTH]))
        continues = bool(((first >= 0) & (first < number)).any())
        result.append(JoinedExtract(one, settings, continues))
        records, size = records + one.records, size + one.size
    return result


def notes(extracts: Sequence[JoinedExtract]) -> Iterator[str]:
    """Notes on records in several extracts and on doubts between extracts; of very many the first, and the number."""
    every: list[str] = []
    before: JoinedExtract | None = None
    for one in extracts:
        if count := len(one.settings.elsewhere):
            every.append(f"records of {one.path} that another extract gives: {count}")
        if before is not None and not one.continues:
            first = f"its first change is at {one.heads.first.hex().upper()}" if one.heads.first else "it has no change"
            where = f"whether changes are missing between {before.path} and {one.path} cannot be tested"
            every.append(f"{where}: {_NO_BEGINNING}; {first}")
        before = one
    yield from every[:_MOST_NOTES]
    if len(every) > _MOST_NOTES:
        yield f"the same of {len(every) - _MOST_NOTES} more extracts"


SAME = Statement("extracts agree on what several of them have", "records and units")
NOTHING_MISSING = Statement("no change is missing between two extracts", "pairs of extracts")
STATEMENTS = (SAME, NOTHING_MISSING)


def logs_of(paths: Sequence[str], options: Options, faults: list[DataError] | None = None) -> list[Joined]:
    """The logs of which data files are extracts: one log for each Db2 system that XTYP names.

    Files without a record are left out, unless a log has no others. Raises ControlError. With a list `faults`, errors
    of files are added to it instead, and these files are left out.
    """
    systems: dict[str, list[JoinedPiece]] = {}
    search = ControlSearch(options.bounds)
    for path in dict.fromkeys(paths):
        try:
            place = search.find(path, options.control)
            control = read_control(place, framing=options.control_framing, limits=options.bounds)
            if faults is not None:
                # Opening leaves these tests for later, when all extracts would have their errors.
                log = open_logical_log(path, replace(options, control=place), on_error=ignored)
                check_header(log.header, log.options)
                _ = log.tables
        except DataError as error:
            # If an option names a control file that is missing, no single log is at fault.
            if faults is None or (error.code == "LMP-F001" and error.file != path):
                raise
            faults.append(error.of_log(path))
            continue
        system = control.first("XTYP").get("cntl_file_sysid") or ""
        systems.setdefault(system, []).append(JoinedPiece(path, 0, len(open_buffer(path, options.bounds))))
    return [Joined(tuple(piece for piece in pieces if piece.size) or (pieces[0],)) for pieces in systems.values()]


class JoinedLog(ChangeLog):
    """The log of several extracts; its path is the address of the joined files.

    Offsets and numbers of records count through all extracts, one after another.
    """

    table_hint = LogicalLog.table_hint

    def __init__(self, path: str | Path, options: Options, *, on_error: OnError = None) -> None:
        self._paths = names_in(str(path))
        controls = joined_of(ControlSearch(options.bounds).find(str(path), options.control))
        assert controls is not None
        self._controls = {name: piece.path for name, piece in zip(self._paths, controls.pieces, strict=True)}
        first = open_logical_log(self._paths[0], self._named(self._paths[0], options), on_error=on_error)
        super().__init__(
            path, options, replace(first._found, buffer=open_buffer(path, options.bounds)), on_error=on_error
        )
        self.origin = RecordOrigin(self.path, self.spec, lambda: self.ordered)
        self._opened: OrderedDict[str, LogicalLog] = OrderedDict()
        self._settings: dict[str, FileSettings] = {}
        self._lacks_descriptions = False
        """Whether damage of an extract ended the search for the table that the options name."""

    # -- the extracts ---------------------------------------------------------------------------

    @cached_property
    def joined(self) -> Sequence[JoinedExtract]:
        """The extracts in their order, with the settings that follow from each other. Raises FramingError LMP-F013."""
        every = join_extracts(list(self._controls.items()), self.options, self.run, self.resumed)
        for text in notes(every):
            self.notice(text)
        for one in every:
            self._settings[one.path] = replace(one.heads.settings, own=LogSettings(extract=one.settings))
        self._opened.clear()
        return every

    @cached_property
    def ordered(self) -> Joined:
        """The extracts in their order, as one file."""
        pieces = (JoinedPiece(one.path, 0, one.heads.size, 0, one.heads.records) for one in self.joined)
        found = Joined(tuple(pieces))
        self.buffer = open_buffer(found.address, self.options.bounds)
        return found

    def extracts(self) -> Iterator[LogicalLog]:
        """The extracts in their order, as parts of the log. They count and report together with it.

        Extracts without changes of the table that the options name are left out, unless damage hides that. Raises
        OptionError if no extract has the table, unless its ids are known; and for a column or table version that none
        has.
        """
        if self.options.columns or self.options.table_version is not None:
            self.check_columns()
        yield from self._extracts()

    def _extracts(self) -> Iterator[LogicalLog]:
        """As `extracts`, without a test of columns: a reading of these extracts may go on with other extracts."""
        missing: list[TableNotFoundError] = []
        names: set[str] = set()
        found = 0
        for one in self.joined:
            log = self._log(one.path)
            try:
                has_table = log.table_ids is None or bool(log.table_ids)
            except TableNotFoundError as error:
                missing.append(error)
                continue
            names |= log.table_names
            if len(names) > 1:
                raise self.ambiguous(self.options.table or "", sorted(names))
            found += 1
            if has_table or log.lacks_descriptions:
                log.keeps_bad_records = self.keeps_bad_records
                log.bad_records.clear()  # bad records of an earlier reading
                yield log
        if missing and not found and self.known_table_ids is None:
            raise self._in_none(missing)

    def extracts_apart(self) -> Iterator[LogicalLog]:
        """All extracts in their order."""
        yield from (self._log(one.path) for one in self.joined)

    def claims(self) -> list[Claim]:
        same, missing = (statement.claim() for statement in STATEMENTS)
        same.tested = sum(len(one.settings.elsewhere) + len(one.settings.outcomes) for one in self.joined)
        for _, one in pairwise(self.joined):
            if one.continues:
                missing.test()
            else:
                missing.untestable[_NO_BEGINNING] += 1
        return [same, missing]

    def _named(self, path: str, options: Options) -> Options:
        """The options for one extract, with its control file."""
        return replace(options, control=self._controls[path])

    def _log(self, path: str) -> LogicalLog:
        log = self._opened.pop(path, None)
        if log is None:
            options = self._named(path, self.options)
            log = open_logical_log(path, options, settings=self._settings.get(path), on_error=self._on_error)
            for decision in log.decisions:
                if decision not in self.decisions:
                    self.decisions.append(decision)
            for text in log.tally.notices:
                self.notice(text)
            log.tally, log.left_out = self.tally, self.left_out
            log.is_part = True
        self._opened[path] = log
        if len(self._opened) > _MOST_OPEN:
            self._opened.popitem(last=False)
        return log

    # -- what is known before the first record is read ---------------------------------------

    @property
    def has_descriptions(self) -> bool:
        return True

    @property
    def lacks_descriptions(self) -> bool:
        return self._lacks_descriptions

    @classmethod
    def column_docs(cls) -> Mapping[str, str]:
        return LogicalLog.column_docs()

    def all_versions(self) -> Sequence[Version]:
        return [version for path in self._paths for version in self._log(path).all_versions()]

    def tables_named(self, wanted: str) -> Mapping[tuple[Any, ...], tuple[str, str]]:
        found: dict[tuple[Any, ...], tuple[str, str]] = {}
        missing: list[TableNotFoundError] = []
        for path in self._paths:
            try:
                found |= self._log(path).tables_named(wanted)
            except TableNotFoundError as error:
                missing.append(error)
        if missing and not found:
            raise self._in_none(missing)
        return found

    def table_versions(self) -> Sequence[Version]:
        found: list[TableVersion] = []
        missing: list[TableNotFoundError] = []
        for path in self._paths:
            log = self._log(path)
            try:
                found += log.every_version()
            except TableNotFoundError as error:
                missing.append(error)  # an extract need not have changes of every table
            self.table_names |= log.table_names
            self._lacks_descriptions |= log.lacks_descriptions
        if len(missing) == len(self._paths):
            raise self._in_none(missing)
        return of_number(found, self.options.table_version)

    def _in_none(self, missing: Sequence[TableNotFoundError]) -> TableNotFoundError:
        """The error of a table that no extract has; it names the tables of all extracts."""
        first, *others = missing
        if not any(other.tables for other in others):
            return first
        return self.no_table(first.message, frozenset().union(*(error.tables for error in missing)))

    def change_parts(self, max_bytes: int) -> list[tuple[FileSettings, Span]]:
        return [part for log in self._extracts() for part in log.change_parts(max_bytes)]

    def has_table(self) -> bool:
        for path in self._paths:
            log = self._log(path)
            if log.has_table():
                return True
            self._lacks_descriptions |= log.lacks_descriptions
        return False

    # -- reading ----------------------------------------------------------------------------------

    def typed_changes(self, span: Span | None = None) -> Iterator[Change]:
        if span is not None:
            raise OptionError("parts of several extracts are read from each of them")
        changes = map(self._changes_of, self.extracts())
        if self.options.order == "commit":
            return heapq.merge(*changes, key=lambda change: change.seq)
        return (change for found in changes for change in found)

    def _changes_of(self, log: LogicalLog) -> Iterator[Change]:
        """The changes of one extract, with their places in the whole log."""
        log.keeps_bad_records = self.keeps_bad_records
        for change in log.typed_changes():
            self._take_bad_records(log)
            yield replace(change, extent=log.extract.placed(change.extent))
        self._take_bad_records(log)

    def _take_bad_records(self, log: LogicalLog) -> None:
        self.bad_records += [(log.extract.placed(extent), error) for extent, error in log.bad_records]
        log.bad_records.clear()

    def records(self, span: Span | None = None) -> Iterator[dict[str, Any]]:
        """The records of all extracts, as each extract has them."""
        for file in self.record_files():
            yield from file.records()

    def record_files(self) -> Iterator[RecordFile]:
        for path in self._paths:
            log = open_logical_log(path, self._named(path, self.options), on_error=self._on_error)
            log.tally = self.tally
            yield log


class JoinedColumns:
    """Reads the changes of all extracts of a log."""

    def __init__(self, log: JoinedLog, schema: pa.Schema | None, filters: Sequence[Filter]) -> None:
        self._log, self._schema, self._filters = log, schema, filters

    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        """The changes, some thousand at a time. Raises as `ChangeLog.typed_changes`."""
        for log in self._log.extracts():
            yield from ChangeColumns(log, self._schema, self._filters).read(span)


def change_reader(log: ChangeLog, schema: pa.Schema | None, filters: Sequence[Filter]) -> JoinedColumns | None:
    """The reader of joined extracts; None if changes are read one by one, as in the order of commits."""
    assert isinstance(log, JoinedLog)
    if log.options.order == "commit" or any(change_columns.refusal(one, schema) for one in log.extracts()):
        return None
    return JoinedColumns(log, schema, filters)
