"""Restoring: what `process` of a spec does to bytes before they are read, where the runtime's functions do not do.

The build step puts calls of these into generated parsers, in place of those of zlib and of Kaitai's runtime.
"""

from __future__ import annotations

import zlib

from kaitaistruct import KaitaiStream

from lmparse.spec.budgets import Budget, current


class RestoreError(Exception):
    """Bytes cannot be restored; the text says why."""


def unpacking(packed: bytes) -> bytes:
    """The bytes that zlib packed. Raises RestoreError, and LimitError LMP-L008 before more than that is in memory."""
    budget = current() or Budget()
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(packed, budget.left_to_unpack() + 1)
    except zlib.error as error:
        raise RestoreError(str(error)) from None
    budget.unpack(len(found))
    if not unpacker.eof:
        raise RestoreError("Error -5 while decompressing data: incomplete or truncated stream")
    return found


def rotating(data: bytes, amount: int, size: int) -> bytes:
    """The bits of each byte, rotated left by a number that may be any; `size` is 1, the bytes of a group."""
    found: bytes = KaitaiStream.process_rotate_left(data, amount % 8, size)
    return found


def xoring(data: bytes, key: bytes) -> bytes:
    """The exclusive or of bytes with those of a key, again and again. Raises RestoreError if the key has none."""
    if data and not key:
        raise RestoreError("the key of xor has no bytes")
    found: bytes = KaitaiStream.process_xor_many(data, key)
    return found
