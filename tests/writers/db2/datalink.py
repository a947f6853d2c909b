"""Datalink manager records (component 8; reference 8.1). V6 added a time stamp to the layouts of V5.2."""

from __future__ import annotations

from dataclasses import dataclass

from .wire import Server

COMPONENT = 8
LINK_FILE, UNLINK_FILE = 33, 34
DELETE_GROUP, DELETE_PGROUP, DLFM_PREPARE = 35, 36, 37


@dataclass(frozen=True)
class Link:
    """What names a linked file; `timestamp` None is the layout of V5.2."""

    stem_name: bytes
    server_id: int = 1
    prefix_id: bytes = bytes(9)
    recovery_id: bytes = bytes(7)
    timestamp: int | None = 0


def header(function: int) -> bytes:
    """4 bytes: component 0, function 1, padding 2(2)."""
    return bytes([COMPONENT, function, 0, 0])


def named(function: int, body: bytes = b"") -> bytes:
    """Delete group, delete pgroup, DLFM prepare: their layouts are not known."""
    return header(function) + body


def _tail(server: Server, link: Link) -> bytes:
    """Prefix id (9 + 3), recovery id (7 + 1), time stamp (4, from V6), length of the stem name (4), stem name."""
    ids = link.prefix_id.ljust(12, b"\x00") + link.recovery_id.ljust(8, b"\x00")
    timestamp = b"" if link.timestamp is None else server.u32(link.timestamp)
    return ids + timestamp + server.u32(len(link.stem_name)) + link.stem_name


def link_file(
    server: Server,
    link: Link,
    *,
    read_only: bool = False,
    auth_id: str = "",
    group_id: bytes = bytes(17),
    access_control: int = 0,
) -> bytes:
    """Server 4(4), read only 8(4), auth id 12(8), group id 20(17 + 1), access control 38(2), prefix id 40, …"""
    start = header(LINK_FILE) + server.u32(link.server_id) + server.i32(read_only)
    start += auth_id.encode("ascii").ljust(8) + group_id.ljust(18, b"\x00") + server.u16(access_control)
    return start + _tail(server, link)


def unlink_file(server: Server, link: Link) -> bytes:
    """Server 4(4), prefix id 8, recovery id 20, …"""
    return header(UNLINK_FILE) + server.u32(link.server_id) + _tail(server, link)
