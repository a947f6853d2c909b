"""Buffers: the bytes of a file, local or remote, compressed or not.

A local file that is not compressed is read where it is. A file that is compressed as a whole, or is on a remote or
virtual file system, is first copied and unpacked into an unnamed temporary file, which is then read. So all offsets
are those of the unpacked bytes. Several files may be joined into one, see `joined`. pyarrow and fsspec are imported
only for files that need them.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Hashable, Iterator
from contextlib import closing, contextmanager
from io import BufferedReader
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from lmparse.errors import FramingError
from lmparse.limits import DEFAULT, Limits
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.compression import ENDINGS, packing_of, unpacked
from lmparse.storage.file_bytes import FileBytes
from lmparse.storage.file_systems import AS_ONE_LOG, stored_file
from lmparse.storage.joined import JoinedBytes, joined_of
from lmparse.storage.stored import MAGIC_BYTES, StoredBytes, StoredFile, reason, unreadable

Buffer = bytes | FileBytes
"""The bytes of a file, read as they are asked for, or in memory."""


_LEAST_SEARCHED, _MOST_SEARCHED = 1 << 10, 1 << 20
"""Bytes searched at a time: few at first, since what is searched is near as a rule."""


def occurrences(buffer: Buffer, wanted: bytes, start: int, end: int) -> Iterator[int]:
    """The places at which bytes are found between two offsets, ascending; they may overlap.

    However many there are, each byte is read once.
    """
    size = _LEAST_SEARCHED
    while end - start >= len(wanted):
        stop = min(start + size + len(wanted), end)
        block, place = buffer[start:stop], -1
        while (place := block.find(wanted, place + 1)) >= 0:
            yield start + place
        start = stop - len(wanted) + 1
        size = min(2 * size, _MOST_SEARCHED)


def open_buffer(path: str | Path, limits: Limits = DEFAULT) -> FileBytes:
    """Open a file of any size; its bytes are read as they are asked for.

    A file that is compressed or remote is copied to the disk first, unless another reader in this process has a
    copy. Raises FramingError LMP-F001 if it cannot be read, for instance a directory, FileLimitError LMP-L003 if a copy
    takes more than the limits allow, and OptionError if a package that it needs is not installed.
    """
    name = str(path)
    joined = joined_of(name)
    if joined is not None:
        return JoinedBytes(joined, lambda one: open_buffer(one, limits))
    if is_remote(name):
        return _shared(stored_file(name), limits)
    place = local_path(name)
    try:
        with _opened(name, place) as file:
            if not packing_of(place, file.peek(MAGIC_BYTES)):
                return FileBytes(file, name)
    except (OSError, ValueError) as error:
        raise unreadable(name, reason(error)) from None
    return _shared(_local(name, place), limits)


def _opened(name: str, place: str) -> BufferedReader:
    """A regular file, open. Raises FramingError LMP-F001 for anything else, and OSError or ValueError.

    It is tested before it is opened, which has effects on pipes and devices, and again when it is: what is put in its
    place in between is not waited for.
    """
    _check_regular(name, os.stat(place).st_mode)
    descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        _check_regular(name, os.fstat(descriptor).st_mode)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_regular(name: str, mode: int) -> None:
    if not stat.S_ISREG(mode):
        what = "a directory" if stat.S_ISDIR(mode) else "a pipe or device"
        hint = AS_ONE_LOG if stat.S_ISDIR(mode) else None
        raise FramingError(f"is {what}, not a file", code="LMP-F001", file=name, hint=hint)


def stored_at(name: str) -> StoredFile:
    """The file at a path or an address, as it is stored. Raises FramingError LMP-F001, OptionError."""
    return stored_file(name) if is_remote(name) else _local(name, local_path(name))


def head(path: str | Path, size: int) -> bytes:
    """The first bytes of a file, unpacked, without unpacking the rest. Raises as open_buffer does."""
    name = str(path)
    first = b""
    with _content(stored_at(name)) as (_, chunks):
        for chunk in chunks:
            first += chunk[:size]
            if len(first) >= size:
                break
    return first[:size]


def stamp(path: str) -> Hashable:
    """A value that changes with the contents of a compressed local file; None for a file that is read where it is."""
    if os.path.splitext(path)[1].lower() not in ENDINGS:
        return None
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


_in_use: WeakValueDictionary[Hashable, FileBytes] = WeakValueDictionary()
"""Copies that a reader uses."""
_copied_once: dict[Hashable, None] = {}
_kept: dict[Hashable, FileBytes] = {}
"""The last copies of files that are read repeatedly; see `_shared`."""
_MOST_COPIED, _MOST_KEPT = 64, 2  # a log and its control file
_lock = Lock()


def _shared(stored: StoredFile, limits: Limits) -> FileBytes:
    """The bytes of a file, copied once for all that read it at the same time within the same limits.

    A copy goes with its last reader. A copy that is made for the second time stays until others take its place,
    because parts of a file are read one after the other, each by a reader of its own.
    """
    if stored.stamp is None:
        return _copied(stored, limits)
    key = stored.stamp, limits
    copy = _in_use.get(key)
    is_new = copy is None
    if copy is None:
        copy = _copied(stored, limits)
    with _lock:
        copy = _in_use.setdefault(key, copy)
        if key in _kept or (is_new and key in _copied_once):
            _remember(_kept, key, copy, _MOST_KEPT)
        if is_new:
            _remember(_copied_once, key, None, _MOST_COPIED)
    return copy


def _remember(known: dict[Hashable, Any], key: Hashable, value: Any, most: int) -> None:
    """Make an entry the last one, and drop the first ones if there are more than `most`."""
    known.pop(key, None)
    known[key] = value
    while len(known) > most:
        known.pop(next(iter(known)), None)


def _copied(stored: StoredFile, limits: Limits) -> FileBytes:
    try:
        with _content(stored) as (source, chunks), tempfile.TemporaryFile() as file:
            for chunk in _within(limits, source, chunks):
                file.write(chunk)
            file.flush()
            return FileBytes(file, stored.name)
    except OSError as error:
        # Errors of the file itself have become FramingError and are not caught here.
        raise FramingError(
            f"cannot be copied to the disk: {reason(error)}", code="LMP-F001", file=stored.name,
            hint="it is unpacked into a temporary file; TMPDIR names the folder",
        ) from None  # fmt: skip


_STEP_BYTES = 64 << 20
"""Bytes of a copy after which the free disk is asked for again: others use it too."""
_TRUSTED_BYTES = 256 << 20
"""Unpacked bytes that the ratio leaves out: a short file of blanks or zeros may pack as well as one made to fill disks,
and so many bytes fill none. Gzip packs at most 1032 to one, zstd far more."""


def _within(limits: Limits, source: StoredBytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks, each before it is written. Raises FileLimitError LMP-L003 for the first that exceeds a limit."""
    size, tested = 0, 0
    for chunk in chunks:
        size += len(chunk)
        limits.check("unpacked_bytes", size, file=source.name)
        if size - _TRUSTED_BYTES > limits.unpacked_ratio * source.position:
            raise limits.error("unpacked_ratio", f"{size} from {source.position}", file=source.name)
        if size - tested >= _STEP_BYTES:
            tested = size
            _check_disk(limits, source.name, size)
        yield chunk
    _check_disk(limits, source.name, size)


def _check_disk(limits: Limits, name: str, size: int) -> None:
    """Raise FileLimitError LMP-L003 if the bytes of a copy are more than the share of what was free before it."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if size * 100 > limits.disk_share * (size + free):
        found = f"{size} bytes of {size + free} in {tempfile.gettempdir()}"
        raise limits.error("disk_share", found, file=name)


def _local(name: str, place: str) -> StoredFile:
    return StoredFile(name, place, stamp(place), lambda: _opened(name, place))


@contextmanager
def _content(stored: StoredFile) -> Iterator[tuple[StoredBytes, Iterator[bytes]]]:
    """The stored bytes of a file, and its unpacked bytes, some at a time."""
    with closing(StoredBytes(stored)) as source:
        yield source, unpacked(source, stored.place)
