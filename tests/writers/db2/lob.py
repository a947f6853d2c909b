"""LOB manager records (Tables 110 to 112; reference 6.1 and 6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .rows import OffsetBase
from .wire import Server, TableId

COMPONENT = 5

#: Operations of 10.1 and later. Those of V5 to 9.7 are not known; the same numbers stand in for them.
ADD_DATA, ADD_AMOUNT, DELETE, NON_UPDATE = 64, 65, 66, 67
#: Original operation types.
BY_INSERT, BY_DELETE, BY_UPDATE = 1, 2, 4
#: Column identifier of varying-length values moved out of a row together.
CONSOLIDATED = 0xFFFF
#: "A single LOB record will not contain more than 32 768 bytes of data."
MAX_DATA = 32768

AddressForm = Literal["double", "u64"]


@dataclass(frozen=True)
class LobObject:
    """The storage object (pool and object), the table it belongs to, and its type."""

    object: TableId
    parent: TableId
    object_type: int = 0


def header(server: Server, operation: int, about: LobObject) -> bytes:
    """Table 110, padded: component 0, operation 1, pool 2, object 4, parents 6 and 8, type 10(1), later 10(2)."""
    ids = (about.object.tablespace_id, about.object.table_id, about.parent.tablespace_id, about.parent.table_id)
    start = bytes([COMPONENT, operation]) + b"".join(server.u16(value) for value in ids)
    if server.generation == "v10":
        return start + server.u16(about.object_type)
    return start + bytes([about.object_type, 0])


def afim_amount(
    server: Server,
    about: LobObject,
    length: int,
    address: int,
    *,
    operation: int = ADD_AMOUNT,
    address_form: AddressForm = "double",
) -> bytes:
    """Table 112 (V5 to 9.7): data length 12(4), byte address 16(8), "double" or a 64-bit number; 24 bytes."""
    _require(server, before_v10=True)
    place = server.f64(float(address)) if address_form == "double" else server.u64(address)
    return header(server, operation, about) + server.u32(length) + place


def afim_data(
    server: Server,
    about: LobObject,
    data: bytes,
    address: int,
    *,
    operation: int = ADD_DATA,
    address_form: AddressForm = "double",
) -> bytes:
    """Table 111 (V5 to 9.7): as `afim_amount`, then the data at 24."""
    return afim_amount(server, about, len(data), address, operation=operation, address_form=address_form) + data


def _v10_body(
    server: Server, operation: int, about: LobObject, length: int, address: int, column_id: int, original: int
) -> bytes:
    """10.1 and later: length 12(4), byte offset 16(8), original operation 25(1), column id 26(2); 32 bytes."""
    _require(server, before_v10=False)
    place = server.u32(length) + server.u64(address)
    return header(server, operation, about) + place + bytes([0, original]) + server.u16(column_id) + bytes(4)


def add_data(
    server: Server, about: LobObject, data: bytes, address: int, column_id: int, *, original: int = BY_INSERT
) -> bytes:
    """Add LOB data: data at 32."""
    return _v10_body(server, ADD_DATA, about, len(data), address, column_id, original) + data


def add_amount(
    server: Server, about: LobObject, length: int, address: int, column_id: int, *, original: int = BY_INSERT
) -> bytes:
    """Add LOB amount (column NOT LOGGED)."""
    return _v10_body(server, ADD_AMOUNT, about, length, address, column_id, original)


def delete(
    server: Server, about: LobObject, length: int, address: int, column_id: int, *, original: int = BY_DELETE
) -> bytes:
    """Delete LOB (information only)."""
    return _v10_body(server, DELETE, about, length, address, column_id, original)


def non_update(server: Server, about: LobObject, length: int, address: int, column_id: int) -> bytes:
    """Non-update LOB (information only)."""
    return _v10_body(server, NON_UPDATE, about, length, address, column_id, BY_UPDATE)


def consolidated(server: Server, values: Sequence[bytes], *, offset_base: OffsetBase = "array") -> bytes:
    """Data of a record with column id `CONSOLIDATED`: X'12', total length (3, big-endian), offsets, values.

    A column that stays in the row has no bytes here. What the offsets count from is not settled.
    """
    place = 4 * (len(values) + 1) if offset_base == "array" else 0
    array = b""
    for value in values:
        array += server.u32(place)
        place += len(value)
    payload = array + server.u32(place) + b"".join(values)
    return b"\x12" + (4 + len(payload)).to_bytes(3, "big") + payload


def _require(server: Server, *, before_v10: bool) -> None:
    if (server.generation != "v10") != before_v10:
        raise ValueError(f"{server.generation} has no such LOB record")
