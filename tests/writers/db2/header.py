"""Log manager log record headers (reference 2) and record types (reference 2.5)."""

from __future__ import annotations

from dataclasses import dataclass

from .wire import Generation, Server

PROPAGATABLE = 0x0002
SINGULAR_TRANSACTION = 0x0010

BACKOUT_FREE = 0x42
COMPENSATION = 0x43

#: Record types that are the same number in every generation; V5 to V7 call them by the ASCII letter.
SAME_TYPES = {
    "abort": 0x41,
    "backout_free": BACKOUT_FREE,
    "compensation": COMPENSATION,
    "tablespace_rolled_forward": 0x44,
    "forget": 0x46,
    "load_pending_list": 0x47,
    "load_delete_start": 0x48,
    "heuristic_abort": 0x49,
    "load_start": 0x4A,
    "load_delete_start_compensation": 0x4B,
    "lock_description": 0x4C,
    "normal": 0x4E,
    "backup_end": 0x4F,
    "table_quiesce": 0x50,
    "global_pending_list": 0x51,
    "redo": 0x52,
    "compensation_required": 0x53,
    "partial_abort": 0x54,
    "undo": 0x55,
    "migration_begin": 0x56,
    "migration_end": 0x57,
    "datalink": 0x61,
    "mpp_log_synchronization": 0x67,
    "information": 0x69,
    "backup_start": 0x6F,
    "rollforward_pit_end": 0x71,
}
#: Record types that changed: letter of V5 to V7, then the number of 9.7 and later.
CHANGED_TYPES = {
    "commit": (0x4D, 0x84),
    "heuristic_commit": (0x59, 0x87),
    "mpp_subordinate_commit": (0x73, 0x85),
    "mpp_coordinator_commit": (0x63, 0x86),
    "local_pending_list": (0x45, 0x8A),
    "rollforward_pit_begin": (0x70, 0x89),
    "tm_prepare": (0x58, 0x7D),
    "xa_prepare": (0x5A, 0x7C),
    "mpp_prepare": (0x7A, 0x7B),
}
APPLICATION_INFORMATION = 0x8B


def record_type(name: str, generation: Generation) -> int:
    """Number of a record type by its name.

    Raises:
        ValueError: the generation has no such type.
    """
    if name in CHANGED_TYPES:
        return CHANGED_TYPES[name][generation != "v7"]
    if name in SAME_TYPES:
        return SAME_TYPES[name]
    if name == "application_information" and generation != "v7":
        return APPLICATION_INFORMATION
    raise ValueError(f"{generation} has no record type {name!r}")


@dataclass(frozen=True)
class Header:
    """Values of a log record header; a generation writes those it has.

    Attributes:
        type: record type.
        tid: transaction id, six raw bytes.
        flags: general flag.
        lsn: LSN of this record (v10).
        lfs: log flush sequence (v10).
        previous: previous record of the transaction, 0 for the first: its LSN, in v10 its LSO.
        stream_id: log stream id (v10).
        prior: compensation extension (v7: also of backout-free records): LSN or LSO of the record before the
            compensated one.
        compensated: extension of a propagatable compensation: LSN or LSO of the record being compensated.
    """

    type: int
    tid: bytes
    flags: int = PROPAGATABLE
    lsn: int = 0
    lfs: int = 0
    previous: int = 0
    stream_id: int = 0
    prior: int = 0
    compensated: int = 0

    @property
    def propagatable_compensation(self) -> bool:
        """A compensation that names the record it compensates."""
        return self.type == COMPENSATION and bool(self.flags & PROPAGATABLE)


def _head(server: Server, header: Header, length: int) -> bytes:
    """Length at 0(4), type at 4(2), flags at 6(2): the same in every generation."""
    if len(header.tid) != 6:
        raise ValueError(f"a transaction id has 6 bytes, not {len(header.tid)}")
    return server.u32(length) + server.u16(header.type) + server.u16(header.flags)


def _v7(server: Server, header: Header, length: int) -> bytes:
    """Back pointer at 8(6), TID at 14(6), extensions at 20(6) and 26(6) (reference 2.1)."""
    out = _head(server, header, length) + server.lsn(header.previous) + header.tid
    if header.type in (COMPENSATION, BACKOUT_FREE):
        out += server.lsn(header.prior)
    if header.propagatable_compensation:
        out += server.lsn(header.compensated)
    return out


def _v97(server: Server, header: Header, length: int) -> bytes:
    """Back pointer at 8(8), TID at 16(6), padding, extensions at 24(8) and 32(8) (reference 2.2)."""
    out = _head(server, header, length) + server.lsn(header.previous) + header.tid + bytes(2)
    if header.type == COMPENSATION:
        out += server.lsn(header.prior)
    if header.propagatable_compensation:
        out += server.lsn(header.compensated)
    return out


def _v10(server: Server, header: Header, length: int) -> bytes:
    """LSN at 8, LFS at 16, LSO at 24, TID at 32(6), stream id at 38(2), extensions at 40 and 56 (reference 2.3)."""
    out = _head(server, header, length)
    out += server.u64(header.lsn) + server.u64(header.lfs) + server.u64(header.previous)
    out += header.tid + server.u16(header.stream_id)
    if header.type == COMPENSATION:
        out += server.u16(header.stream_id) + bytes(6) + server.u64(header.prior)
    if header.propagatable_compensation:
        out += server.u64(header.compensated)
    return out


_HEADERS = {"v7": _v7, "v9.7": _v97, "v10": _v10}


def record(server: Server, header: Header, body: bytes = b"") -> bytes:
    """A whole record: header with the length of everything, then the body."""
    encode = _HEADERS[server.generation]
    size = len(encode(server, header, 0))
    return encode(server, header, size + len(body)) + body
