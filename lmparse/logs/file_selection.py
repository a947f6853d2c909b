"""File selection: which files a request reads, and when they must have been changed.

FileSelection(("/logs",), name_filter="*.dat", after=1773482400.0).names()
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from lmparse.errors import OptionError
from lmparse.spelling import quoted
from lmparse.storage.listing import list_files, modified, names_one

_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?)?", re.ASCII
).fullmatch


@dataclass(frozen=True)
class FileSelection:
    """Paths, and conditions on the files that they name."""

    paths: tuple[str, ...]
    name_filter: str | None = None
    """Pattern of the names of files."""
    recursive: bool = False
    after: float | None = None
    """Files that were last changed later than this, in seconds since 1970."""
    before: float | None = None
    """Files that were last changed earlier than this."""

    def names(self, absent: list[str] | None = None) -> list[str]:
        """The files, sorted within each path; a folder or a pattern may have none.

        Raises FramingError LMP-F001 for a path that does not exist, OptionError for a file whose time is not known.
        With a list, addresses with nothing at them are added to `absent` instead.
        """
        found = list_files(
            list(self.paths), name_filter=self.name_filter, recursive=self.recursive, may_be_none=True, absent=absent
        )  # fmt: skip
        if self.after is None and self.before is None:
            return found
        return [name for name in found if self._is_in_time(name)]

    def is_one(self, names: list[str]) -> bool:
        """Whether the files are one that the caller named itself, and not what a folder, a pattern or a list gave."""
        return len(self.paths) == 1 and names_one(self.paths[0], names)

    def _is_in_time(self, name: str) -> bool:
        time = modified(name)
        if time is None:
            raise OptionError(f"{name}: its file system does not say when it was changed", hint="leave modified... out")
        return (self.after is None or time > self.after) and (self.before is None or time < self.before)


def moment(option: str, text: str, zone: str | None) -> float:
    """Seconds since 1970 of a time as Spark writes it: `2026-03-14T10:11:12`, in a zone or, without one, in local time.

    Raises OptionError.
    """
    at = None if zone is None else _zone(zone)
    try:
        found = datetime.fromisoformat(text) if _MOMENT(text) else None
        if found is not None:
            return (found.replace(tzinfo=at) if found.tzinfo is None and at is not None else found).timestamp()
    except (ValueError, OverflowError):
        pass
    raise OptionError(f"{option} has no value {quoted(text)}", hint="a time as 2026-03-14T10:11:12")


def _zone(name: str) -> tzinfo:
    """A time zone by its name. Raises OptionError."""
    if name.upper() in ("UTC", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, not a name, or a folder
        hint = "a name as Europe/Berlin, or UTC"
        raise OptionError(f"timeZone has no value {quoted(name)}", hint=hint) from None
