"""Compression: files compressed as a whole (gzip, zstd), and their unpacked bytes."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from typing import Any

from lmparse.errors import FramingError, OptionError
from lmparse.storage.addresses import base_name
from lmparse.storage.stored import StoredBytes

_READ, _CHUNK = 1 << 16, 1 << 20
"""Bytes read and unpacked at a time."""
_MAGICS = {
    "gzip": (b"\x1f\x8b\x08",),
    # A frame with data, or a skippable frame.
    "zstd": (b"\x28\xb5\x2f\xfd", *(bytes([number, 0x2A, 0x4D, 0x18]) for number in range(0x50, 0x60))),
}
_WINDOW = "Frame requires too much memory"
"""zstd's message for a frame with a window above its limit of 128 MB."""
ENDINGS = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}
"""Endings of the names of compressed files."""


def packing_of(path: str, first: bytes) -> str | None:
    """The compression of a file by its name and first bytes: gzip, zstd, or None.

    The ending of the name states whether the file is compressed, and the bytes state how. A file that a transfer
    unpacked under its old name is therefore read as it is.
    """
    packing = ENDINGS.get(os.path.splitext(path)[1].lower())
    if packing is None:
        return None
    if any(magic.startswith(first) for magic in _MAGICS[packing]):
        return packing  # the file is cut short, or empty
    return packing_by_bytes(first)


def packing_by_bytes(first: bytes) -> str | None:
    """The compression by the first bytes of a file, whatever its name; None without compression."""
    return next((packing for packing, magics in _MAGICS.items() if first.startswith(magics)), None)


def unpacked_name(path: str) -> str:
    """The name of a file without the ending for its compression."""
    name = base_name(path)
    root, ending = os.path.splitext(name)
    return root if ending.lower() in ENDINGS else name


def unpacked(source: StoredBytes, path: str) -> Iterator[bytes]:
    """Yield the unpacked bytes of a file in chunks; `path` tells whether the file is compressed.

    All members of a gzip file, and all frames of a zstd file, are unpacked. Zeros behind gzip members are padding of
    tapes; gzip skips them byte by byte.
    """
    packing = packing_of(path, source.first)
    if packing is None:
        yield from iter(lambda: source.read(_CHUNK) or b"", b"")
        return
    is_gzip = packing == "gzip"
    stream: Any = gzip.GzipFile(fileobj=io.BufferedReader(source, _READ)) if is_gzip else _zstd(source)
    is_empty = not source.first
    while not is_empty:
        try:
            unpacked: bytes = stream.read(_CHUNK)
        except (EOFError, OSError, ValueError, zlib.error) as error:  # from gzip, zlib and Arrow
            if _WINDOW in str(error):
                text = "its zstd data need a window of more than 128 MB, or are damaged"
                hint = "unpack it, or compress it again, with --long=27 at most"
                raise FramingError(text, code="LMP-F001", file=source.name, hint=hint) from None
            if isinstance(error, EOFError) or (packing == "zstd" and source.is_at_end):
                break
            place = f"at or before byte {source.position}"  # the unpacker reads ahead
            text = f"is damaged {place} of the compressed file: {str(error).rpartition(': ')[2]}"
            raise FramingError(text, code="LMP-F001", file=source.name, hint="transfer it again, in binary") from None
        if not unpacked:
            return
        yield unpacked
    text = f"is cut short: its {packing} data go on behind byte {source.position}, where the file ends"
    raise FramingError(text, code="LMP-F001", file=source.name, hint="transfer it again")


def _zstd(source: StoredBytes) -> Any:
    try:
        import pyarrow
    except ImportError:
        text = f"{source.name}: pyarrow is not installed, which unpacks zstd"
        raise OptionError(text, code="LMP-S005", hint="pip install 'lmparse[arrow]'") from None
    return pyarrow.CompressedInputStream(source, "zstd")
