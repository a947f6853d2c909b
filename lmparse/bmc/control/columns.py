"""Columns of row images, as DLCI describes them: form, widths, code page, and type in SQL words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from lmparse.records.reader import Values
from lmparse.spec import catalog
from lmparse.values import codepages
from lmparse.values.codepages import CodePage

_TEXT = ("CHAR", "VCHR", "LVCH")
_GRAPHIC = ("GRPH", "VGRF", "LVGR")
_VARYING = ("VCHR", "LVCH", "VGRF", "LVGR")
_LOB = ("BLOB", "CLOB", "DBCL")
_FORMS = {
    "DEC": "decimal",
    "DATE": "date",
    "TIME": "time",
    "DTTM": "timestamp",
    "DTTZ": "timestamp_tz",
    "ROWI": "bytes",
    **dict.fromkeys(_LOB, "absent"),
}
_TEMPORAL = ("date", "time", "timestamp", "timestamp_tz")
_SCHEMES = {"E": "ebcdic", "A": "ascii", "U": "unicode"}
_DEFAULT_CCSIDS = {"ascii": 819, "unicode": 1208}
_WIDTHS = {"INT": (2, 4, 8), "FLOT": (4, 8)}
DEC_LENGTHS = ("bytes", "precision")
"""Meanings of LLCOLUMNLEN of a DEC column."""
GRAPHIC_LENGTHS = ("bytes", "characters")
"""Units of the lengths of graphic columns."""


_NAMES = {
    "CHAR": "CHAR", "VCHR": "VARCHAR", "LVCH": "LONG VARCHAR", "GRPH": "GRAPHIC", "VGRF": "VARGRAPHIC",
    "LVGR": "LONG VARGRAPHIC", "DATE": "DATE", "TIME": "TIME", "ROWI": "ROWID", "BLOB": "BLOB", "CLOB": "CLOB",
    "DBCL": "DBCLOB",
}  # fmt: skip
_WITH_LENGTH = ("CHAR", "VCHR", "GRPH", "VGRF")
"""Types whose LLCOLUMNLEN is the length of the column. Of a LOB, it is the length of the part in the log."""
_NUMBERS = {
    ("INT", 2): "SMALLINT", ("INT", 4): "INTEGER", ("INT", 8): "BIGINT", ("FLOT", 4): "REAL", ("FLOT", 8): "DOUBLE",
}  # fmt: skip
_SECONDS = len("2026-03-14-10.11.12.")
"""Characters of a timestamp in front of the digits of its fraction."""
_ZONE = len("+01:00")


@cache
def front_widths() -> tuple[int, int]:
    """Widths in bytes of the null indicator and of the length in front of a value."""
    layout = catalog.load("bmc_row_image").layouts["bmc_row_image.column"]
    return layout["null_indicator"].width or 0, layout["len_value"].width or 0


@cache
def len_unit(graphic_length: str) -> int:
    """Bytes of one unit of a length."""
    return catalog.load("bmc_row_image").enum("len_unit")[graphic_length.removesuffix("s")]


@dataclass(frozen=True)
class Column:
    """One column of the row images."""

    number: int
    name: str
    type: str
    """LLCOLUMNTYPE."""
    subtype: str
    length: int
    """LLCOLUMNLEN."""
    scale: int
    nulls: str
    """LLNULLS: Y, N or L."""
    loglog_bytes: int | None
    """LOGLOGBYTES: bytes in the row image including null indicator and length; None if blank."""
    key_seq: int | None = None
    page: CodePage | None = None
    """Code page of text and graphic columns; None for bit data and for a CCSID without a known code page."""
    ccsid: int | None = None
    is_sas: bool = False
    """Whether DLDS says SAS dates: their form is not documented, so dates and times are text."""
    counts: str = DEC_LENGTHS[0]
    """What LLCOLUMNLEN of a DEC column counts if LOGLOGBYTES does not prove it. Control files differ in this, so each
    column states it, whatever log it is read with."""

    @property
    def is_nullable(self) -> bool:
        """Whether a null indicator precedes the value."""
        return self.nulls in ("Y", "L")

    @property
    def is_varying(self) -> bool:
        """Whether a length precedes the value."""
        return self.type in _VARYING

    @property
    def is_graphic(self) -> bool:
        """Whether the column holds double-byte characters."""
        return self.type in _GRAPHIC

    @property
    def sql_words(self) -> str:
        """Type of the column in SQL words; its code if the type is not listed.

        Times are text, so LLCOLUMNLEN of a timestamp shows the digits of its fraction.
        """
        length = self.length
        if self.is_graphic and self.value_bytes in (length, len_unit("characters") * length):
            length = self.value_bytes // len_unit("characters")  # SQL counts characters
        if (self.type, length) in _NUMBERS:
            return _NUMBERS[self.type, length]
        if self.type == "DEC":
            return f"DECIMAL({self.precision},{self.scale})"
        if self.type in ("DTTM", "DTTZ"):
            has_zone = self.type == "DTTZ"
            return f"TIMESTAMP({max(length - _SECONDS - _ZONE * has_zone, 0)})" + " WITH TIME ZONE" * has_zone
        words = _NAMES.get(self.type, self.type) + f"({length})" * (self.type in _WITH_LENGTH)
        return words + " FOR BIT DATA" * (self.subtype == "B" and self.type in _TEXT)

    @property
    def form(self) -> str:
        """Form of the values: int, float, decimal, text, bytes, date, time, timestamp, timestamp_tz, sas (a date or
        time in the form of SAS), absent (kept elsewhere), or raw (an unlisted type)."""
        if self.type in _TEXT or self.type in _GRAPHIC:
            return "text" if self.page is not None else "bytes"
        if self.type in _WIDTHS:
            kind = "int" if self.type == "INT" else "float"
            return kind if self.length in _WIDTHS[self.type] else "raw"
        form = _FORMS.get(self.type, "raw")
        return "sas" if self.is_sas and form in _TEMPORAL else form

    @property
    def precision(self) -> int:
        """Digits of a DEC column."""
        return 2 * self.length - 1 if (self.dec_length or self.counts) == "bytes" else self.length

    @property
    def is_open(self) -> bool:
        """Whether only rows can show what the length of the column counts."""
        return self.type == "DEC" and self.dec_length is None

    def counting(self, dec_length: str) -> Column:
        """This column with `dec_length` as the unit of its length, if LOGLOGBYTES proves none."""
        return replace(self, counts=dec_length) if self.is_open else self

    @property
    def front_bytes(self) -> int:
        """Bytes of null indicator and length in front of the value."""
        indicator, length = front_widths()
        return indicator * self.is_nullable + length * self.is_varying

    @property
    def value_bytes(self) -> int | None:
        """LOGLOGBYTES less null indicator and length: maximum length of the value in bytes."""
        return self.loglog_bytes - self.front_bytes if self.loglog_bytes else None

    @property
    def dec_length(self) -> str | None:
        """What LLCOLUMNLEN of a DEC column counts; None if LOGLOGBYTES does not prove it."""
        as_bytes, as_precision = self.length, self.length // 2 + 1
        if as_bytes == as_precision or self.value_bytes not in (as_bytes, as_precision):
            return None
        return "bytes" if self.value_bytes == as_bytes else "precision"

    @property
    def graphic_length(self) -> str | None:
        """What LLCOLUMNLEN of a graphic column counts; None if LOGLOGBYTES does not prove it."""
        units = {len_unit(unit) * self.length: unit for unit in GRAPHIC_LENGTHS}
        return units.get(self.value_bytes or 0) if self.is_graphic else None

    def width(self, dec_length: str, graphic_length: str) -> int:
        """Length of the value in bytes; the maximum if it varies.

        The arguments are the units of lengths that LOGLOGBYTES does not prove.
        """
        if self.type == "DEC":
            return self.length if (self.dec_length or dec_length) == "bytes" else self.length // 2 + 1
        if self.is_graphic:
            return len_unit(self.graphic_length or graphic_length) * self.length
        if self.form in ("absent", "raw") or self.type == "ROWI":
            return max(self.value_bytes or 0, 0) if self.loglog_bytes or self.form == "absent" else self.length
        return self.length


def read_column(values: Values, scheme: str, xtyp: Values, code_page: CodePage) -> Column:
    """A column from the values of its DLCI record and of XTYP; `scheme` is ENCODINGSCHEME of its table."""
    type_, subtype = values["ll_column_type"], values["ll_column_subtype"]
    ccsid, page = _page_of(type_, subtype, scheme, xtyp, code_page)
    return Column(
        number=values["ll_column_num"] or 0,
        name=values["column_name"] or f"C{values['ll_column_num']}",
        type=type_,
        subtype=subtype,
        length=values["ll_column_len"] or 0,
        scale=values["ll_scale"] or 0,
        nulls=values["ll_nulls"],
        loglog_bytes=values["loglog_bytes"],
        key_seq=values["key_seq"],
        page=page,
        ccsid=ccsid,
    )


def _page_of(
    type_: str, subtype: str, scheme: str, xtyp: Values, ebcdic: CodePage
) -> tuple[int | None, CodePage | None]:
    """CCSID and code page of a column; None for bit data and for inline LOBs. A CCSID may have no page."""
    if type_ not in (*_TEXT, *_GRAPHIC) or subtype in ("B", "I"):
        return None, None
    none = catalog.load("bmc_xtyp").enum("no_ccsid").values()

    def stated(name: str) -> int | None:
        ccsid: int | None = xtyp.get(f"{name}_ccsid")
        return None if ccsid in none else ccsid

    family = _SCHEMES.get(scheme, "ebcdic")
    if type_ in _GRAPHIC:
        ccsid = stated(f"{family}_double") or (1200 if family == "unicode" else None)
    elif family == "unicode":
        # UTF-8 reads the 7-bit CCSID of single-byte columns too.
        ccsid = stated("unicode_mixed") or _DEFAULT_CCSIDS[family]
    elif subtype == "M":
        ccsid = stated(f"{family}_mixed") or stated(f"{family}_single")
    elif family == "ebcdic":
        return ebcdic.ccsid, ebcdic
    else:
        ccsid = stated(f"{family}_single") or _DEFAULT_CCSIDS[family]
    return ccsid, codepages.maybe_lookup(ccsid) if ccsid else None
