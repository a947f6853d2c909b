"""Names of code pages: the values of `-codec` of a field. `lmparse.values.codepages` has the decoders.

A name that is a number, with or without a prefix, is a CCSID; all other names are Python's.
"""

from __future__ import annotations

import re
from encodings import normalize_encoding
from encodings.aliases import aliases
from functools import lru_cache
from typing import Literal, NamedTuple

PAGES_OF_THE_FILE = ("ebcdic", "database")
"""Words for the code page of the file or of its database."""


class PageName(NamedTuple):
    """The names of a code page."""

    name: str
    """`cp037`, or another usual name (`utf-8`, `iso8859-1`)."""
    ccsid: int
    kind: Literal["sbcs", "mbcs", "utf"]
    """One byte for each character, one or more bytes for each character, or a Unicode form."""
    codec: str | None
    """Python's codec; None for an EBCDIC page, whose table lmparse has."""


@lru_cache(maxsize=256)
def maybe_named(name: str | int) -> PageName | None:
    """The code page with a name or CCSID; None if it is unknown or has no codec, such as mixed EBCDIC (939)."""
    ccsid = number_in(name)
    if ccsid is not None:
        return PAGES.get(ccsid)
    word = normalize_encoding(str(name).strip().lower())
    return _BY_CODEC.get(aliases.get(word, word))


def number_in(name: str | int) -> int | None:
    """The CCSID in a name; None without one."""
    if isinstance(name, int):
        return name
    numbered = _NUMBERED.fullmatch(name.strip().lower())
    return int(numbered[1]) if numbered else None


_NUMBERED = re.compile(r"(?:ccsid|code ?page|x-ibm|ibm|cp|windows)?[ _-]?0*(\d{1,5})", re.ASCII)
_EBCDIC = (
    37, 273, 277, 278, 280, 284, 285, 290, 297, 420, 424, 500, 833, 836, 838, 870, 871, 875, 1025, 1026, 1027, 1047,
    1112, 1122, 1123, 1130, 1140, 1141, 1142, 1143, 1144, 1145, 1146, 1147, 1148, 1149, 1153, 1154, 1155, 1156,
    1157, 1158, 1159, 1160, 1164, 4971, 5123, 8482, 12712, 13121, 13124, 16804, 28709,
)  # fmt: skip
_ISO8859 = {819: 1, 912: 2, 913: 3, 914: 4, 915: 5, 1089: 6, 813: 7, 916: 8, 920: 9, 921: 13, 923: 15}
_PC = (437, 737, 775, 850, 852, 855, 856, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869, 874, 1125)
_WINDOWS = {1250: 5346, 1251: 5347, 1252: 5348, 1253: 5349, 1254: 5350, 1255: 9447, 1256: 9448, 1257: 9449, 1258: 5354}
"""CCSIDs of the pages without and with the euro; both stand for the page with the euro."""
_DOUBLE_BYTE = {943: "cp932", 954: "euc_jp", 970: "euc_kr", 1363: "cp949", 1373: "cp950", 1383: "gb2312", 1386: "gbk"}


def _all() -> dict[int, PageName]:
    pages = [PageName(f"cp{ccsid:03d}", ccsid, "sbcs", None) for ccsid in _EBCDIC]
    pages += [PageName("us-ascii", 367, "sbcs", "ascii")]
    pages += [PageName(f"iso8859-{part}", ccsid, "sbcs", f"iso8859_{part}") for ccsid, part in _ISO8859.items()]
    pages += [PageName("koi8-r", 878, "sbcs", "koi8_r"), PageName("koi8-u", 1168, "sbcs", "koi8_u")]
    pages += [PageName(f"cp{ccsid}", ccsid, "sbcs", f"cp{ccsid}") for ccsid in (*_PC, *_WINDOWS)]
    pages += [PageName(f"cp{euro}", euro, "sbcs", f"cp{ccsid}") for ccsid, euro in _WINDOWS.items()]
    pages += [PageName(f"cp{ccsid}", ccsid, "mbcs", codec) for ccsid, codec in _DOUBLE_BYTE.items()]
    pages += [PageName("gb18030", 5488, "mbcs", "gb18030"), PageName("cp1392", 1392, "mbcs", "gb18030")]
    pages += [PageName("utf-8", 1208, "utf", "utf_8"), PageName("utf-16-be", 1200, "utf", "utf_16_be")]
    pages += [PageName(f"cp{ccsid}", ccsid, "utf", "utf_16_be") for ccsid in (1201, 13488, 17584)]
    pages += [PageName("utf-16-le", 1202, "utf", "utf_16_le")]
    return {page.ccsid: page for page in pages}


PAGES = _all()
_BY_CODEC = {page.codec or page.name: page for page in reversed(PAGES.values())}
_BY_CODEC |= {"latin_1": PAGES[819], "utf_16": PAGES[1200]}  # CPython's names; Db2 writes no byte order mark
