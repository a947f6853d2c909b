"""Served file: one file behind the front-end, read when something of it is requested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import RLock
from typing import Any

from lmparse.errors import LmparseError, OptionError, ReadError
from lmparse.logs.open import files_beside
from lmparse.review.explain.explanation import printable
from lmparse.review.explain.search import Explained, search_in
from lmparse.review.serve.record_list import RecordFilter, RecordList
from lmparse.review.serve.record_view import FieldTexts, character_tables, view
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.joined import names_in
from lmparse.storage.states import Seen, seen_now


class ServedFile:
    """One file; it is opened at the first request, and its answers are for the front-end. Threads may share it."""

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
            return {
                "name": self.name,
                "size": len(file.buffer),
                "count": records.count,
                "spec": file.spec.id,
                "framing": file.framing.name,
                "decisions": [printable(str(decision)) for decision in file.decisions],
                "notices": list(map(printable, file.tally.notices)),
                "characters": character_tables(file.code_page),
                "is_searched": records.is_searched,
            }

    def listed(self, first: int, count: int, wanted: RecordFilter) -> dict[str, Any]:
        """Rows of the list, and why it ends before the end of the file."""
        with self._lock:
            found = self._opened().rows(first, count, wanted)
        damage = found.damage
        return {
            "rows": [row.to_dict() for row in found.rows],
            "next": found.next,
            "looked_at": found.looked_at,
            "damage": None if damage is None else {**error_row(damage), "offset": damage.record_offset},
        }

    def record(self, *, number: int | None = None, offset: int | None = None, is_whole: bool = False) -> dict[str, Any]:
        """A record by its number, or what is at an offset of the file.

        In a large file it has facts that need a pass over the whole file only with `is_whole`.
        """
        with self._lock:
            texts = FieldTexts()
            shown = view(self._explained(number, offset, is_whole=is_whole), texts)
            is_partial = shown["record"] is not None and not (is_whole or self._opened().is_searched)
            return {"view": shown, "texts": texts.texts, "is_partial": is_partial}

    # -- reading ------------------------------------------------------------------------------

    def _opened(self) -> RecordList:
        if self._withheld:
            raise OptionError(self._withheld)
        if self._records is None:
            self._seen = _states([self.path, *(self._options.get(name) for name in ("control", "tables"))])
            search = search_in(self.path, **self._options)
            # The control file beside the log is known now; what was seen before it was read stays.
            self._seen = _states(files_beside(self.path, search.file.options).values()) | self._seen
            self._records = RecordList(search)
        elif seen_now(self._seen) != self._seen:
            raise ReadError(f"{self.path}: changed after it was opened", hint="read it again")
        return self._records

    def _explained(self, number: int | None, offset: int | None, *, is_whole: bool) -> Explained:
        if (number is None) == (offset is None):
            raise OptionError("a record is named by its number or by an offset")
        records = self._opened()
        searches = is_whole or records.is_searched
        if number is None:
            return records.search.by_offset(offset or 0, searches=searches)
        extent = records.extent(number)
        if extent is None:
            raise OptionError(f"there is no record {number}: the file has {records.count}")
        return records.search.at(extent, searches=searches)


def _states(paths: Iterable[str | None]) -> Seen:
    """The states of the local files that are read under some paths."""
    names = (name for path in paths if path for name in names_in(path))
    return seen_now(Path(local_path(name)) for name in names if not is_remote(name))


def error_row(error: LmparseError) -> dict[str, Any]:
    """An error for the front-end."""
    return {"code": error.code, "text": printable(str(error)), "hint": printable(error.hint or "")}


def unforeseen(error: Exception, hint: str | None = None) -> LmparseError:
    """The error of what no other error is for."""
    return LmparseError(f"{type(error).__name__}: {error}", code="LMP-S013", hint=hint)
