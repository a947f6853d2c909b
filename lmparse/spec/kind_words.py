"""Kind words: the values of `-lm-type` of a field or type. `lmparse.values.kinds` has their decoders."""

from __future__ import annotations

KIND_WORDS = {
    "uint": "a whole number without sign; what `u1` to `u8` and `b1` to `b64` are by themselves",
    "int": "a whole number with sign; what `s1` to `s8` are by themselves",
    "float": "an IEEE number; what `f4` and `f8` are by themselves",
    "hfp": "a number of 4 or 8 bytes in IBM's hexadecimal floating point (COMP-1, COMP-2 of z/OS)",
    "packed": "a packed decimal: two digits in a byte, the sign in the last half byte (COMP-3; F if unsigned)",
    "bcd": "packed digits without a sign (COMP-6)",
    "zoned": "a zoned decimal: a digit in each byte, the sign in the zone of the last one (DISPLAY)",
    "zoned-leading": "a zoned decimal with the sign in the zone of the first byte (SIGN LEADING)",
    "zoned-separate": "digits and behind them `+` or `-` (SIGN TRAILING SEPARATE)",
    "zoned-leading-separate": "`+` or `-` and behind it digits (SIGN LEADING SEPARATE)",
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
    "struct": "a nested record; what a field of a type of the spec is by itself",
    "body": "a nested record, one of several kinds, whose fields are columns of the record itself: a type with fields, "
    "or a switch over such types, with a default case `_` if it has a size",
}
"""One line for each word. Nested records (`struct`, `body`) are not values."""
ZONED = ("zoned", "zoned-leading", "zoned-separate", "zoned-leading-separate")
"""Decimals with one digit in each byte."""
DECIMALS = ("packed", "bcd", *ZONED)
"""Kinds of decimals, with or without digits behind the point."""
SCALABLE = ("uint", "int", "decimaltext", *DECIMALS)
"""Kinds that may have digits behind the point (`-scale`)."""
MAX_DIGITS = 38
"""Digits of the widest decimal column (decimal128 of Arrow and Spark)."""
TEXT_DIGITS = 31
"""Digits of the longest number in text."""
_DIGITS_OF_64_BITS = 18


def digits(kind: str, width: int, bits: int | None = None) -> int:
    """The most digits of a number, of a kind in SCALABLE, in `width` bytes or in `bits`."""
    if kind in ("uint", "int"):
        return len(str((1 << (bits or 8 * width) - (kind == "int")) - (kind == "uint")))
    if kind == "packed":
        # A decimal of 38 digits has 20 bytes, which have room for one digit more.
        return MAX_DIGITS if width == MAX_DIGITS // 2 + 1 else 2 * width - 1
    if kind == "decimaltext":
        return min(width, TEXT_DIGITS)
    return 2 * width if kind == "bcd" else width - kind.endswith("separate")


def is_decimal(kind: str, scale: int | None) -> bool:
    """Whether a value is a decimal, not an integer."""
    return kind in DECIMALS or bool(scale and kind in SCALABLE)


def precision(kind: str, scale: int | None, width: int | None, bits: int | None = None) -> int | None:
    """All digits of a field's decimal column, including those behind the point; None for other columns.

    Integers in text also have a decimal column if 64 bits cannot hold them.
    """
    if kind == "decimaltext" and not scale:
        most = digits(kind, width or TEXT_DIGITS)
        return most if most > _DIGITS_OF_64_BITS else None
    return max(digits(kind, width or 1, bits), scale or 0) if is_decimal(kind, scale) else None


def common_digits(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int] | None:
    """Precision and scale of the decimal type that holds both types; None above 38 digits."""
    scale = max(first[1], second[1])
    found = max(first[0] - first[1], second[0] - second[1]) + scale
    return (found, scale) if found <= MAX_DIGITS else None
