"""Restoring: what `process` of a spec does to bytes before they are read, where the runtime's functions do not do.

The build step puts calls of these into generated parsers, in place of those of zlib and of Kaitai's runtime, which
takes a step of Python for each byte.
"""

from __future__ import annotations

import zlib

from kaitaistruct import KaitaiStream

from lmparse.spec.budgets import Budget, current

_EVERY_BYTE = bytes(range(256))


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
    return data.translate(KaitaiStream.process_rotate_left(_EVERY_BYTE, amount % 8, size))


def xoring(data: bytes, key: bytes | int) -> bytes:
    """The exclusive or of bytes with one byte, or with those of a key, again and again. Raises RestoreError if the key
    has none."""
    if not data:
        return data
    if isinstance(key, int):
        return data.translate(KaitaiStream.process_xor_one(_EVERY_BYTE, key))
    if not key:
        raise RestoreError("the key of xor has no bytes")
    whole, more = divmod(len(data), len(key))
    repeated = int.from_bytes(key * whole + key[:more])
    return (int.from_bytes(data) ^ repeated).to_bytes(len(data))
