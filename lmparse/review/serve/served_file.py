"""Served file: one file behind the pages, read when something of it is requested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import RLock
from typing import Any

from lmparse.errors import OptionError
from lmparse.review.explain.explanation import printable
from lmparse.review.explain.search import Explained, search_in
from lmparse.review.serve.record_list import Listed, RecordFilter, RecordList
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.joined import names_in
from lmparse.storage.states import Seen, seen_now


class ServedFile:
    """One file, opened at the first request, and again when it was written to. Threads may share it."""

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        self.path = path
        self._options = dict(options)
        self._lock = RLock()
        self._records: RecordList | None = None
        self._seen: Seen = {}
        self._withheld = ""

    @property
    def name(self) -> str:
        """Its name, printable."""
        return printable(self.path)

    def reopen(self, options: Mapping[str, Any] | None = None) -> None:
        """Open the file anew at the next request, with other options if some are given."""
        with self._lock:
            self._records = None
            if options is not None:
                self._options, self._withheld = dict(options), ""

    def withhold(self, why: str) -> None:
        """Answer with an error until the file is opened anew with other options."""
        self._withheld = why

    def has_changed(self) -> bool:
        """Whether the file, or one that describes it, is not as it was when it was opened."""
        with self._lock:
            return self._records is not None and seen_now(self._seen) != self._seen

    # -- answers ------------------------------------------------------------------------------

    def about(self) -> dict[str, Any]:
        """What is known about the file as a whole."""
        with self._lock:
            records = self._opened()
            file = records.file
            facts = [f"{len(file.buffer):,} bytes", f"{records.count:,} records", f"spec {file.spec.id}"]
            notes = [*map(str, file.decisions), *file.tally.notices]
            if not records.is_searched:
                notes.append(
                    "so large a file is not read as a whole: outcomes, and facts on a record from other ones, are left "
                    "out; lmparse explain has these"
                )
            return {"facts": [*facts, f"framing {file.framing.name}"], "notes": notes}

    def listed(self, first: int, wanted: RecordFilter) -> Listed:
        """Rows of the list from a record on."""
        with self._lock:
            return self._opened().rows(first, wanted)

    def record(self, *, number: int | None = None, offset: int | None = None) -> Explained:
        """A record by its number, or what is at an offset of the file. Raises OptionError."""
        if (number is None) == (offset is None):
            raise OptionError("a record is named by its number or by an offset")
        with self._lock:
            records = self._opened()
            if number is None:
                return records.search.by_offset(offset or 0, searches=records.is_searched)
            extent = records.extent(number)
            if extent is None:
                raise OptionError(f"there is no record {number}: the file has {records.count}")
            return records.search.at(extent, searches=records.is_searched)

    # -- reading ------------------------------------------------------------------------------

    def _opened(self) -> RecordList:
        if self._withheld:
            raise OptionError(self._withheld)
        if self._records is None or self.has_changed():
            self._records = None
            self._seen = _states([self.path, *(self._options.get(name) for name in ("control", "tables"))])
            search = search_in(self.path, **self._options)
            # The control file beside the log is known now; what was seen before it was read stays.
            self._seen = _states(search.file.options.files.values()) | self._seen
            self._records = RecordList(search)
        return self._records


def _states(paths: Iterable[str | None]) -> Seen:
    """The states of the local files that are read under some paths."""
    names = (name for path in paths if path for name in names_in(path))
    return seen_now(Path(local_path(name)) for name in names if not is_remote(name))
