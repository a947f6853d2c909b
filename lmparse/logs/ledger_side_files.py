"""Side files of a ledger: what SQLite writes, rolls back and deletes beside a database, which must be its own.

SQLite takes whatever has one of these names for its own. Only a rollback journal is ever there: a ledger is not kept
in WAL mode.
"""

from __future__ import annotations

import stat
from pathlib import Path

from lmparse.errors import OptionError
from lmparse.storage.atomic_output import OutputPlace
from lmparse.storage.inputs import Inputs, inputs_of

_JOURNAL, _WAL = "-journal", ("-wal", "-shm")
_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""First bytes of a journal, and last ones of a journal that names others."""
_COUNT_AT, _ORIGIN_AT, _SECTOR_AT, _PAGE_AT, _FIELDS_END = 8, 16, 20, 24, 28
"""Where the header of a journal has the count of its pages, the pages of the database before, and both sizes."""
_SECTORS, _PAGES = (32, 65_536), (512, 65_536)
"""Least and greatest size of a sector, to which the header is filled with zeros, and of a page."""
_HEADER_BYTES = 512


def own_files(ledger: Path) -> list[Path]:
    """A ledger, whose links are resolved, and its journal, if that is one."""
    journal = _beside(ledger, _JOURNAL)
    return [ledger, *[journal] * (_foreign_journal(journal) is None)]


def check_side_files(ledger: Path, shown: str, inputs: Inputs | None = None) -> None:
    """Raise OptionError LMP-S021 if what is beside a ledger is an input, or is not a journal that SQLite has left; and
    for a ledger of several names, of which the journal has one: under another one nothing would be restored from it.

    The links of `ledger` are resolved. The journal of a run that was killed passes: SQLite restores the ledger from it.
    """
    if _has_several_names(ledger):
        raise OptionError(
            f"{shown} has several names (hard links), and its journal would have one of them", code="LMP-S021",
            hint="copy it, and name the copy",
        )  # fmt: skip
    for ending in (_JOURNAL, *_WAL):
        foreign = _foreign_journal if ending == _JOURNAL else _foreign_wal
        place = OutputPlace(
            _beside(ledger, ending), shown + ending, inputs or inputs_of([]), is_folder=False, overwrite=True,
            foreign=foreign,
        )  # fmt: skip
        place.check()


def _beside(ledger: Path, ending: str) -> Path:
    return ledger.parent / (ledger.name + ending)  # the root of a file system has no name


def _has_several_names(ledger: Path) -> bool:
    try:
        return ledger.stat().st_nlink > 1
    except OSError:  # it is not there yet
        return False


def _foreign_wal(_: Path) -> str:
    return "SQLite would take it for a part of the ledger"


def _foreign_journal(path: Path) -> str | None:
    """Why a file is not a journal of SQLite for the ledger; None for one, and for an empty file."""
    foreign = "SQLite would take it for the journal of the ledger"
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            return f"it is a link, and {foreign}"
        with open(path, "rb") as file:
            head = file.read(_HEADER_BYTES)
            file.seek(max(0, status.st_size - len(_MAGIC)))
            tail = file.read(len(_MAGIC))
    except FileNotFoundError:  # it is not there, or the run that it is of has just ended
        return None
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if not head or (_is_header(head) and tail != _MAGIC and (_is_of_new(head) or not _is_new(path))):
        return None
    return foreign


def _is_header(head: bytes) -> bool:
    """Whether bytes are the header of a journal; one that is not complete begins with zeros."""
    sector, page = _number(head, _SECTOR_AT), _number(head, _PAGE_AT)
    filled = min(sector, _HEADER_BYTES)
    is_begun = head.startswith(_MAGIC) or not any(head[: _COUNT_AT + 4])
    has_sizes = _is_power_of_two(sector, *_SECTORS) and _is_power_of_two(page, *_PAGES)
    return is_begun and has_sizes and len(head) >= filled and not any(head[_FIELDS_END:filled])


def _is_of_new(head: bytes) -> bool:
    return _number(head, _ORIGIN_AT) == 0


def _is_new(journal: Path) -> bool:
    """Whether the ledger of a journal has no page yet: then a journal with pages is that of another database."""
    ledger = journal.with_name(journal.name.removesuffix(_JOURNAL))
    try:
        return ledger.stat().st_size == 0
    except OSError:
        return True


def _number(head: bytes, offset: int) -> int:
    return int.from_bytes(head[offset : offset + 4], "big")


def _is_power_of_two(number: int, least: int, most: int) -> bool:
    return least <= number <= most and not number & (number - 1)
