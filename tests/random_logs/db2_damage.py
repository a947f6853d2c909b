"""Damage to fields of the records of a Db2 LUW log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from writers.db2.header import record, record_type
from writers.db2.scripts import Form
from writers.db2.stream import Parts
from writers.db2.wire import Raw, Server

from random_logs.db2_stream_log import StreamLog, encoded

_WIDE = (0, 1, 5, (1 << 63) + 5)
"""Values of a field of 8 bytes."""
_NARROW = (0, 1, 5, (1 << 16) - 1)
UNSEEN = ("flags", "type")
"""With other flags or another type a record may say something else that is as sound: of nothing that it then lacks is
anything said (docs/limits.md)."""


def damaged(chance: Random, log: StreamLog) -> tuple[list[Raw], list[tuple[str, int]]]:
    """The records of a log with one to four damaged fields, and which ones."""
    parts, cut, done = list(log.parts), dict[int, int](), []
    for _ in range(chance.choice((1, 1, 2, 4))):
        kind, number = chance.choice(_KINDS), chance.randrange(len(parts))
        if kind == "length":
            cut[number] = chance.choice((20, 24, 32, 39))
        else:
            parts[number] = _FIELDS[kind](chance, parts[number], log.form)
        done.append((kind, number))
    records = [_cut(log.form, one, cut[n]) if n in cut else encoded(log.form, one) for n, one in enumerate(parts)]
    return records, done


def _cut(form: Form, parts: Parts, size: int) -> Raw:
    """A record that ends inside its header, as its length says too."""
    server = Server(form.generation, form.byte_order)
    raw, whole = encoded(form, parts), record(server, parts.header, parts.body)
    length = server.u32(size)
    return raw[: len(raw) - len(whole)] + length + whole[len(length) : size]


def _near(chance: Random, value: int, *steps: int) -> int:
    return (value + chance.choice(steps)) % (1 << 64)


def _address(chance: Random, parts: Parts, form: Form) -> Parts:
    near = _near(chance, parts.framed.lso, -300, -1, 1, 72, 4096, 1 << 40)
    return replace(parts, framed=replace(parts.framed, lso=chance.choice((0, 1, near, near))))


def _prefix_stream(chance: Random, parts: Parts, form: Form) -> Parts:
    return replace(parts, framed=replace(parts.framed, stream_id=chance.choice(_NARROW)))


def _prefix_lfs(chance: Random, parts: Parts, form: Form) -> Parts:
    return replace(parts, framed=replace(parts.framed, lfs=chance.choice((0, 1, parts.framed.lfs + 1))))


def _header_stream(chance: Random, parts: Parts, form: Form) -> Parts:
    return replace(parts, header=replace(parts.header, stream_id=chance.choice(_NARROW)))


def _header_lfs(chance: Random, parts: Parts, form: Form) -> Parts:
    near = _near(chance, parts.header.lfs, -1, 1, 1 << 40)
    return replace(parts, header=replace(parts.header, lfs=chance.choice((0, 1, near))))


def _transaction(chance: Random, parts: Parts, form: Form) -> Parts:
    order = form.byte_order
    own = int.from_bytes(parts.header.tid, order)
    tid = chance.choice((0, 5, own + 1, max(own - 1, 0))).to_bytes(6, order)
    return replace(parts, header=replace(parts.header, tid=tid))


def _previous(chance: Random, parts: Parts, form: Form) -> Parts:
    near = _near(chance, parts.header.previous, -72, 72, 1)
    return replace(parts, header=replace(parts.header, previous=chance.choice((*_WIDE, near, near))))


def _flags(chance: Random, parts: Parts, form: Form) -> Parts:
    return replace(parts, header=replace(parts.header, flags=chance.choice((0, 0x10, 0x12, 0xFFFF))))


def _type(chance: Random, parts: Parts, form: Form) -> Parts:
    name = chance.choice(("commit", "abort", "normal", "compensation", "application_information", "undo"))
    return replace(parts, header=replace(parts.header, type=record_type(name, form.generation)))


_FIELDS: dict[str, Callable[[Random, Parts, Form], Parts]] = {
    "address": _address, "prefix stream": _prefix_stream, "prefix LFS": _prefix_lfs, "header stream": _header_stream,
    "header LFS": _header_lfs, "transaction": _transaction, "previous": _previous, "flags": _flags, "type": _type,
}  # fmt: skip
_KINDS = ("address", "length", *_FIELDS)
