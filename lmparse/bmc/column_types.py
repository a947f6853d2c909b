"""Types of Log Master columns in SQL words: CHAR(6), DECIMAL(9,2), TIMESTAMP(6) WITH TIME ZONE."""

from __future__ import annotations

_NAMES = {
    "CHAR": "CHAR", "VCHR": "VARCHAR", "LVCH": "LONG VARCHAR", "GRPH": "GRAPHIC", "VGRF": "VARGRAPHIC",
    "LVGR": "LONG VARGRAPHIC", "DATE": "DATE", "TIME": "TIME", "ROWI": "ROWID", "BLOB": "BLOB", "CLOB": "CLOB",
    "DBCL": "DBCLOB",
}  # fmt: skip
_WITH_LENGTH = ("CHAR", "VCHR", "GRPH", "VGRF")
"""Types whose LLCOLUMNLEN is the length of the column; of a LOB it is that of what the log holds."""
_NUMBERS = {
    ("INT", 2): "SMALLINT", ("INT", 4): "INTEGER", ("INT", 8): "BIGINT", ("FLOT", 4): "REAL", ("FLOT", 8): "DOUBLE",
}  # fmt: skip
_SECONDS = len("2026-03-14-10.11.12.")
"""Characters of a timestamp in front of the digits of its fraction."""
_ZONE = len("+01:00")


def sql_words(type_: str, length: int, scale: int, precision: int, *, is_bit_data: bool) -> str:
    """The type of a column in SQL words; of an unlisted type its code.

    `length` is in the unit that SQL has for the type: characters of graphic types, else bytes. Times are text, so
    LLCOLUMNLEN of a timestamp shows the digits of its fraction.
    """
    if (type_, length) in _NUMBERS:
        return _NUMBERS[type_, length]
    if type_ == "DEC":
        return f"DECIMAL({precision},{scale})"
    if type_ in ("DTTM", "DTTZ"):
        digits = max(length - _SECONDS - _ZONE * (type_ == "DTTZ"), 0)
        return f"TIMESTAMP({digits})" + " WITH TIME ZONE" * (type_ == "DTTZ")
    words = _NAMES.get(type_, type_)
    if type_ in _WITH_LENGTH:
        words += f"({length})"
    return words + " FOR BIT DATA" * is_bit_data
