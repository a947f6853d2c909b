"""Random columns of Log Master with values: their bytes, and what is printed of them.

The values are decoded here: by the codecs of Python and by arithmetic, not by lmparse.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from writers.bmc.rows import GRAPHIC_TYPES, LOB_TYPES, NOT_NULL, NULL, Column

TYPES = (
    "INT", "DEC", "FLOT", "CHAR", "VCHR", "LVCH", "DATE", "TIME", "DTTM", "DTTZ", "GRPH", "VGRF", "LVGR", "ROWI",
    "DECF", "BLOB", "CLOB", "DBCL", "XML", "BINA", "VBIN",
)  # fmt: skip
"""LLCOLUMNTYPE of the manual, and types that it does not list."""
_TEXT = ("CHAR", "VCHR", "LVCH")
_EVERY_BYTE = bytes(range(256))
_NO_PAGE = (None, 0, 65534)
Ccsids = Mapping[str, int]


def _page(codec: str, other: Mapping[int, str] | None = None) -> str:
    """The characters of the 256 bytes of a page: those of a codec of Python but for some."""
    characters = list(_EVERY_BYTE.decode(codec))
    for byte, character in (other or {}).items():
        characters[byte] = character
    return "".join(characters)


_PAGES = {
    37: _page("cp037"),
    500: _page("cp500"),
    1140: _page("cp1140"),
    # IBM's table has the macron U+00AF where Python's has the overline U+203E.
    273: _page("cp273", {0xBC: "\u00af"}),
    # Open Systems Latin 1 is page 37 with six characters at other places.
    1047: _page("cp037", {0x5F: "^", 0xAD: "[", 0xB0: "\u00ac", 0xBA: "\u00dd", 0xBB: "\u00a8", 0xBD: "]"}),
}
_CODECS = {367: "ascii", 819: "latin-1", 943: "cp932", 1200: "utf-16-be", 1208: "utf-8", 1252: "cp1252"}
_CHARACTERS = "aZ \u00e9\u20ac\U0001f600\0\ufb00\u2028\u3042"
"""Of one to four bytes; some break lines or are ligatures."""
_BYTES_OF_1252 = b"\x41\x80\xff\x20\x92\x00"


def some_ccsids(chance: random.Random) -> dict[str, int]:
    """CCSIDs of XTYP."""
    return {
        "EBCDICSINGLECCSID": chance.choice((37, 273, 500, 1047, 1140)),
        "EBCDICMIXEDCCSID": chance.choice((65534, 500, 939, 1140)),
        "EBCDICDOUBLECCSID": chance.choice((65534, 300, 1200)),
        "ASCIISINGLECCSID": chance.choice((819, 1252)),
        "ASCIIMIXEDCCSID": chance.choice((65534, 943, 1252)),
        "ASCIIDOUBLECCSID": chance.choice((65534, 301)),
        "UNICODEMIXEDCCSID": chance.choice((1208, 65534)),
        "UNICODEDOUBLECCSID": chance.choice((1200, 65534)),
    }


@dataclass(frozen=True)
class Form:
    """How the row images of a log are written where the manual is silent."""

    null_bytes: str = "present"
    has_junk_in_nulls: bool = False
    is_expanded: bool = False
    graphic_length: str = "bytes"
    time_codec: str = "cp037"
    fill: bytes = b"\x00"

    @classmethod
    def some(cls, chance: random.Random) -> Form:
        is_expanded = chance.random() < 0.3
        return cls(
            chance.choice(("present", "present", "absent")), chance.random() < 0.3, is_expanded,
            "bytes" if is_expanded else chance.choice(("bytes", "bytes", "characters")),
            chance.choice(("cp037", "latin-1")), chance.choice((b"\x00", b"\x40", b"\xff")),
        )  # fmt: skip


@dataclass(frozen=True)
class Written:
    """One value: its bytes in the row image, with null indicator and length, and what is printed of it."""

    raw: bytes
    shown: Any
    is_apart: bool = False
    """Whether it is said to be kept outside of the log."""


def some_column(chance: random.Random, number: int) -> Column:
    """A column of any type, with the lengths at which a type changes."""
    kind, nulls = chance.choice(TYPES), chance.choice("NNYYYL")
    lengths = {
        "INT": (2, 4, 8), "FLOT": (4, 8), "DTTM": (19, *range(21, 33)), "DTTZ": (25, *range(27, 39)), "ROWI": (17,),
        "DECF": (8, 16), "DATE": (10,), "TIME": (8,), "DEC": range(1, 32),
        **dict.fromkeys(_TEXT, (1, 2, 5, 30)), **dict.fromkeys(GRAPHIC_TYPES, (1, 3, 10)),
        **dict.fromkeys(LOB_TYPES, (1000,)),
    }  # fmt: skip
    length = chance.choice(lengths.get(kind, (3, 9)))
    subtypes = ("S", "M", "B", "", "I", "D") if kind in _TEXT else ("", "B", "S") if kind in GRAPHIC_TYPES else ("",)
    return Column(
        f"C{number}", kind, length, chance.randrange(length + 1) if kind == "DEC" else 0, nulls,
        chance.choice(subtypes), value_bytes=chance.choice((0, 0, 4, 6)) if kind in LOB_TYPES else None,
    )  # fmt: skip


def ccsid_of(column: Column, scheme: str, ccsids: Ccsids) -> int | None:
    """CCSID of the characters of a column; None if its values are bytes."""
    if column.type not in (*_TEXT, *GRAPHIC_TYPES) or column.subtype in ("B", "I"):
        return None
    family = {"E": "EBCDIC", "A": "ASCII", "U": "UNICODE"}[scheme]

    def stated(kind: str) -> int | None:
        found = ccsids.get(f"{family}{kind}CCSID")
        return None if found in _NO_PAGE else found

    if column.type in GRAPHIC_TYPES:
        found = stated("DOUBLE") or (1200 if scheme == "U" else None)
    elif scheme == "U":
        found = stated("MIXED") or 1208
    else:
        found = (stated("MIXED") if column.subtype == "M" else None) or stated("SINGLE")
    return found if found in _PAGES or found in _CODECS else None


def some_value(chance: random.Random, column: Column, scheme: str, ccsids: Ccsids, form: Form) -> Written:
    """A value of a column: null, an extreme, or anything."""
    if column.nullable and chance.random() < 0.3:
        return Written(_null(chance, column, form), None)
    front = NOT_NULL if column.nullable else b""
    if column.type in LOB_TYPES:
        return Written(front + chance.randbytes(column.max_bytes), None, is_apart=True)
    raw, shown = _values(column)(chance, column, ccsid_of(column, scheme, ccsids), form)
    return Written(front + _with_length(column, raw, form), shown)


def _null(chance: random.Random, column: Column, form: Form) -> bytes:
    if column.variable:
        return NULL + bytes(2) + form.fill * column.max_bytes * form.is_expanded
    if form.null_bytes == "absent":
        return NULL
    return NULL + (chance.randbytes(column.max_bytes) if form.has_junk_in_nulls else form.fill * column.max_bytes)


def _with_length(column: Column, raw: bytes, form: Form) -> bytes:
    if not column.variable:
        return raw
    unit = 2 if column.type in GRAPHIC_TYPES and form.graphic_length == "characters" else 1
    return (len(raw) // unit).to_bytes(2, "big") + raw + form.fill * (column.max_bytes - len(raw)) * form.is_expanded


# -- values by type -----------------------------------------------------------------------------

Maker = Callable[[random.Random, Column, "int | None", Form], tuple[bytes, Any]]


def _values(column: Column) -> Maker:
    return {
        "INT": _integer, "DEC": _decimal, "FLOT": _float, "DATE": _date, "TIME": _time, "DTTM": _stamp, "DTTZ": _stamp,
        **dict.fromkeys(_TEXT, _text), **dict.fromkeys(GRAPHIC_TYPES, _graphic),
    }.get(column.type, _bytes)  # fmt: skip


def _integer(chance: random.Random, column: Column, _: int | None, __: Form) -> tuple[bytes, Any]:
    top = 1 << 8 * column.size - 1
    value = chance.choice((0, -1, -top, top - 1, chance.randrange(-top, top)))
    return value.to_bytes(column.size, "big", signed=True), value


def _decimal(chance: random.Random, column: Column, _: int | None, __: Form) -> tuple[bytes, Any]:
    digits, scale = column.size, column.scale
    value, sign = chance.choice((0, 10**digits - 1, chance.randrange(10**digits))), chance.choice("CDF")
    shown = f"{value:0{scale + 1}d}"
    shown = f"{shown[:-scale]}.{shown[-scale:]}" if scale else shown
    return bytes.fromhex(f"{value:0{digits // 2 * 2 + 1}d}{sign}"), "-" * (sign == "D" and value != 0) + shown


def _float(chance: random.Random, column: Column, _: int | None, __: Form) -> tuple[bytes, Any]:
    size = column.size
    raw = chance.choice((
        bytes(size), chance.randbytes(size), b"\x41\x10" + bytes(size - 2),
        bytes([chance.choice((0x41, 0xC1, 0x40, 0x00, 0x7F, 0x80, 0x3E))]) + chance.randbytes(size - 1),
    ))  # fmt: skip
    return raw, _of_hexadecimal(raw)


def _of_hexadecimal(raw: bytes) -> float:
    """IBM hexadecimal floating point: a sign, a power of 16 with an excess of 64, a fraction below 1."""
    fraction = Fraction(int.from_bytes(raw[1:], "big"), 1 << 8 * (len(raw) - 1))
    value = float(fraction * Fraction(16) ** ((raw[0] & 0x7F) - 64))
    return -value if raw[0] & 0x80 else value


def _day(chance: random.Random) -> str:
    year = chance.choice((1, 1582, 1900, 1970, 2026, 9999))
    return f"{year:04}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"


def _clock(chance: random.Random) -> str:
    return f"{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}"


def _date(chance: random.Random, _: Column, __: int | None, form: Form) -> tuple[bytes, Any]:
    shown = _day(chance)
    return shown.encode(form.time_codec), shown


def _time(chance: random.Random, _: Column, __: int | None, form: Form) -> tuple[bytes, Any]:
    shown = _clock(chance)
    return shown.replace(":", ".").encode(form.time_codec), shown


def _stamp(chance: random.Random, column: Column, _: int | None, form: Form) -> tuple[bytes, Any]:
    zone = ""
    if column.type == "DTTZ":
        zone = f"{chance.choice('+-')}{chance.randrange(1, 13):02}:{chance.choice((0, 30, 45)):02}"
    day, clock, places = _day(chance), _clock(chance), max(column.size - 20 - len(zone), 0)
    fraction = f".{chance.randrange(10**places):0{places}d}" if places else ""
    written = f"{day}-{clock.replace(':', '.')}{fraction}{zone}"
    return written.encode(form.time_codec), f"{day}T{clock}{fraction}{zone}"


def _text(chance: random.Random, column: Column, ccsid: int | None, _: Form) -> tuple[bytes, Any]:
    raw = _some_text(chance, ccsid, column.size)
    if not column.variable:
        raw += _blank(ccsid) * (column.size - len(raw))
    if ccsid is None:
        return raw, raw.hex().upper()
    shown = _decoded(ccsid, raw)
    return raw, shown if column.variable else shown.rstrip(" ")


def _graphic(chance: random.Random, column: Column, ccsid: int | None, _: Form) -> tuple[bytes, Any]:
    unicode = ccsid == 1200
    raw = _some_utf(chance, "utf-16-be", 2 * column.size) if unicode else chance.randbytes(
        2 * chance.randrange(column.size + 1))  # fmt: skip
    if not column.variable:
        raw += (b"\x00\x20" if unicode else b"\x40\x40") * (column.size - len(raw) // 2)
    if ccsid is None:
        return raw, raw.hex().upper()
    shown = _decoded(ccsid, raw)
    return raw, shown if column.variable else shown.rstrip(" ")


def _bytes(chance: random.Random, column: Column, _: int | None, __: Form) -> tuple[bytes, Any]:
    raw = chance.randbytes(column.max_bytes)
    return raw, raw.hex().upper()


def _decoded(ccsid: int, raw: bytes) -> str:
    page = _PAGES.get(ccsid)
    return raw.decode(_CODECS[ccsid]) if page is None else "".join(page[byte] for byte in raw)


def _blank(ccsid: int | None) -> bytes:
    if ccsid is None:
        return b"\x00"
    return b"\x20" if ccsid in _CODECS else b"\x40"


def _some_text(chance: random.Random, ccsid: int | None, size: int) -> bytes:
    """Bytes of a text, at most `size`, all of which are characters."""
    if ccsid == 1208:
        return _some_utf(chance, "utf-8", size)
    count = chance.choice((0, size, chance.randrange(size + 1)))
    if ccsid == 943:
        return "".join(chance.choice("abcXYZ ") for _ in range(count)).encode()
    if ccsid == 1252:
        return bytes(chance.choice(_BYTES_OF_1252) for _ in range(count))
    return chance.randbytes(count) if chance.random() < 0.7 else bytes(
        chance.choice(b"\x40\x20\xc1\x25\x15\x00") for _ in range(count))  # fmt: skip


def _some_utf(chance: random.Random, codec: str, size: int) -> bytes:
    text = "".join(chance.choice(_CHARACTERS) for _ in range(chance.randrange(size + 1)))
    while len(text.encode(codec)) > size:
        text = text[:-1]
    return text.encode(codec)
