"""Formulas: text in CSV that a spreadsheet would run as a formula, and how it is kept from that.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, quoted or not. `quoted` puts an apostrophe in front of
such text, and of such text behind apostrophes, so that the first apostrophe can always be taken away again. Numbers
are not touched, nor is a single character.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

FORMULA = "^[\\x00-\\x20'\u00a0\u3000\ufeff]*[=+\\-@\uff0b\uff0d\uff1d\uff20](?s:.)"
"""Text that a spreadsheet may take for a formula; it passes over blanks and controls."""
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-](inf|nan)$"
"""Text that is a number, of a column of any type."""


def quoted(array: pa.Array) -> pa.Array:
    """A column of text with an apostrophe in front of what a spreadsheet would run."""
    is_formula = pc.fill_null(pc.match_substring_regex(array, FORMULA), False)
    if not is_formula.true_count:
        return array
    is_formula = pc.and_not(is_formula, pc.fill_null(pc.match_substring_regex(array, NUMBER), False))
    return pc.if_else(is_formula, pc.binary_join_element_wise("'", array, ""), array)
