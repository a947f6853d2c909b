"""Utility manager records: no component (reference 8). Offsets from the start of the record, V5 to V7 and then v10."""

from __future__ import annotations

from .transaction import FIXED_AUTH_ID
from .wire import Server


def _migration_time(text: str) -> bytes:
    """Time of a migration, char[10]."""
    data = text.encode("ascii")
    if len(data) > 10:
        raise ValueError(f"{text!r} is longer than 10 bytes")
    return data.ljust(10)


def migration_begin(server: Server, start_time: str, from_release: int, to_release: int) -> bytes:
    """Time 20(10), from release 30(2), to release 32(2); 40, 50, 52."""
    return _migration_time(start_time) + server.u16(from_release) + server.u16(to_release)


def migration_end(server: Server, end_time: str, to_release: int) -> bytes:
    """Time 20(10), to release 30(2); 40, 50."""
    return _migration_time(end_time) + server.u16(to_release)


def load_start(
    server: Server, log_record_id: int, pool_id: int, object_id: int, *, flag: int = 0, pools: bytes = b""
) -> bytes:
    """Log record id 20(4), pool 24(2), object 26(2), flag 28(1), object pool list 29; 40, 44, 46, 48, 49."""
    ids = server.u32(log_record_id) + server.u16(pool_id) + server.u16(object_id)
    return ids + bytes([flag]) + pools


def load_pending_list(server: Server, seconds: int, auth_id: str, entries: bytes = b"") -> bytes:
    """V5: time 20(4), auth id 24(9), entries 33; it takes the place of a commit."""
    return server.u32(seconds) + auth_id.encode("ascii").ljust(FIXED_AUTH_ID, b"\x00") + entries


def backup_end(server: Server, seconds: int, rest: bytes = b"") -> bytes:
    """Backup end: time 40(8); what follows is not known."""
    return server.u64(seconds) + rest
