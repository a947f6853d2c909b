"""Storage: the bytes of a file, wherever it lies and however it is kept.

A local file is mapped as it lies. One that is compressed whole, or that lies on a remote or virtual
file system, is copied first, unpacked, into an unnamed temporary file, and that is mapped. So all
offsets are those of the unpacked bytes. Neither pyarrow nor fsspec is needed before such a file is met.
"""

from __future__ import annotations

import io
import mmap
import os
import re
import stat
import tempfile
import zlib
from collections.abc import Callable, Hashable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import Any, Protocol
from urllib.parse import unquote, urlparse
from weakref import WeakValueDictionary

from lmparse.errors import FramingError, LmparseError, OptionError

Buffer = bytes | mmap.mmap
"""The bytes of a file: mapped, or read where it has none."""

_CHUNK = 1 << 20
"""Bytes that are read or unpacked at a time."""
_MAGICS = {
    "gzip": (b"\x1f\x8b\x08",),
    # A frame with data, or one of those that are to be passed over.
    "zstd": (b"\x28\xb5\x2f\xfd", *(bytes([number, 0x2A, 0x4D, 0x18]) for number in range(0x50, 0x60))),
}
_MAGIC_BYTES = 4
ENDINGS = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}
"""Endings of names of files that are compressed whole."""
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*::)*[A-Za-z][A-Za-z0-9+.-]*://")
"""How an address begins. `::` leads from one file system into another, as fsspec spells it."""
_PARTS = re.compile(
    r"(?P<front>.*?://(?:(?:(?!::)[^/*?\[])*(?=/|$|::|\?\w+=))?)(?P<path>.*?)(?P<behind>(?:\?\w+=[^/]*|::.*)?)",
    re.DOTALL,
)
"""An address: scheme and host or bucket, path, and settings or the address of what holds the file system."""
_SECRET = re.compile(
    r"://[^/]*:[^/]*@|[?&][^=&]*(passw|secret|token|signature|credential|(access|account|api)_?key)[^=&]*=|[?&]sig=",
    re.IGNORECASE,
)
_LONGEST_REASON = 300


def open_buffer(path: str | Path) -> Buffer:
    """Map a file into memory, so that its size does not matter.

    A file that is compressed or remote is copied to the disk first, unless another reader of this
    process has it. Raises FramingError LMP-F001 when it cannot be read, for instance a directory,
    and OptionError when something is not installed that it needs.
    """
    name = str(path)
    if is_remote(name):
        return _shared(_remote(name))
    place = local_path(name)
    try:
        mode = os.stat(place).st_mode
        if not stat.S_ISREG(mode):
            # Asked before it is opened: a pipe would wait for a writer.
            what = "a directory" if stat.S_ISDIR(mode) else "a pipe or device"
            raise FramingError(f"is {what}, not a file", code="LMP-F001", file=name)
        with open(place, "rb") as file:
            if not packing_of(place, file.peek(_MAGIC_BYTES)):
                if file.seek(0, os.SEEK_END) == 0:
                    return b""
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise FramingError(f"cannot be read: {_reason(error)}", code="LMP-F001", file=name) from None
    return _shared(_local(name, place))


def head(path: str | Path, size: int) -> bytes:
    """The first bytes of a file, unpacked, without unpacking the rest. Raises as open_buffer does."""
    name = str(path)
    found = _remote(name) if is_remote(name) else _local(name, local_path(name))
    first = b""
    with _content(found) as chunks:
        for chunk in chunks:
            first += chunk[:size]
            if len(first) >= size:
                break
    return first[:size]


def is_remote(path: str) -> bool:
    """Whether a path is the address of a file on a remote or virtual file system."""
    return not path.startswith("file:") and _ADDRESS.match(path) is not None


def local_path(path: str) -> str:
    """A path as the operating system wants it; `file:` addresses are taken apart."""
    if path.startswith("file:"):
        return unquote(urlparse(path).path)
    return path


def packing_of(path: str, first: bytes) -> str | None:
    """How a file is compressed, by its name and first bytes: gzip, zstd, or None for not at all.

    The ending says whether, the bytes say how: what was unpacked on the way and has kept its name
    is read as it is.
    """
    said = ENDINGS.get(os.path.splitext(path)[1].lower())
    if said is None:
        return None
    if any(magic.startswith(first) for magic in _MAGICS[said]):
        return said  # and cut short; a file of no byte, too
    return next((packing for packing, magics in _MAGICS.items() if first.startswith(magics)), None)


def base_name(path: str) -> str:
    """The last part of a path or address."""
    return os.path.basename(_split(path)[1] if is_remote(path) else path)


def unpacked_name(path: str) -> str:
    """The same without the ending that says how the file is compressed."""
    name = base_name(path)
    root, ending = os.path.splitext(name)
    return root if ending.lower() in ENDINGS else name


def stamp(path: str) -> Hashable:
    """What tells a local file from what it was before; None for one whose bytes are mapped as they lie."""
    if os.path.splitext(path)[1].lower() not in ENDINGS:
        return None
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


# -- copies ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Stored:
    """A file whose bytes are not mapped as they lie."""

    name: str
    """As it was given."""
    place: str
    """Its path where it lies; its ending counts."""
    stamp: Hashable
    """What tells it from every other file, and from itself after a change."""
    open: Callable[[], Any]


_in_use: WeakValueDictionary[Hashable, mmap.mmap] = WeakValueDictionary()
"""Copies that a reader has."""
_copied_once: dict[Hashable, None] = {}
_kept: dict[Hashable, mmap.mmap] = {}
"""Copies of files that are read again and again, the last ones; see `_shared`."""
_MOST_COPIED, _MOST_KEPT = 64, 2  # a log and its control file
_lock = Lock()


def _shared(stored: _Stored) -> Buffer:
    """The bytes of a file, copied once for all who read it at the same time.

    A copy is gone with its last reader. One that is made for the second time stays until others
    take its place: parts of a file are read one after the other, each by a reader of its own.
    """
    if stored.stamp is None:
        return _copied(stored)
    key = stored.stamp
    copy: Buffer | None = _in_use.get(key)
    is_new = copy is None
    if copy is None:
        copy = _copied(stored)
    if not isinstance(copy, mmap.mmap):
        return copy
    with _lock:
        copy = _in_use.setdefault(key, copy)
        if key in _kept or (is_new and key in _copied_once):
            _remember(_kept, key, copy, _MOST_KEPT)
        if is_new:
            _remember(_copied_once, key, None, _MOST_COPIED)
    return copy


def _remember(known: dict[Hashable, Any], key: Hashable, value: Any, most: int) -> None:
    """Put an entry last, and let go of the first ones when there are too many."""
    known.pop(key, None)
    known[key] = value
    while len(known) > most:
        known.pop(next(iter(known)), None)


def _copied(stored: _Stored) -> Buffer:
    try:
        with _content(stored) as chunks, tempfile.TemporaryFile() as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if file.tell() else b""
    except OSError as error:
        # Errors of the file itself are no OSErrors any more.
        raise FramingError(
            f"cannot be copied to the disk: {_reason(error)}", code="LMP-F001", file=stored.name,
            hint="it is unpacked into a temporary file; TMPDIR names the folder",
        ) from None  # fmt: skip


def _local(name: str, place: str) -> _Stored:
    return _Stored(name, place, stamp(place), lambda: open(place, "rb"))


@contextmanager
def _content(stored: _Stored) -> Iterator[Iterator[bytes]]:
    """The unpacked bytes of a file, some at a time."""
    with closing(_Source(stored)) as source:
        packing = packing_of(stored.place, source.first)
        yield _UNPACKERS[packing](source) if packing else iter(lambda: source.read(_CHUNK) or b"", b"")


class _Source(io.RawIOBase):
    """The bytes of a file as they are kept. What goes wrong in reading them is a FramingError."""

    def __init__(self, stored: _Stored) -> None:
        self._stored = stored
        self.name = stored.name
        self.position = 0
        """How many were read."""
        self.is_at_end = False
        self._file: Any = None
        with _told(self.name):
            self._file = stored.open()
        self.first = self._pending = b""
        while len(self.first) < _MAGIC_BYTES and (more := self._take(_MAGIC_BYTES - len(self.first))):
            self.first += more
        self._pending = self.first

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        data = self._pending[: len(target)] or self._take(len(target))
        self._pending = self._pending[len(data) :]
        target[: len(data)] = data
        self.position += len(data)
        self.is_at_end = not data
        return len(data)

    def _take(self, size: int) -> bytes:
        with _told(self.name):
            data: bytes = self._file.read(size)
        return data

    def close(self) -> None:
        if not self.closed and self._file is not None:
            with _told(self.name):
                self._file.close()
        super().close()


def _gunzipped(source: _Source) -> Iterator[bytes]:
    """Every member of a gzip file. Zeros behind the last one are padding, as of tapes."""
    data = b""
    while True:
        begin = source.position - len(data)
        unpacker = zlib.decompressobj(wbits=31)
        while not unpacker.eof:
            data = data or source.read(_CHUNK) or b""
            if not data:
                raise _cut_short(source, "gzip")
            before = unpacker.copy()
            try:
                unpacked = unpacker.decompress(data, _CHUNK)
            except zlib.error as error:
                place = source.position - len(data) + _fault_in(before, data)
                raise _damaged(source, f"at byte {place}", str(error).rpartition(": ")[2], begin) from None
            data = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
            if unpacked:
                yield unpacked
        while not (data := data.lstrip(b"\0")):
            data = source.read(_CHUNK) or b""
            if not data:
                return


def _fault_in(unpacker: Any, data: bytes) -> int:
    """Where in the bytes that are next an unpacker fails."""
    for place in range(len(data)):
        try:
            unpacker.decompress(data[place : place + 1])
        except zlib.error:
            return place
    return len(data)


def _unzstd(source: _Source) -> Iterator[bytes]:
    """Every frame of a zstd file."""
    try:
        import pyarrow as pa
    except ImportError:
        raise OptionError(
            f"{source.name}: pyarrow is not installed, which unpacks zstd", code="LMP-S005",
            hint="pip install 'lmparse[arrow]'",
        ) from None  # fmt: skip
    if not source.first:
        raise _cut_short(source, "zstd")
    stream = pa.CompressedInputStream(source, "zstd")
    while True:
        try:
            unpacked: bytes = stream.read(_CHUNK)
        except (OSError, pa.ArrowException) as error:
            if source.is_at_end:
                raise _cut_short(source, "zstd") from None
            place = f"at or before byte {source.position}"  # it reads ahead
            raise _damaged(source, place, str(error).rpartition(": ")[2]) from None
        if not unpacked:
            return
        yield unpacked


_UNPACKERS: dict[str, Callable[[_Source], Iterator[bytes]]] = {"gzip": _gunzipped, "zstd": _unzstd}


def _cut_short(source: _Source, packing: str) -> FramingError:
    return FramingError(
        f"is cut short: its {packing} data go on behind byte {source.position}, where the file ends",
        code="LMP-F001", file=source.name, hint="transfer it again",
    )  # fmt: skip


def _damaged(source: _Source, place: str, reason: str, begin: int = 0) -> FramingError:
    since = f" (in what begins at byte {begin})" if begin else ""
    return FramingError(
        f"is damaged {place} of the compressed file{since}: {reason}", code="LMP-F001", file=source.name,
        hint="transfer it again, in binary",
    )  # fmt: skip


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Turn what goes wrong with a file into the error of a file that cannot be read."""
    try:
        yield
    except (LmparseError, MemoryError):
        raise
    except Exception as error:
        # Every file system has errors of its own.
        raise FramingError(f"cannot be read: {_reason(error)}", code="LMP-F001", file=name) from None


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or ""
    if not text and isinstance(error, FileNotFoundError):
        text = "No such file or directory"
    text = (text or str(error)).strip() or type(error).__name__
    line: str = text.splitlines()[0][:_LONGEST_REASON]
    return re.sub(r"://[^/\s]*@", "://", line)


# -- remote and virtual file systems ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder on a remote file system."""

    path: str
    """Its address."""
    is_folder: bool
    stamp: Hashable
    """What tells it from what it was before."""


class _System(Protocol):
    """A file system. Paths are its own."""

    def look_up(self, path: str) -> tuple[bool, Hashable] | None:
        """Whether something is a folder, and its stamp; None when there is nothing."""

    def inside(self, path: str) -> list[tuple[str, bool, Hashable]]:
        """What is in a folder: name, whether it is a folder, stamp."""

    def open(self, path: str) -> Any:
        """A file, to be read from its beginning."""


class _ArrowSystem:
    """A file system of Arrow."""

    def __init__(self, system: Any) -> None:
        self._system = system

    def look_up(self, path: str) -> tuple[bool, Hashable] | None:
        from pyarrow.fs import FileType

        info = self._system.get_file_info(path)
        return None if info.type == FileType.NotFound else self._known(info)

    def inside(self, path: str) -> list[tuple[str, bool, Hashable]]:
        from pyarrow.fs import FileSelector

        return [(info.base_name, *self._known(info)) for info in self._system.get_file_info(FileSelector(path))]

    def open(self, path: str) -> Any:
        # Or it would unpack by the name alone.
        return self._system.open_input_stream(path, compression=None)

    def _known(self, info: Any) -> tuple[bool, Hashable]:
        from pyarrow.fs import FileType

        return info.type == FileType.Directory, (info.size, info.mtime_ns)


_CHANGING = ("size", "mtime", "created", "updated", "LastModified", "last_modified", "ETag", "etag", "CRC")
"""What file systems of fsspec say of a file that is another one after a change."""


class _FsspecSystem:
    """A file system of fsspec."""

    def __init__(self, system: Any) -> None:
        system.invalidate_cache()  # of listings: a folder is read to see what is new in it
        self._system = system

    def look_up(self, path: str) -> tuple[bool, Hashable] | None:
        try:
            info = self._system.info(path)
        except FileNotFoundError:
            return None
        return self._known(info)

    def inside(self, path: str) -> list[tuple[str, bool, Hashable]]:
        found = []
        for info in self._system.ls(path, detail=True):
            name = str(info["name"]).rstrip("/")
            if name.strip("/") != path.strip("/"):  # object stores have an object for the folder itself
                found.append((name.rpartition("/")[2], *self._known(info)))
        return found

    def open(self, path: str) -> Any:
        return self._system.open(path, "rb")

    def _known(self, info: Any) -> tuple[bool, Hashable]:
        return info["type"] == "directory", tuple(_same(info.get(name)) for name in _CHANGING)


def _same(value: Any) -> str:
    """A value in one form: a listing may have a number where a file has a time."""
    return str(value.timestamp() if isinstance(value, datetime) else value)


def look_up(address: str) -> Entry | None:
    """What is at an address; None for nothing. Raises FramingError LMP-F001, OptionError."""
    with _told(address):
        system, path = _resolve(address)
        found = system.look_up(path)
    return None if found is None else Entry(address, *found)


def entries(folder: str) -> list[Entry]:
    """What is in the folder at an address, sorted by name. Raises FramingError LMP-F001, OptionError."""
    with _told(folder):
        system, path = _resolve(folder)
        found = sorted(system.inside(path), key=itemgetter(0))
    return [Entry(child(folder, name), is_folder, known) for name, is_folder, known in found]


def child(folder: str, name: str) -> str:
    """The address of something in the folder at an address."""
    front, path, behind = _split(folder)
    path = f"{front}{path}".rstrip("/") + "/" if path or not front.endswith("://") else front
    return f"{path}{name}{behind}"


def folder_of(address: str) -> str:
    """The address of the folder in which something is."""
    front, path, behind = _split(address)
    return f"{front}{path.rstrip('/').rpartition('/')[0]}{behind}"


def split_pattern(address: str) -> tuple[str, list[str]]:
    """The folder at which the patterns of an address begin, and what the names below it must match."""
    front, path, behind = _split(address)
    names = path.split("/")
    first = next((place for place, name in enumerate(names) if re.search(r"[*?\[]", name)), len(names))
    return f"{front}{'/'.join(names[:first])}{behind}", names[first:]


def _remote(address: str) -> _Stored:
    with _told(address):
        system, path = _resolve(address)
        found = system.look_up(path)
    if found is None:
        raise FramingError("cannot be read: No such file or directory", code="LMP-F001", file=address)
    is_folder, known = found
    if is_folder:
        raise FramingError("is a directory, not a file", code="LMP-F001", file=address)
    # It holds the file system, too: an archive is closed with it.
    return _Stored(address, base_name(address), (address, known), lambda: system.open(path))


def _split(address: str) -> tuple[str, str, str]:
    """Scheme with host or bucket, path, and what stands behind the path."""
    if re.match("https?:", address):
        front, mark, rest = address.partition("://")
        path, query, behind = rest.partition("?")  # which is no pattern there
        return front + mark, path, query + behind
    found = _PARTS.fullmatch(address)
    assert found is not None
    return found["front"], found["path"], found["behind"]


def _resolve(address: str) -> tuple[_System, str]:
    """The file system of an address, and the path there. Raises OptionError."""
    scheme = address.partition("://")[0]
    if _SECRET.search(address):
        raise OptionError(
            f"an address of {scheme}:// holds a credential, and would be in every row and message",
            hint="leave it to the environment, or to the configuration of the file system",
        )
    front, path, behind = _split(address)
    try:
        found = _arrow_system(front, behind) if "::" not in address else None
    except ImportError:
        found = None
    if found is not None:
        system, base = found
        return system, (base.rstrip("/") + path).rstrip("/") or base
    try:
        from fsspec.core import url_to_fs

        given, inner = url_to_fs(address)
    except (ImportError, ValueError) as error:
        known = "" if "fsspec" in str(error) else f": {_reason(error)}"
        raise OptionError(
            f"{scheme}:// is known neither to the file systems of pyarrow nor to those of fsspec here{known}",
            code="LMP-S005",
            hint="pip install 'lmparse[arrow]' for s3, gs, abfs and hdfs, 'lmparse[remote]' and the package "
            "of the file system for others",
        ) from None
    return _FsspecSystem(given), str(inner)


@lru_cache(maxsize=16)
def _arrow_system(front: str, behind: str) -> tuple[_System, str] | None:
    """The file system of Arrow for what an address begins with, and the path of that; None when it has none.

    The path itself is kept out of this: in the names of objects a `%` or a blank means itself.
    """
    import pyarrow as pa
    from pyarrow.fs import FileSystem

    front = re.sub(r"^s3[an]://", "s3://", front)  # as Hadoop spells it
    try:
        system, base = FileSystem.from_uri(f"{front}{'/' if front.endswith('://') else ''}{behind}")
    except pa.ArrowNotImplementedError:
        return None  # built without it
    except pa.ArrowInvalid as error:
        if "Unrecognized" in str(error):
            return None
        raise
    return _ArrowSystem(system), base
