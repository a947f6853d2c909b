"""Lock of a ledger: one run adds to it at a time, from its beginning to its end.

SQLite locks a file for the process, and such a lock goes when any handle of the file is closed: also one with which a
control file was looked for beside a log. So it only holds while no other file is read. This lock goes with its handle.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lmparse.errors import OptionError
from lmparse.storage.atomic_output import naming_output

_PAUSE_SECONDS = 0.05


def in_use(shown: str) -> OptionError:
    """The error for a ledger that another run holds."""
    hint = "run it again when that one has ended"
    return OptionError(f"{shown}: another run is adding to it", code="LMP-S041", hint=hint)


@contextmanager
def ledger_lock(ledger: Path, shown: str, wait_seconds: float) -> Iterator[None]:
    """Hold a ledger, which is made if it is not there. Waits in Python, so that Ctrl-C ends it.

    Raises OptionError: LMP-S041 if another run holds it and does not end in time, LMP-S022 if it cannot be written.
    """
    with naming_output(shown):
        handle = os.open(ledger, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        end = time.monotonic() + wait_seconds
        while not _is_held(handle):
            if time.monotonic() > end:
                raise in_use(shown)
            time.sleep(_PAUSE_SECONDS)
        yield
    finally:
        os.close(handle)


def _is_held(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks, where SQLite has none either
        return True
    return True
