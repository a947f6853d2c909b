"""Formulas: text in CSV that a spreadsheet would run as a formula, and how it is kept from that.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, quoted or not. Where it cuts cells depends on its
settings: in many countries at a semicolon, then also at line ends inside quotes. So a text may begin several cells.
`quoted` puts an apostrophe in front of each such sign, and so also behind apostrophes: the one in front of the sign can
always be taken away again. A text that is a number is not touched, nor is a single character.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

SEPARATORS = ";\t\r\n"
"""What begins a cell inside a text."""
_SKIPPED = "\\x00-\\x20\"'\\x7f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
"""Controls, blanks, invisible characters and quotes, which a spreadsheet passes over."""
SIGNS = "=+\\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20"
FORMULA = f"(^|[{SEPARATORS}])([{_SKIPPED}]*)([{SIGNS}])"
"""The beginning of a cell that a spreadsheet may take for a formula."""
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-](inf|nan)$"
"""Text that is a number, of a column of any type."""
_HARMLESS = f"{NUMBER}|^[{SIGNS}]$"


def quoted(array: pa.Array) -> pa.Array:
    """A column of text with an apostrophe in front of what a spreadsheet would run."""
    is_formula = pc.fill_null(pc.match_substring_regex(array, FORMULA), False)
    if not is_formula.true_count:
        return array
    is_formula = pc.and_not(is_formula, pc.fill_null(pc.match_substring_regex(array, _HARMLESS), False))
    return pc.if_else(is_formula, pc.replace_substring_regex(array, FORMULA, r"\1\2'\3"), array)
