"""Errors of values: what was expected, what was found, and the bytes of the field."""

from __future__ import annotations

import re

from lmparse.errors import InvalidValueError


def invalid_value(
    code: str, expected: str, found: str, raw: bytes | None = None, hint: str | None = None
) -> InvalidValueError:
    shown = None if raw is None else raw[:32].hex().upper()
    return InvalidValueError(code=code, expected=expected, found=found, hex=shown, hint=hint)


def wrong_width(raw: bytes, expected: str) -> InvalidValueError:
    return invalid_value("LMP-V010", expected, f"{len(raw)} bytes", raw)


def bad_digit(halves: str) -> str:
    place = next(index for index, half in enumerate(halves) if half not in "0123456789")
    return f"digit {place + 1} is 0x{halves[place].upper()}"


def text_hint(raw: bytes) -> str | None:
    """A hint if the bytes look like text, because the field may have another type or start elsewhere."""
    texts = {"EBCDIC": raw[:32].decode("cp037"), "ASCII": raw[:32].decode("latin-1")}
    return next((f"the bytes read as {name} text {text!r}" for name, text in texts.items() if _PLAIN(text)), None)


_PLAIN = re.compile(r"[A-Za-z0-9 +\-.,:/]+").fullmatch
