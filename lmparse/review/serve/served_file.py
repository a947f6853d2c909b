"""Served file: one file behind the pages, read when something of it is requested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import RLock
from typing import Any

from lmparse.errors import OptionError
from lmparse.review.explain.explanation import printable
from lmparse.review.explain.search import search_in
from lmparse.review.serve.record_list import RecordList
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.joined import names_in
from lmparse.storage.states import Seen, seen_now


class ServedFile:
    """One file, opened at the first request, and again when it was written to."""

    lock = RLock()
    """Held while something of a file is answered: what reads one remembers where it is."""

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        self.path = path
        self._options = dict(options)
        self._records: RecordList | None = None
        self._seen: Seen = {}
        self._withheld = ""

    @property
    def name(self) -> str:
        """Its name, printable."""
        return printable(self.path)

    def reopen(self, options: Mapping[str, Any] | None = None) -> None:
        """Open the file anew at the next request, with other options if some are given."""
        with self.lock:
            self._records = None
            if options is not None:
                self._options, self._withheld = dict(options), ""

    def withhold(self, why: str) -> None:
        """Answer with an error until the file is opened anew with other options."""
        self._withheld = why

    def has_changed(self) -> bool:
        """Whether the file, or one that describes it, is not as it was when it was opened."""
        with self.lock:
            return self._records is not None and seen_now(self._seen) != self._seen

    def records(self) -> RecordList:
        """Its records, as they are now. Raises as `search_in`, and OptionError while it is withheld."""
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
