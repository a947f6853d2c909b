"""Kind words: what `-lm-type` of a field or of a type may be. `lmparse.values.kinds` has what decodes each value."""

from __future__ import annotations

KIND_WORDS = {
    "uint": "a whole number without sign; what `u1` to `u8` and `b1` to `b64` are by themselves",
    "int": "a whole number with sign; what `s1` to `s8` are by themselves",
    "float": "an IEEE number; what `f4` and `f8` are by themselves",
    "char": "text in the code page of `-codec`; what bytes with `-codec` are by themselves",
    "code": "a code of letters; what a number with `-codec` and `enum` is by itself",
    "hextext": "text of hexadecimal digits that names bytes",
    "decimaltext": "text of decimal digits that is a number",
    "timestamp17": "a time of 17 bytes in packed digits",
    "lrsn10": "a log record sequence number of 10 bytes",
    "rba10": "a relative byte address of 10 bytes",
    "lsn": "a log sequence number of Db2 LUW",
    "rid6": "a record identifier of 6 bytes",
    "bytes": "bytes, as many in every record",
    "variable": "bytes, whose number the data say",
    "rest": "bytes behind what is known; kept, and no field behind them has an offset",
    "peek": "an instance that reads bytes of other fields to decide what they are; not a column",
    "struct": "a nested record; what a field of a type of the spec is by itself",
    "body": "a nested record, one of several kinds, whose fields are columns of the record itself",
}
"""One line on each word. Nested records (`struct`, `body`) are not values."""


def listed() -> str:
    """The words as lines of a page."""
    return "".join(f"- `{word}`: {text}\n" for word, text in KIND_WORDS.items())
