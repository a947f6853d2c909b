"""Ledger paths: which file a path names, while a run adds files; every file has one path, and others as copies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lmparse.logs.ledger_file import LedgerCopy, LedgerEntry, LedgerFile


class LedgerPaths:
    """The files of a ledger by path and hash, with what a run changes, which `write` puts into the ledger.

    Each step takes the time of what it changes, however many files there are.
    """

    def __init__(self, entries: Iterable[LedgerEntry], copies: Iterable[LedgerCopy]) -> None:
        self.entries = {entry.id: entry for entry in entries}
        self._next = max(self.entries, default=0) + 1
        self._by_path = {entry.path: entry.id for entry in self.entries.values()}
        self._by_hash = {entry.sha256: entry.id for entry in self.entries.values()}
        self._copies: dict[str, LedgerCopy] = {}
        self._copies_of: dict[int, dict[str, LedgerCopy]] = {}
        for copy in copies:
            self._hold(copy)
        self._old = frozenset(self.entries), frozenset(self._copies)
        self._moved: dict[int, None] = {}

    @property
    def next_id(self) -> int:
        """The id of the next file."""
        return self._next

    @property
    def new(self) -> set[int]:
        """Ids of the files that this run has added."""
        return set(self.entries) - self._old[0]

    def at(self, path: str) -> LedgerEntry | None:
        """The file that a path names."""
        found = self._copies[path].file if path in self._copies else self._by_path.get(path)
        return None if found is None else self.entries[found]

    def with_hash(self, sha256: str) -> LedgerEntry | None:
        """The file with these bytes."""
        found = self._by_hash.get(sha256)
        return None if found is None else self.entries[found]

    def add(self, entry: LedgerEntry) -> None:
        """Add a file with the next id."""
        self.entries[entry.id] = entry
        self._by_path[entry.path] = self._by_hash[entry.sha256] = entry.id
        self._next += 1

    def add_copy(self, copy: LedgerCopy) -> None:
        """Add another path of a file."""
        self._hold(copy)

    def forget(self, path: str) -> None:
        """Forget what a path named: another path of its file takes its place, or the file goes."""
        if path in self._copies:
            self._drop(path)
            return
        entry = self.entries[self._by_path.pop(path)]
        others = self._copies_of.get(entry.id)
        if others:
            other = next(iter(others.values()))
            self._drop(other.path)
            self._place(entry, other.path, other.given)
        else:
            del self.entries[entry.id], self._by_hash[entry.sha256]

    def move(self, entry: LedgerEntry, path: str, given: str) -> LedgerEntry:
        """Let a path be the only one of a file."""
        for copy in list(self._copies_of.get(entry.id, {})):
            self._drop(copy)
        del self._by_path[entry.path]
        return self._place(entry, path, given)

    def write(self, ledger: LedgerFile) -> None:
        """Put what has changed into the ledger."""
        old_entries, old_copies = self._old
        for path in old_copies - set(self._copies):
            ledger.remove_copy(path)
        for file in old_entries - set(self.entries):
            ledger.remove(file)
        moved = [self.entries[file] for file in self._moved if file in self.entries and file in old_entries]
        for entry in moved:  # two of them may have changed places
            ledger.move(entry.id, f"\0{entry.id}", entry.given)
        for entry in moved:
            ledger.move(entry.id, entry.path, entry.given)
        for file in sorted(self.new):
            ledger.insert(self.entries[file])
        for path, copy in self._copies.items():
            if path not in old_copies:
                ledger.insert_copy(copy)

    def _place(self, entry: LedgerEntry, path: str, given: str) -> LedgerEntry:
        moved = replace(entry, path=path, given=given, range=replace(entry.range, path=path))
        self.entries[entry.id] = moved
        self._by_path[path] = entry.id
        self._moved[entry.id] = None
        return moved

    def _hold(self, copy: LedgerCopy) -> None:
        self._copies[copy.path] = copy
        self._copies_of.setdefault(copy.file, {})[copy.path] = copy

    def _drop(self, path: str) -> None:
        copy = self._copies.pop(path)
        del self._copies_of[copy.file][path]
