"""Ledger: the files of logs, each with its hash and what it has of its log; added once, and compared with others.

A run of `add` holds the ledger from its beginning, reads every new file twice, for its hash and for its records, and
writes in the end. Files that overlap are compared when the second one is added, so that later nobody needs the first
one again.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lmparse.errors import FramingError
from lmparse.logs.ledger_file import LedgerCopy, LedgerEntry, changing_ledger, foreign_ledger, reading_ledger
from lmparse.logs.ledger_overlaps import compare_new
from lmparse.logs.ledger_paths import LedgerPaths
from lmparse.logs.ledger_reading import LogContentsReader
from lmparse.logs.ledger_side_files import check_side_files, own_files
from lmparse.logs.open import spec_files
from lmparse.storage import addresses
from lmparse.storage.atomic_output import check_place
from lmparse.storage.digests import StoredDigest, stored_digest
from lmparse.storage.file_systems import look_up
from lmparse.storage.inputs import inputs_of
from lmparse.storage.listing import list_files
from lmparse.storage.states import state_of

ADDED, REPLACED, MOVED, KNOWN, COPY, CONTROL = "added", "replaced", "moved", "known", "copy", "control"
SAME, CHANGED, MISSING, UNREADABLE, UNKNOWN = "same", "changed", "missing", "unreadable", "unknown"


@dataclass(frozen=True, slots=True)
class LedgerNews:
    """What came of one file that was to be added, or verified."""

    path: str
    """As it was named."""
    state: str
    """One of the words above."""
    text: str
    """The same for a user."""
    entry: LedgerEntry | None = None
    """What the ledger has of the file."""

    @property
    def is_bad(self) -> bool:
        """Whether a file is not as the ledger has it."""
        return self.state in (CHANGED, MISSING, UNREADABLE, UNKNOWN)

    def to_dict(self) -> dict[str, Any]:
        """The same as one JSON object."""
        entry = None if self.entry is None else entry_dict(self.entry)
        return {"file": self.path, "state": self.state, "text": self.text, "entry": entry}


def entry_dict(entry: LedgerEntry) -> dict[str, Any]:
    """What a ledger has of a file, as one JSON object."""
    found = dataclasses.asdict(entry)
    covered = found.pop("range")
    del covered["path"]
    return found | {"unpacked_size": covered.pop("size"), **covered}


def absolute(path: str) -> str:
    """The absolute path of a file, or its address."""
    return path if addresses.is_remote(path) else os.path.abspath(addresses.local_path(path))


# -- add --------------------------------------------------------------------------------------


def add(ledger: str, names: Sequence[str], given: Mapping[str, Any], *, replaces: bool = False) -> list[LedgerNews]:
    """Add files, folders and patterns to a ledger, which is made if it is not there; all of the files, or none.

    None is added if some are in the ledger with other bytes, unless `replaces`: then only these are returned. Raises
    OptionError as `changing_ledger` does, LMP-S021 if nothing may be written there, and what reading the files raises.
    """
    reader, files = LogContentsReader(given), _files(ledger, names)
    options = reader.options
    inputs = inputs_of([*files, *options.files.values(), *spec_files(options.spec)])
    place = check_place(ledger, inputs, is_folder=False, overwrite=True, foreign=foreign_ledger)
    check_side_files(place.path, ledger, inputs)
    with changing_ledger(str(place.path)) as held:
        run = _Addition(reader, LedgerPaths(held.entries().values(), held.copies()), replaces)
        for path in files:
            run.add(path)
        if run.bad:
            return run.bad
        paths = run.paths
        # All is read before the first change, from which on no other file may be: see `ledger_lock`.
        kept = paths.entries.keys() - paths.new
        known = {pair: overlap for pair, overlap in held.overlaps().items() if kept.issuperset(pair)}
        overlaps = list(compare_new(paths.entries.values(), known, paths.new, options))
        paths.write(held)
        for overlap in overlaps:
            held.insert_overlap(overlap)
    return run.news


def _files(ledger: str, names: Sequence[str]) -> list[str]:
    """The files to add, each once; not the ledger itself and its journal, where a folder or a pattern has them."""
    kept = own_files(Path(os.path.realpath(addresses.local_path(ledger))))
    found = dict.fromkeys(list_files(list(names)))
    return [path for path in found if path in names or not _is_one_of(Path(os.path.realpath(path)), kept)]


def _is_one_of(place: Path, kept: Sequence[Path]) -> bool:
    """Whether a file is one of some others, also by a name in other case where the file system makes no difference."""
    if place in kept:
        return True
    with suppress(OSError):
        return any(place.samefile(one) for one in kept if str(one).casefold() == str(place).casefold())
    return False


@dataclass
class _Addition:
    """One run that adds files, before anything is written."""

    reader: LogContentsReader
    paths: LedgerPaths
    replaces: bool
    news: list[LedgerNews] = field(default_factory=list)
    bad: list[LedgerNews] = field(default_factory=list)
    """Files that the ledger has with other bytes, so that nothing is added."""
    now: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))

    def add(self, path: str) -> None:
        """Read one file, and decide what becomes of it."""
        place, before = absolute(path), state_of(path)
        digest = stored_digest(path)
        here, known = self.paths.at(place), self.paths.with_hash(digest.sha256)
        is_other = here is not None and here is not known
        if here is not None and is_other:
            if not self.replaces:
                words = f"{path} is in the ledger with other bytes, since {here.added}"
                self.bad.append(LedgerNews(path, CHANGED, words, here))
                return
            self.paths.forget(place)
            known = self.paths.with_hash(digest.sha256)
        if known is not None:
            self._add_known(path, place, known, is_here=here is known)
        elif not self.bad:
            self._add_new(path, place, digest, is_other=is_other)
        before.check()

    def _add_known(self, path: str, place: str, known: LedgerEntry, *, is_here: bool) -> None:
        if is_here:
            self._say(path, KNOWN, f"is in the ledger since {known.added}", known)
        elif self.replaces:
            moved = self.paths.move(known, place, path)
            self._say(path, MOVED, f"takes the place of {known.given}, which has the same bytes", moved)
        else:
            self.paths.add_copy(LedgerCopy(place, path, known.id, self.now))
            self._say(path, COPY, f"has the same bytes as {known.given}, and is counted once", known)

    def _add_new(self, path: str, place: str, digest: StoredDigest, *, is_other: bool) -> None:
        if self.reader.is_control(path):
            self._say(path, CONTROL, "is a control file, not a log, and is not added by itself")
            return
        read = self.reader.read(path)
        covered = dataclasses.replace(read.range, path=place)
        control = None if read.control is None else absolute(read.control)
        entry = LedgerEntry(
            self.paths.next_id, place, path, digest.sha256, digest.size, read.spec, control, read.control_sha256,
            self.now, covered,
        )  # fmt: skip
        self.paths.add(entry)
        words = f"is added{' anew' * is_other}, records: {covered.records}"
        unplaced = covered.records - sum(stream.records for stream in covered.streams)
        words += f", {unplaced} of them without a position" if unplaced else ""
        words += f"; {read.no_control}" if read.no_control else ""
        self._say(path, REPLACED if is_other else ADDED, words, entry)

    def _say(self, path: str, state: str, text: str, entry: LedgerEntry | None = None) -> None:
        self.news.append(LedgerNews(path, state, f"{path} {text}", entry))


# -- verify -----------------------------------------------------------------------------------


def verify(ledger: str, names: Sequence[str] = ()) -> Iterator[LedgerNews]:
    """Read the files of a ledger again, or those named, and their control files: which are not as they were."""
    with reading_ledger(ledger) as held:
        entries, copies = held.entries(), held.copies()
    paths = [(entry.path, entry.given, entry) for entry in entries.values()]
    paths += [(copy.path, copy.given, entries[copy.file]) for copy in copies]
    wanted, known = {absolute(name): name for name in names}, {path for path, _, _ in paths}
    for path, name in wanted.items():
        if path not in known:
            yield LedgerNews(name, UNKNOWN, f"{name} is not in the ledger")
    controls: dict[str, LedgerNews] = {}
    for path, given, entry in paths:
        if wanted and path not in wanted:
            continue
        found = _verified(path, given, given, entry.sha256, entry)
        if not found.is_bad and entry.control is not None and entry.control_sha256 is not None:
            what = f"{entry.control}, the control file of {given},"
            key = f"{entry.control_sha256} {entry.control}"
            if key not in controls or controls[key].is_bad:
                controls[key] = _verified(entry.control, given, what, entry.control_sha256, entry)
            found = controls[key] if controls[key].is_bad else found
        yield found


def _verified(path: str, given: str, what: str, sha256: str, entry: LedgerEntry) -> LedgerNews:
    try:
        if stored_digest(path).sha256 == sha256:
            return LedgerNews(given, SAME, f"{what} is as it was", entry)
    except FramingError as error:
        if _is_gone(path):
            return LedgerNews(given, MISSING, f"{what} is missing", entry)
        return LedgerNews(given, UNREADABLE, f"{what} {error.says()}", entry)
    return LedgerNews(given, CHANGED, f"{what} has other bytes than on {entry.added}", entry)


def _is_gone(path: str) -> bool:
    if not addresses.is_remote(path):
        return not os.path.lexists(path)
    with suppress(FramingError):
        return look_up(path) is None
    return False
