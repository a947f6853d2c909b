"""Cases of row images: every column type with its edges, nulls, code pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from cases.case import DLCI, LLDF_TEXT, Case, Log, Raw, Row
from writers.bmc.control import Table
from writers.bmc.rows import Column

PAGES = (LLDF_TEXT, DLCI)
ABSENT = "the value is not in the log record: LOB values are kept in data sets of their own"


def cases() -> Iterator[Case]:
    """All of them."""
    yield from page_examples()
    yield from numbers()
    yield from floats()
    yield from times()
    yield from texts()
    yield from others()
    yield from nulls()
    yield from silent_points()
    yield from code_pages()


def table(*columns: Column, scheme: str = "E") -> Table:
    """A table of these columns."""
    return Table(columns=columns, encoding_scheme=scheme)


def case(name: str, title: str, log: Log, **given: Any) -> Case:
    """A case of row images."""
    return log.case("bmc_row_image", name, title, given.pop("doc_ref", PAGES), **given)


def of_one_column(name: str, title: str, column: Column, values: Sequence[Any], **given: Any) -> Case:
    """A case of one column (behind a number that names the row) with several values.

    A value is what is given to the encoder, or a `Raw`.
    """
    log = Log(table(Column("ROW", "INT", 4), column))
    for number, value in enumerate(values, 1):
        log.insert({"ROW": number, column.name: value})
    return case(name, title, log, **given)


def page_examples() -> Iterator[Case]:
    """The three examples of the page: a five-character field, not nullable, nullable, and null."""
    for name, nulls, value, shown in (
        ("page_not_nullable", "N", "ABCDE", "X'0005' ABCDE"),
        ("page_nullable", "Y", "ABCDE", "X'00' X'0005' ABCDE"),
        ("page_null", "Y", None, "X'FF' X'0000'"),
    ):
        log = Log(table(Column("FIELD", "VCHR", 5, nulls=nulls)))
        log.insert({"FIELD": value})
        yield case(name, f"The page's example: {shown}", log, doc_ref=LLDF_TEXT)


def numbers() -> Iterator[Case]:
    """Whole and decimal numbers."""
    for size, word in ((2, "SMALLINT"), (4, "INTEGER"), (8, "BIGINT")):
        most = 1 << (8 * size - 1)
        values = [0, 1, -1, most - 1, -most]
        yield of_one_column(
            f"int_{size}", f"INT of {size} bytes ({word}): zero, one, edges", Column("N", "INT", size), values
        )
    values = ["0.00", "0.01", "-0.01", "-12.30", "9999999.99", "-9999999.99"]
    title = "DEC(9,2): zero, cents, negative, the edges; the scale is kept"
    yield of_one_column("dec_9_2", title, Column("D", "DEC", 9, 2), values)
    title = "DEC(4,0) and an even number of digits: zero, negative, edges"
    yield of_one_column("dec_4_0", title, Column("D", "DEC", 4, 0), ["0", "-1", "9999", "-9999"])
    title = "DEC(5,5): nothing in front of the point"
    yield of_one_column("dec_5_5", title, Column("D", "DEC", 5, 5), ["0.00000", "0.00001", "-0.99999"])
    many = "9" * 21 + "." + "9" * 10
    longest = [Raw(bytes.fromhex("9" * 31 + "C"), many), Raw(bytes.fromhex("9" * 31 + "D"), "-" + many), "0.0000000001"]
    yield of_one_column("dec_31_10", "DEC(31,10), the longest", Column("D", "DEC", 31, 10), longest)
    whole = [Raw(bytes.fromhex("1" + "0" * 30 + "C"), "1" + "0" * 30), "0"]
    yield of_one_column("dec_31_0", "A whole number of 31 digits, without an exponent", Column("D", "DEC", 31), whole)
    signs = [Raw(bytes.fromhex(f"00123{sign}"), "-1.23" if sign in "BD" else "1.23") for sign in "ABCDEF"]
    title = "Sign half bytes: A C E F plus, B D minus; minus zero is zero"
    yield of_one_column("dec_signs", title, Column("D", "DEC", 5, 2), signs)
    for unit in ("bytes", "precision"):
        log = Log(table(Column("D", "DEC", 9, 2), Column("E", "DEC", 1, 0, nulls="Y")))
        log.insert({"D": "-0.01", "E": "-7"})
        title = f"LLCOLUMNLEN of DEC counts {unit}, as LOGLOGBYTES proves"
        yield case(f"dec_length_in_{unit}", title, log, control={"dec_length": unit})


def hfp(raw: str) -> Raw:
    """Bytes of hexadecimal floating point with their value: fraction times 16 to the power, sign in front."""
    first, digits = int(raw[:2], 16), raw[2:]
    value = Fraction(int(digits, 16), 16 ** len(digits)) * Fraction(16) ** ((first & 0x7F) - 64)
    return Raw(bytes.fromhex(raw), float(-value if first & 0x80 else value))


def floats() -> Iterator[Case]:
    """Floating point, hexadecimal and IEEE."""
    long = [hfp(raw) for raw in (
        "0000000000000000", "4110000000000000", "C110000000000000", "C276A00000000000", "401999999999999A",
        "7FFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFF", "0010000000000000", "4200100000000000", "4600000000000001",
        "0000000000000001",
    )]  # fmt: skip
    title = "FLOT of 8 bytes, hexadecimal: zero, ±1, -118.625, 0.1, the edges, and fractions that are not normalised"
    yield of_one_column("float_hfp_8", title, Column("F", "FLOT", 8), long, doc_ref=DLCI)
    short = [hfp(raw) for raw in ("00000000", "41100000", "C276A000", "40280000", "7FFFFFFF", "00100000", "46000001")]
    title = "FLOT of 4 bytes, hexadecimal: zero, 1, -118.625, 0.15625, the edges, and one that is not normalised"
    yield of_one_column("float_hfp_4", title, Column("F", "FLOT", 4), short, doc_ref=DLCI)
    for size in (4, 8):
        log = Log(table(Column("ROW", "INT", 4), Column("F", "FLOT", size, nulls="Y")), floats="ieee")
        for number, value in enumerate((0.0, 1.0, -118.625, 0.15625, None), 1):
            log.insert({"ROW": number, "F": value})
        yield case(f"float_ieee_{size}", f"FLOT of {size} bytes, IEEE, as told", log, doc_ref=DLCI, floats="ieee")
    log = Log(table(Column("F", "FLOT", 8)))
    for raw, text in (("7FF0000000000000", "Infinity"), ("FFF0000000000000", "-Infinity"), ("7FF8000000000000", "NaN")):
        log.insert({"F": Raw(bytes.fromhex(raw), text)})
    yield case("float_ieee_special", "IEEE values that are no numbers are text", log, doc_ref=DLCI, floats="ieee")


def times() -> Iterator[Case]:
    """Dates, times, timestamps."""
    days = ["2026-03-14", "0001-01-01", "9999-12-31", "2024-02-29"]
    yield of_one_column("date", "DATE: first and last day, leap day", Column("T", "DATE"), days)
    clocks = ["13:32:00", "00:00:00", "23:59:59", "24:00:00"]
    yield of_one_column("time", "TIME, 24.00.00 too", Column("T", "TIME"), clocks)
    for size in (19, 21, 26, 29, 32):
        digits = max(size - 20, 0)
        fraction = "." + "000123456789"[:digits] if digits else ""
        values = [f"2026-03-14T10:11:12{fraction}", "0001-01-01T00:00:00", "9999-12-31T24:00:00"]
        title = f"DTTM of {size} characters: TIMESTAMP({digits}), all its digits; first and last year, 24.00.00"
        yield of_one_column(f"timestamp_{digits}", title, Column("T", "DTTM", size), values)
    for size in (25, 32, 38):
        digits = max(size - 26, 0)
        fraction = "." + "000123456789"[:digits] if digits else ""
        values = [f"2026-03-14T10:11:12{fraction}{zone}" for zone in ("+01:00", "-05:30", "+00:00", "+14:00", "-12:59")]
        title = f"DTTZ of {size} characters: TIMESTAMP({digits}) WITH TIME ZONE, and its edges"
        yield of_one_column(f"timestamp_tz_{digits}", title, Column("T", "DTTZ", size), values)
    log = Log(table(Column("DAY", "DATE"), Column("AT", "TIME")))
    sas = {"DAY": "14MAR2026 ", "AT": "13:32:00"}
    log.insert({name: Raw(text.encode("cp037"), text.rstrip()) for name, text in sas.items()})
    title = "DLDS says SAS dates, whose form is not published: they stay text"
    yield case("sas_dates", title, log, control={"dlds_fields": {"date_format": "SASTIME"}})


def texts() -> Iterator[Case]:
    """Character and bit data."""
    values = ["AB", "", " B", "ABCDEF", "a b"]
    title = "CHAR(6): trailing blanks go, leading ones stay"
    yield of_one_column("char", title, Column("C", "CHAR", 6, subtype="S"), values)
    untrimmed = [Raw(value.ljust(6).encode("cp037"), value.ljust(6)) for value in values]
    title = "CHAR(6) with trailing blanks, on request"
    yield of_one_column("char_untrimmed", title, Column("C", "CHAR", 6, subtype="S"), untrimmed, trim="false")
    for type_ in ("VCHR", "LVCH"):
        title = f"{type_}: as it is, blanks and all; empty; the longest"
        values = ["two  blanks ", "", "X" * 20]
        yield of_one_column(type_.lower(), title, Column("C", type_, 20, nulls="Y", subtype="S"), [*values, None])
    bits = [b"\x00\xff\x40\x01", b"\x40\x40\x40\x40", bytes(4)]
    title = "CHAR FOR BIT DATA: bytes, and X'40' is no blank"
    yield of_one_column("char_bits", title, Column("B", "CHAR", 4, subtype="B"), bits)
    title = "VARCHAR FOR BIT DATA: bytes, empty, null"
    yield of_one_column("vchr_bits", title, Column("B", "VCHR", 4, nulls="Y", subtype="B"), [b"\x00\x40", b"", None])
    for expand in ("N", "Y"):
        log = Log(
            table(Column("A", "VCHR", 8, nulls="Y"), Column("B", "VCHR", 4, subtype="B")), expand_var=expand == "Y"
        )
        log.insert({"A": "abc", "B": b"\x01"})
        log.insert({"A": None, "B": b""})
        title = (
            f"EXPANDVAR {expand}: varying columns {'padded to' if expand == 'Y' else 'not padded to'} their full length"
        )
        yield case(f"expandvar_{expand.lower()}", title, log, control={"dlds_fields": {"expand_var": expand}})


def others() -> Iterator[Case]:
    """Graphic, LOB, ROWID, and a type that is not listed."""
    wide = [b"\x42\xc1\x42\xc2", b"\x42\xc1\x40\x40"]
    title = "GRPH of an EBCDIC table whose double-byte page has no table: bytes"
    yield of_one_column("graphic_ebcdic", title, Column("G", "GRPH", 2), wide)
    log = Log(table(*(Column(type_, type_, 4, nulls="Y") for type_ in ("GRPH", "VGRF", "LVGR")), scheme="U"))
    log.insert({"GRPH": "日本", "VGRF": "東京 ", "LVGR": ""})
    log.insert(dict.fromkeys(("GRPH", "VGRF", "LVGR")))
    yield case("graphic_unicode", "GRPH, VGRF, LVGR of a Unicode table: UTF-16, null too", log)
    log = Log(table(Column("G", "VGRF", 4), Column("N", "INT", 2), scheme="U"), graphic_len="chars")
    log.insert({"G": "東京", "N": 1})
    log.insert({"G": "", "N": 2})
    yield case("graphic_length_in_characters", "VGRF whose halfword counts characters, as the images prove", log)
    log = Log(table(*(Column(type_, type_, 1048576, nulls="L") for type_ in ("BLOB", "CLOB", "DBCL"))))
    log.insert({"BLOB": b"", "CLOB": b"", "DBCL": b""}, detail=None)
    log.insert({"BLOB": None, "CLOB": b"", "DBCL": None})
    log.insert(dict.fromkeys(("BLOB", "CLOB", "DBCL")))
    detail = [
        {"absent": {f"after.{name}": ABSENT for name in names}} for names in (("BLOB", "CLOB", "DBCL"), ("CLOB",))
    ]
    title = "LOB columns: the values stand elsewhere, which is said; and null ones"
    yield case("lobs", title, log, edit={0: {"detail": detail[0]}, 1: {"detail": detail[1]}})
    title = "ROWID of 17 bytes"
    yield of_one_column("rowid", title, Column("R", "ROWI", 17), [bytes(range(0xC0, 0xD1))])
    title = "A type that is not listed (DECF): its bytes, by LOGLOGBYTES, and null"
    yield of_one_column(
        "unlisted_type", title, Column("X", "DECF", 8, nulls="Y"), [bytes.fromhex("2238000000000001"), None]
    )
    title = "BIGINT that is the document id of XML columns (subtype D), and an inline LOB (subtype I)"
    log = Log(table(Column("DOCID", "INT", 8, subtype="D"), Column("INLINE", "VCHR", 8, subtype="I")))
    log.insert({"DOCID": 77, "INLINE": Raw(b"\x00\x01", "0001")})
    yield case("subtypes_d_and_i", title, log)


NULLABLE = (
    Column("SMALL", "INT", 2, nulls="Y"),
    Column("WHOLE", "INT", 4, nulls="Y"),
    Column("BIG", "INT", 8, nulls="Y"),
    Column("AMOUNT", "DEC", 9, 2, nulls="Y"),
    Column("RATIO", "FLOT", 8, nulls="Y"),
    Column("WEIGHT", "FLOT", 4, nulls="Y"),
    Column("CODE", "CHAR", 4, nulls="Y", subtype="S"),
    Column("BITS", "CHAR", 4, nulls="Y", subtype="B"),
    Column("NOTE", "VCHR", 20, nulls="Y", subtype="M"),
    Column("LONG_NOTE", "LVCH", 20, nulls="Y", subtype="S"),
    Column("WIDE", "GRPH", 2, nulls="Y"),
    Column("WIDER", "VGRF", 4, nulls="Y"),
    Column("LONG_WIDE", "LVGR", 4, nulls="Y"),
    Column("DAY", "DATE", nulls="Y"),
    Column("AT", "TIME", nulls="Y"),
    Column("STAMP", "DTTM", 26, nulls="Y"),
    Column("ZONED", "DTTZ", 32, nulls="Y"),
    Column("ROW_ID", "ROWI", 17, nulls="Y"),
    Column("PHOTO", "BLOB", 1000, nulls="L"),
    Column("TEXT", "CLOB", 1000, nulls="L"),
    Column("WIDE_TEXT", "DBCL", 1000, nulls="L"),
)
"""Every listed type as a nullable column."""

VALUES: Row = {
    "SMALL": -32768,
    "WHOLE": 498,
    "BIG": -(2**40),
    "AMOUNT": "-0.01",
    "RATIO": -118.625,
    "WEIGHT": 0.15625,
    "CODE": "AB",
    "BITS": b"\x00\xff\x40\x01",
    "NOTE": "a note",
    "LONG_NOTE": "a longer note",
    "WIDE": b"\x42\xc1\x42\xc2",
    "WIDER": b"\x42\xc3",
    "LONG_WIDE": b"",
    "DAY": "2026-03-14",
    "AT": "13:32:00",
    "STAMP": "2026-03-14T10:11:12.000123",
    "ZONED": "2026-03-14T10:11:12.500000+01:00",
    "ROW_ID": bytes(range(0xC0, 0xD1)),
    "PHOTO": None,
    "TEXT": None,
    "WIDE_TEXT": None,
}


def nulls() -> Iterator[Case]:
    """Every type with and without null, and both ways of a null of fixed length."""
    for present in ("present", "absent"):
        log = Log(table(*NULLABLE), null_bytes=present)
        log.insert(VALUES)
        log.insert(dict.fromkeys(VALUES))
        log.change("UB", dict.fromkeys(VALUES), VALUES)
        log.change("D", dict.fromkeys(VALUES))
        title = f"Every column type with a value and null; a null of fixed length has its value bytes {present}"
        yield case(f"every_type_null_bytes_{present}", title, log)
    fixed = tuple(replace(column, nulls="N") for column in NULLABLE if column.type not in ("BLOB", "CLOB", "DBCL"))
    log = Log(table(*fixed))
    log.insert({column.name: VALUES[column.name] for column in fixed})
    yield case("every_type_not_null", "Every column type that is not nullable", log)
    log = Log(table(Column("ID", "INT", 4), *(Column(f"C{number}", "CHAR", 1, nulls="Y") for number in range(1, 9))))
    for bits in (0, 255, 0b01010101):
        values = {f"C{number}": None if bits >> number - 1 & 1 else "X" for number in range(1, 9)}
        log.insert({"ID": bits, **values})
    yield case("nulls_mixed", "Null and not null side by side", log)


def silent_points() -> Iterator[Case]:
    """Where the pages are silent: what is shown does not depend on it."""
    for base in (0, 2, 4):
        log = Log(table(Column("A", "INT", nulls="Y"), Column("B", "VCHR", 5), Column("C", "INT")))
        log.insert({"A": 1, "B": "xyz", "C": 2})
        title = f"LLCOLUMNPOS that counts from {base}: only the order of the columns counts"
        yield case(f"column_positions_from_{base}", title, log, control={"pos_base": base})
    log = Log(table(Column("A", "CHAR", 2), Column("B", "CHAR", 2)))
    log.insert({"A": "a1", "B": "b1"})
    records = log.example().control_records
    at = [index for index, record in enumerate(records) if record[:4] == "DLCI".encode("cp037")]
    records[at[0]], records[at[1]] = records[at[1]], records[at[0]]
    title = "DLCI records in another order than LLCOLUMNNUM: the numbers rule"
    yield case("columns_out_of_order", title, log, control_records=records, doc_ref=DLCI)


def code_pages() -> Iterator[Case]:
    """Encoding schemes and CCSIDs."""
    columns = (Column("C", "CHAR", 12, subtype="S"), Column("V", "VCHR", 20, nulls="Y", subtype="M"))
    log = Log(table(*columns, scheme="U"))
    log.insert({"C": "Größe", "V": "Käse 日本"})
    log.insert({"C": "", "V": None})
    yield case("unicode_table", "A Unicode table: UTF-8", log)
    log = Log(table(*columns, scheme="A"))
    log.insert({"C": "Größe", "V": "plain"})
    yield case("ascii_table", "An ASCII table: CCSID 819, as XTYP says", log)
    log = Log(table(*columns, scheme="A"))
    log.insert({"C": Raw("€ 5".encode("cp1252"), "€ 5"), "V": Raw("Größe".encode("cp1252"), "Größe")})
    pages = {"xtyp_fields": {"ascii_single_ccsid": 1252, "ascii_mixed_ccsid": 1252}}
    yield case("ascii_table_1252", "An ASCII table: CCSID 1252, as XTYP says", log, control=pages)
    for ccsid, euro in ((273, ""), (1141, "€")):
        # 1141 is 273 with the euro sign at X'9F'.
        log = Log(table(*columns))
        texts = {"C": f"Größe{euro}", "V": "ÄÖÜäöüß §@[]{}|~"}
        as_273 = {name: text.replace("€", "\N{CURRENCY SIGN}").encode("cp273") for name, text in texts.items()}
        log.insert({name: Raw(as_273[name], text) for name, text in texts.items()})
        title = f"German EBCDIC, CCSID {ccsid}, as XTYP says: umlauts, §, @ and brackets"
        yield case(f"german_{ccsid}", title, log, control={"xtyp_fields": {"ebcdic_single_ccsid": ccsid}})
    log = Log(table(Column("C", "CHAR", 4, subtype="S")))
    log.insert({"C": Raw(b"\xc0\x4f\xd0\x5a", "ä!üÜ")})
    title = "XTYP says 37, the option says 273: the option holds"
    yield case("code_page_option", title, log, code_page="cp273")
