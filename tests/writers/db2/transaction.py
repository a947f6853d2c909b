"""Transaction manager records: no component, the body follows the log record header (reference 7).

Offsets in the docstrings count from the start of the record, as the vendor prints them, v7 first (header of 20
bytes), then v10 (40 bytes); v9.7 has the v10 body behind its 24 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .wire import Server

#: Authorization id of V5 and V6, and of pending lists of V7: char[9], a C string.
FIXED_AUTH_ID = 9
XID_BYTES = 140


@dataclass(frozen=True)
class Gxid:
    """SQLP_GXID, 20 bytes: format id, lengths of the global id and of the branch qualifier, their data."""

    data: bytes = b""
    format_id: int = 0
    branch_length: int = 0

    def encode(self, server: Server) -> bytes:
        """Format id 0(4), gtrid length 4(4), bqual length 8(4), data 12(8)."""
        lengths = server.u32(len(self.data) - self.branch_length) + server.u32(self.branch_length)
        return server.u32(self.format_id) + lengths + self.data.ljust(8, b"\x00")


NO_GXID = Gxid()


def _time(server: Server, seconds: int) -> bytes:
    """Seconds since 1970 UTC: 4 bytes, later 8."""
    return server.u32(seconds) if server.is_v7 else server.u64(seconds)


def _auth_id(server: Server, auth_id: str | None, *, fixed: bool = False) -> bytes:
    """V7: text to the end of the record, or char[9]; later: length (2), text. None: not propagatable, no field."""
    if auth_id is None:
        return b""
    text = auth_id.encode("ascii")
    if not server.is_v7:
        return server.u16(len(text)) + text
    return text.ljust(FIXED_AUTH_ID, b"\x00") if fixed else text


def commit(server: Server, seconds: int, auth_id: str | None, *, fixed_auth_id: bool = False) -> bytes:
    """Normal and heuristic commit: time 20(4), auth id 24 (V5, V6: 9 bytes); time 40(8), length 48(2), auth id 50."""
    return _time(server, seconds) + _auth_id(server, auth_id, fixed=fixed_auth_id)


def abort(server: Server, auth_id: str | None, *, fixed_auth_id: bool = False) -> bytes:
    """Normal and heuristic abort: auth id 20; length 40(2), auth id 42."""
    return _auth_id(server, auth_id, fixed=fixed_auth_id)


def mpp_coordinator_commit(
    server: Server, seconds: int, auth_id: str, *, gxid: Gxid = NO_GXID, nodes: Sequence[int] = (0,)
) -> bytes:
    """Time 20(4), GXID 24(20), max node 44(2), node list 46(max/8 + 1), auth id; v10: 40(8), 48, 68, 70, length, text.

    The list has a bit for each node; which bit of a byte is the lowest node is not known, here the least significant.
    """
    node_list = bytearray(max(nodes) // 8 + 1)
    for node in nodes:
        node_list[node // 8] |= 1 << node % 8
    start = _time(server, seconds) + gxid.encode(server) + server.u16(max(nodes)) + bytes(node_list)
    return start + _auth_id(server, auth_id)


def mpp_subordinate_commit(server: Server, seconds: int, auth_id: str, *, gxid: Gxid = NO_GXID) -> bytes:
    """Time 20(4), GXID 24(20), auth id 44 (by likeness); v10: time 40(8), GXID 48(20), length 68(2), auth id 70."""
    return _time(server, seconds) + gxid.encode(server) + _auth_id(server, auth_id)


def local_pending_list(server: Server, seconds: int, auth_id: str, entries: bytes = b"") -> bytes:
    """Time 20(4), auth id 24(9), entries 33; v10: time 40(8), length 48(2), auth id 50, entries."""
    return _time(server, seconds) + _auth_id(server, auth_id, fixed=True) + entries


def global_pending_list(server: Server, auth_id: str, entries: bytes = b"") -> bytes:
    """Length 40(2), auth id 42, entries (v10); v7: char[9] first (by likeness)."""
    return _auth_id(server, auth_id, fixed=True) + entries


def prepare(server: Server, seconds: int, log_space: int, rest: bytes = bytes(XID_BYTES)) -> bytes:
    """XA, TM and MPP prepare: time prepared (8) and log space (8); what follows is not known in detail."""
    return server.u64(seconds) + server.u64(log_space) + rest
