"""Digests: SHA-256 of the bytes of a file as they are stored, compressed or not."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from lmparse.storage.buffers import stored_at
from lmparse.storage.stored import StoredBytes

_HASHED = 1 << 20


@dataclass(frozen=True, slots=True)
class StoredDigest:
    """Size and hash of a file as it is stored."""

    size: int
    sha256: str


def stored_digest(path: str) -> StoredDigest:
    """Read a file once. Raises FramingError LMP-F001 if it cannot be read, and OptionError."""
    digest = hashlib.sha256()
    with StoredBytes(stored_at(path)) as file:
        while data := file.read(_HASHED):
            digest.update(data)
        return StoredDigest(file.position, digest.hexdigest())
