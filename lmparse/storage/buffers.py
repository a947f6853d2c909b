"""Buffers: the bytes of a file, local or remote, compressed or not.

A local file without compression is read in place. A compressed or remote file is first copied and unpacked to an
unnamed temporary file, which is then read. All offsets therefore count unpacked bytes. Several files may be joined to
one, see `joined`. pyarrow is imported only for files that need it.

Files are read, not mapped to memory: if a mapped file shrinks or its disk fails, the system ends the process, but a
read raises an error. Memory holds the blocks read last, whatever the size of the file.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from io import BufferedReader
from pathlib import Path
from threading import Lock
from typing import BinaryIO
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from lmparse.errors import FramingError, ReadError
from lmparse.limits import DEFAULT, Limits
from lmparse.storage import progress
from lmparse.storage.addresses import is_remote, local_path
from lmparse.storage.compression import ENDINGS, packing_of, unpacked
from lmparse.storage.joined import Joined, joined_of
from lmparse.storage.stored import AS_ONE_LOG, MAGIC_BYTES, StoredBytes, StoredFile, reason, stored_file, unreadable

_LEAST_READ, _MOST_READ = 1 << 16, 1 << 20
"""Bytes read at a time: few after a jump, more and more in sequence."""
_BEFORE = 1 << 8
"""Bytes in front of a slice that are read with the slice, because words and prefixes are read after their records."""
_MOST_OPEN = 64
"""Most files of a joined file that are open at a time."""
_LEAST_SEARCHED, _MOST_SEARCHED = 1 << 10, 1 << 20
"""Bytes searched at a time: few at first, because most searches end near their start."""


class FileBytes:
    """The bytes that a file had at opening. Slices give bytes; `array` gives arrays that stay valid.

    Bytes added later are not read. Raises ReadError LMP-F012 if bytes have gone.
    """

    def __init__(self, file: BinaryIO | None, name: str, size: int = 0) -> None:
        """`file` is open; the caller may close it. `name` is for messages.

        Without a file, a subclass reads `size` bytes.
        """
        self._name, self._size = name, size
        self._block: tuple[int, bytes] = 0, b""
        self._kept: tuple[int, npt.NDArray[np.uint8]] = 0, np.zeros(0, np.uint8)
        self._reach = _LEAST_READ
        self.is_part = False
        """Whether it is read as a part of joined files, whose progress counts."""
        if file is not None:
            self._size = os.fstat(file.fileno()).st_size
            self._handle = os.dup(file.fileno())
            weakref.finalize(self, os.close, self._handle)
            if not self._size and self._fill(memoryview(bytearray(1)), 0):  # in /proc, and on some network file systems
                text = f"{self._name}: its file system says that it has no bytes, and it has some"
                raise ReadError(text, hint="copy it, and read the copy")

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, wanted: slice) -> bytes:
        start, end, _ = wanted.indices(self._size)
        begin, block = self._block  # one assignment, so that several threads may read
        if begin <= start and end <= begin + len(block):
            return block[start - begin : end - begin]
        if end <= start:
            return b""
        if end - start > _MOST_READ:
            return self._read(start, end - start).tobytes()
        is_next = begin <= start <= begin + len(block) + _MOST_READ
        self._reach = min(2 * self._reach, _MOST_READ) if is_next else _LEAST_READ
        begin = max(start - _BEFORE, 0)
        block = self._read(begin, min(max(self._reach, end - begin), self._size - begin)).tobytes()
        self._block = begin, block
        return block[start - begin : end - begin]

    def array(self, start: int, end: int, *, is_kept: bool = False) -> npt.NDArray[np.uint8]:
        """The bytes from `start` to `end`, which the file must have. `is_kept` keeps them for views of parts."""
        begin, block = self._kept
        if not (begin <= start and end <= begin + len(block)):
            begin, block = start, self._read(start, end - start)
            if is_kept:
                self._kept = begin, block
        return block[start - begin : end - begin]

    def _read(self, start: int, size: int) -> npt.NDArray[np.uint8]:
        found = np.empty(size, np.uint8)  # NumPy requests large pages for large arrays; they fill faster
        done = 0
        while done < size:
            count = self._fill(found[done:].data, start + done)
            if not count:
                sizes = f"expected {self._size} bytes, found at most {start + done}"
                text = f"{self._name}: shrank while it was read: {sizes}"
                raise ReadError(text, hint="read it again when nothing writes to it")
            done += count
        if not self.is_part:
            progress.reached(start + size, self._size, size)
        found.flags.writeable = False
        return found

    def _fill(self, target: memoryview, place: int) -> int:
        """Read bytes at a place of the file into `target`, as many as one call returns. Raises ReadError."""
        try:
            return os.preadv(self._handle, [target], place)
        except OSError as error:
            raise ReadError(f"{self._name}: byte {place} cannot be read: {error.strerror or error}") from None


class JoinedBytes(FileBytes):
    """The bytes of joined files."""

    def __init__(self, joined: Joined, open_: Callable[[str], FileBytes]) -> None:
        """`open_` opens one of the files."""
        super().__init__(None, joined.shown, joined.starts[-1])
        self._joined, self._open = joined, open_
        self._file = lru_cache(_MOST_OPEN)(self._part)

    def _part(self, path: str) -> FileBytes:
        part = self._open(path)
        part.is_part = True
        return part

    def _read(self, start: int, size: int) -> npt.NDArray[np.uint8]:
        found, end = [np.zeros(0, np.uint8)], start + size
        starts = self._joined.starts
        for place in range(bisect_right(starts, start) - 1, len(self._joined.pieces)):
            piece, stop = self._joined.pieces[place], min(starts[place + 1], end)
            shift = piece.start - starts[place]
            if start < stop:
                found.append(self._file(piece.path).array(start + shift, stop + shift))
                start = stop
            if stop == end:
                break
        progress.reached(end, self._size, size)
        whole = np.concatenate(found) if len(found) > 2 else found[-1]
        whole.flags.writeable = False
        return whole


Buffer = bytes | FileBytes
"""The bytes of a file, read on demand, or in memory."""


def occurrences(buffer: Buffer, wanted: bytes, start: int, end: int) -> Iterator[int]:
    """Yield the ascending offsets of `wanted` between two offsets; occurrences may overlap.

    Each byte is read once, however many occurrences there are.
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
    """Open a file of any size; its bytes are read on demand.

    A compressed or remote file is first copied to the disk, unless another reader in this process has a copy. Raises
    FramingError LMP-F001 for an unreadable file, such as a directory. Raises FileLimitError LMP-L003 if a copy exceeds
    the limits, and OptionError if a required package is not installed.
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
    """Open a regular file. Raises FramingError LMP-F001 for anything else, and OSError or ValueError.

    The file is tested before opening, because opening a pipe or device has effects. It is tested again after opening,
    so that a pipe put in its place meanwhile cannot block.
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


def head(path: str | Path, size: int) -> bytes:
    """The first bytes of a file, unpacked; the rest is not unpacked. Raises as `open_buffer` does."""
    name = str(path)
    first = b""
    stored = stored_file(name) if is_remote(name) else _local(name, local_path(name))
    with StoredBytes(stored) as source:
        for chunk in unpacked(source, stored.place):
            first += chunk[:size]
            if len(first) >= size:
                break
    return first[:size]


def stamp(path: str) -> Hashable:
    """A value that changes with the contents of a compressed local file; None for a file that is read in place."""
    if os.path.splitext(path)[1].lower() not in ENDINGS:
        return None
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


_in_use: WeakValueDictionary[Hashable, FileBytes] = WeakValueDictionary()
"""Copies that a reader uses."""
_last: deque[FileBytes] = deque(maxlen=2)
"""The last copies, of a log and its control file: one reader after another reads parts of the same file."""
_lock = Lock()


def _shared(stored: StoredFile, limits: Limits) -> FileBytes:
    """The bytes of a file; concurrent readers with the same limits share one copy."""
    if stored.stamp is None:
        return _copied(stored, limits)
    key = stored.stamp, limits
    copy = _in_use.get(key)
    if copy is None:
        copy = _copied(stored, limits)
        with _lock:
            copy = _in_use.setdefault(key, copy)
            _last.append(copy)
    return copy


def _copied(stored: StoredFile, limits: Limits) -> FileBytes:
    """The bytes of a file in a temporary copy. Raises FileLimitError LMP-L003 before a limit is exceeded."""
    size, tested = 0, 0
    try:
        with StoredBytes(stored) as source, tempfile.TemporaryFile() as file:
            for chunk in unpacked(source, stored.place):
                size += len(chunk)
                limits.check("unpacked_bytes", size, file=stored.name)
                if size - _TRUSTED_BYTES > limits.unpacked_ratio * source.position:
                    raise limits.error("unpacked_ratio", f"{size} from {source.position}", file=stored.name)
                if size - tested >= _STEP_BYTES:
                    tested = size
                    _check_disk(limits, stored.name, size)
                file.write(chunk)
                progress.reached(source.position, source.size)
            _check_disk(limits, stored.name, size)
            file.flush()
            return FileBytes(file, stored.name)
    except OSError as error:
        # Errors of the file itself are FramingErrors already and pass through.
        text = f"cannot be copied to the disk: {reason(error)}"
        hint = "it is unpacked into a temporary file; TMPDIR names the folder"
        raise FramingError(text, code="LMP-F001", file=stored.name, hint=hint) from None


_STEP_BYTES = 64 << 20
"""Bytes of a copy after which free disk space is checked again, because others use the disk too."""
_TRUSTED_BYTES = 256 << 20
"""Unpacked bytes that the ratio ignores. A short file of blanks may pack as well as a file made to fill disks, but so
few bytes fill no disk. Gzip packs at most 1032 to 1, zstd far more."""


def _check_disk(limits: Limits, name: str, size: int) -> None:
    """Raise FileLimitError LMP-L003 if a copy takes more than its share of the space that was free before."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if size * 100 > limits.disk_share * (size + free):
        found = f"{size} bytes of {size + free} in {tempfile.gettempdir()}"
        raise limits.error("disk_share", found, file=name)


def _local(name: str, place: str) -> StoredFile:
    return StoredFile(name, place, stamp(place), lambda: _opened(name, place))
