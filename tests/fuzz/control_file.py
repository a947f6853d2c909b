"""Values or a LmparseError from a control file and the log it describes, both engines alike, all bytes accounted for.

An input changes the records of a case's control file, in any z/OS framing; the data file is that of the case, or the
control file is read as a file of records. Memory is bounded.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from fuzz.edits import WORDS, Source, edited_with, inputs
from fuzz.invariants import accounted, changes_agree, records_agree
from fuzz.put_together import zos
from fuzz.seeds import Seed, put, seeds
from lmparse.bmc.control.control_file import read_control
from lmparse.errors import LmparseError
from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.spec import catalog
from lmparse.values import codepages

CASES = seeds(lambda seed: seed.beside(".ctl") is not None)
SEEDS = inputs(len(CASES))
_TYPES = [code.text or "" for code in catalog.load("bmc_dlci").layout["ll_column_type"].codes]
_DIGITS = ["00000", "00001", "32767", "99999", "01208", "0", "9", "Y", "N", "SAS DATE"]
_EBCDIC = [text.encode("cp037") for text in (*_TYPES, *_DIGITS)]


def target(data: bytes) -> None:
    source = Source(data)
    seed = source.pick(CASES, 2)
    chosen, named = source.number(), source.number()
    framing, content = zos(edited_with(_records(seed), source, (*_EBCDIC, *WORDS)), named)
    path = put("a.ctl", content)
    if chosen % 4 == 1:
        records_agree(path, spec="bmc_control", framing=framing)
        accounted(path, spec="bmc_control", framing=framing)
    with suppress(LmparseError):
        read_control(path, code_page=codepages.lookup("cp037") if chosen % 8 == 2 else None)
    log = put("a.dat", seed.data)
    options = {"control": str(path), "include": "all", "control_framing": framing if named & 128 else "auto"}
    changes_agree(log, **options)
    accounted(log, **options)


@cache
def _records(seed: Seed) -> tuple[bytes, ...]:
    """The records of a case's control file; its bytes where it has no sound framing."""
    data = seed.beside(".ctl") or b""
    with suppress(LmparseError):
        file = open_file(put("seed.ctl", data), Options(spec="bmc_control"))
        return tuple(extent.read(file.buffer) for extent in file.extents())
    return (data,)
