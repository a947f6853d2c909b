"""Types of the compiler that are one value: numbers and text."""

from __future__ import annotations

import re

NUMBER = re.compile(r"([usfb])(\d+)(le|be)?$")
"""Number types of the compiler: of whole bytes (`u2le`) or of bits (`b3`)."""
COMPILERS_TEXTS = ("str", "strz")
_KINDS = {"u": "uint", "b": "uint", "s": "int", "f": "float"}


def number_kind(number: re.Match[str]) -> str:
    """The kind of a field of a type that matches NUMBER."""
    return _KINDS[number[1]]
