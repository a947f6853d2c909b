"""Inputs: the number of a case, and edits of its parts.

A change of plain bytes would end at the first descriptor word, so an input is read as edits of parts (records, lines)
that are put together again around them. Every byte string is an input, and a longer one continues a shorter one:

    number of the case (2 bytes), choices of the target, then for each edit:
    operation (1), part (2), place in the part (2), value (1), and the bytes of a literal
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

MOST_EDITS, MOST_LINES, MOST_BYTES, LONGEST_PART = 24, 6, 1 << 16, 30_000
"""Edits of one input, of lines of one, bytes of its parts in all and of one."""
NUMBERS = [
    number.to_bytes(width, order)
    for width in (2, 4, 8)
    for number in (0, 1, 4, 0x7FFF, (1 << (8 * width - 1)) - 1, 1 << (8 * width - 1), (1 << (8 * width)) - 1)
    for order in ("big", "little")
]
TEXTS = [
    b"\x00",
    b"\x40",
    b"\xf0",
    b"\xff",
    b"\xc0",
    b"\x0c",
    b"\x0d",
    b"\x0f",
    b"\x80\x00",
    "9999-12-31".encode("cp037"),
    b"9999-12-31",
]
WORDS = (*NUMBERS, *TEXTS)
"""Bytes that often are an edge in a record."""


class Source:
    """Takes numbers and bytes from an input; zeros behind its end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    @property
    def is_empty(self) -> bool:
        return self._place >= len(self._data)

    def bytes(self, count: int) -> bytes:
        """The next bytes, fewer at the end."""
        taken = self._data[self._place : self._place + count]
        self._place += count
        return taken

    def number(self, width: int = 1) -> int:
        return int.from_bytes(self.bytes(width).ljust(width, b"\0"), "big")

    def pick(self, items: Sequence[T], width: int = 1) -> T:
        """One of some items; the first when the input has ended."""
        return items[self.number(width) % len(items)]


def inputs(count: int) -> list[bytes]:
    """The inputs that name each case once, without edits."""
    return [number.to_bytes(2, "big") for number in range(count)]


def edited(parts: Sequence[bytes], source: Source) -> list[bytes]:
    """The parts after the edits that are left in an input."""
    return _edited(parts, source, lambda found, *edit: _edit_bytes(found, *edit, source, WORDS))


def edited_with(parts: Sequence[bytes], source: Source, words: Sequence[bytes]) -> list[bytes]:
    """The same where `words` are what may be put into the parts."""
    return _edited(parts, source, lambda found, *edit: _edit_bytes(found, *edit, source, words))


def edited_lines(lines: Sequence[bytes], source: Source, words: Sequence[bytes], separator: bytes) -> list[bytes]:
    """Lines of a key, a separator and a value after edits that mostly leave them in this form and indentation."""
    return _edited(lines, source, lambda found, *edit: _edit_line(found, *edit, source, words, separator), MOST_LINES)


def _edited(parts: Sequence[bytes], source: Source, edit: Callable[..., None], most: int = MOST_EDITS) -> list[bytes]:
    found = [bytearray(part) for part in parts]
    for _ in range(most):
        if source.is_empty or not found or sum(map(len, found)) > MOST_BYTES:
            break
        operation, number, place, value = source.number(), source.number(2), source.number(2), source.number()
        edit(found, operation, number % len(found), place, value)
    return [bytes(part[:LONGEST_PART]) for part in found]


def _edit_line(
    lines: list[bytearray], operation: int, number: int, place: int, value: int, source: Source,
    words: Sequence[bytes], separator: bytes,
) -> None:  # fmt: skip
    line, other = lines[number], lines[place % len(lines)]
    head, between, tail = line.partition(separator)
    end = line[len(line.rstrip(b"\n")) :]
    others = [word for word in words if between and (separator in word) == (operation % 14 == 10)] or words
    word = others[(place + value) % len(others)]
    match operation % 14:
        case 0 | 1 | 2 | 3 if between:
            line[:] = head + between + word + end
        case 4 | 5 if between and separator in other:
            line[:] = head + between + other.partition(separator)[2]
        case 6 if between:
            name = other.partition(separator)[0].strip(b" -:\n")
            line[:] = line[: len(line) - len(line.lstrip(b" -"))] + name + between + tail
        case 7:
            del lines[number]
        case 8:
            lines[number:number] = [bytearray(line) for _ in range(1 + value % 3)]
        case 9:
            lines[number], lines[place % len(lines)] = other, line
        case 10:
            lines.insert(number, bytearray(line[: len(line) - len(line.lstrip(b" "))] + word + end))
        case 11:
            line[:] = b"  " + line if value % 2 else line[2 * line.startswith(b"  ") :]
        case 12 if between:
            line[:] = head + between + bytes(32 + byte % 95 for byte in source.bytes(1 + value % 16)) + end
        case 13:
            _edit_bytes(lines, value >> 4, number, place, value, source, words)


def _edit_bytes(
    parts: list[bytearray], operation: int, number: int, place: int, value: int, source: Source, words: Sequence[bytes]
) -> None:
    part, other = parts[number], value % len(parts)
    place %= len(part) + 1
    match operation % 14:
        case 0 | 1:
            part[place : place + 1] = bytes([value])
        case 2:
            part[place : place + 1] = bytes([(part[place] if place < len(part) else 0) ^ (1 << value % 8)])
        case 3 | 4:
            word = words[value % len(words)]
            part[place : place + len(word)] = word
        case 5:
            part[place:place] = words[value % len(words)]
        case 6:
            literal = source.bytes(1 + value % 16)
            part[place : place + len(literal)] = literal
        case 7:
            del part[place : place + 1 + value % 16]
        case 8:
            del part[place:]
        case 9:
            part += part[-1:] * value
        case 10:
            del parts[number]
        case 11:
            parts[number:number] = [bytearray(part) for _ in range(1 + value % 8)]
        case 12:
            parts[number], parts[other] = parts[other], part
        case 13:
            part[place:] = parts[other][place:]
