"""Fields that depend on nothing before them: numbers, bytes, text and decimals of a few bytes."""

from __future__ import annotations

import random
import zlib

from constructs.bare import Tree

UNPACKED = (b"\x01\x02\x03\x01\x02\x01", b"\x02\x01\x00\x01\x02\x02", b"\x00\x01\x01\x00\x02\x03")
"""What zlib unpacks in good records: all packed alike long."""
PACKED = tuple(zlib.compress(raw) for raw in UNPACKED)
(PACKED_SIZE,) = {len(raw) for raw in PACKED}
_NUMBERS = ("u1", "u1", "u1", "u1", "u2", "u2", "s1", "u2le", "u4", "s2le", "u8", "s8be", "f4", "b4", "b8", "b1", "b12")
_WHOLE = ("u1", "u1", "u1", "u1", "u2", "u2", "s1", "u2le", "u4", "s2le", "u8", "s8be", "f4")
"""Numbers that need no parser."""
_PLAIN: tuple[Tree, ...] = (
    {"size": 1}, {"size": 2}, {"size": 3}, {"size": "1 + 1"}, {"size": 0},
    {"size": 2, "-codec": "cp037"}, {"size": 1, "-codec": "cp500"}, {"size": 3, "-codec": "ISO-8859-1"},
)  # fmt: skip
"""Bytes that need no parser."""
_BYTES: tuple[Tree, ...] = (
    *_PLAIN,
    {"size": 2, "process": "xor(255)"}, {"size": 2, "process": "xor([1, 2, 3])"}, {"size": 3, "process": "rol(3)"},
    {"size": PACKED_SIZE, "process": "zlib"},
    {"type": "strz", "encoding": "ASCII"}, {"terminator": 0}, {"terminator": 1, "eos-error": False},
    {"terminator": 0, "consume": False}, {"terminator": 2, "include": True},
    {"type": "str", "size": 2, "encoding": "UTF-8"}, {"type": "str", "size": 3, "terminator": 0, "encoding": "ASCII"},
    {"contents": [1]}, {"contents": []},
)  # fmt: skip
_DECIMALS: tuple[Tree, ...] = (
    {"size": 2, "-lm-type": "packed"}, {"size": 2, "-lm-type": "packed", "-scale": 1}, {"size": 2, "-lm-type": "zoned"},
    {"size": 1, "-lm-type": "bcd"}, {"size": 2, "-lm-type": "decimaltext", "-codec": "ascii"},
    {"size": 4, "-lm-type": "hfp"}, {"type": "u1", "-scale": 1}, {"type": "s2", "-scale": 2},
)  # fmt: skip
_VALID: tuple[object, ...] = (
    {"min": 0}, {"max": 200}, {"any-of": [0, 1, 2, 3]}, {"expr": "_ != 9"}, {"min": 0, "max": 4}, {"min": 1}
)  # fmt: skip


def number(chance: random.Random, *, is_plain: bool) -> Tree:
    """A number, which may be one of an enumeration, or must be in a range; if it is plain, one that needs no parser."""
    field: Tree = {"type": chance.choice(_WHOLE if is_plain else _NUMBERS)}
    if field["type"][0] in "us" and chance.random() < 0.15:
        field["valid"] = chance.choice(_VALID)
    elif field["type"][0] == "u" and chance.random() < 0.1:
        field["enum"] = "color"
    return field


def bytes_(chance: random.Random, *, is_plain: bool) -> Tree:
    """Bytes, text, or bytes that are changed before they are read; the same."""
    return dict(chance.choice(_PLAIN if is_plain else _BYTES))


def decimal(chance: random.Random) -> Tree:
    """A number that has bytes of its own kind."""
    return dict(chance.choice(_DECIMALS))


def rest(chance: random.Random) -> Tree:
    """All bytes that are left."""
    kinds: tuple[Tree, ...] = ({"-lm-type": "rest"}, {"-lm-type": "rest"}, {}, {"-codec": "cp037"})
    return {"size-eos": True} | chance.choice(kinds)


def process(chance: random.Random, names: list[str]) -> str:
    """How the bytes of a nested record are changed; also with numbers of the record."""
    known = ["xor(7)", "rol(3)", "ror(1)", "xor([1, 2, 3])"]
    name = chance.choice(names) if names else "3"
    return chance.choice([*known, f"xor({name})", f"rol({name} % 8)"])
