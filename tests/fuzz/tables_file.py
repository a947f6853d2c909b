"""Tables or a LmparseError from a tables file of any text, and both engines alike under it, in bounded memory.

An input changes the lines of a case's tables file; the log is that of the case, and all of its bytes are accounted for.
"""

from __future__ import annotations

from contextlib import suppress

from fuzz.db2_log import form
from fuzz.edits import Source, edited_lines, inputs
from fuzz.invariants import accounted, changes_agree
from fuzz.seeds import put, seeds
from lmparse.db2.tables.table import read_tables_file
from lmparse.errors import LmparseError

CASES = seeds(lambda seed: seed.beside(".tables") is not None)
SEEDS = inputs(len(CASES))
_TEXTS = (
    "CHAR(10)", "VARCHAR(32672)", "VARGRAPHIC(5)", "DECIMAL(31,31)", "DECIMAL(5,6)", "DECFLOAT(34)", "BLOB(2G)",
    "CLOB", "TIMESTAMP(12)", "TIMESTAMP(6)", "DATE", "XML", "BOOLEAN", "LONG VARCHAR", "CHAR(0)", "INT", "INT(5)",
    "BIGINT", "CHAR(5) FOR BIT DATA", "tables:", "columns:", "      - name: COL1\n", "        type: ", "nullable: ",
    "true", "no", "~", "&a", "*a", "<<: *a", "!!binary ", "!x", "? ", "- ", "[", "]", "{", "}", "|", ">", "'", '"',
    "# ", "---\n", "...\n", "\t", "\ufeff", "\x00", "0x10", "1e9", ".inf", ".nan", "2026-03-14", "12:30:45", "-1",
    "65536", "9" * 200, "\n", "  ",
)  # fmt: skip
WORDS = [text.encode() for text in _TEXTS] + [b"\xff", b"\xed\xa0\x80"]


def target(data: bytes) -> None:
    source = Source(data)
    seed = source.pick(CASES, 2)
    lines = (seed.beside(".tables") or b"").splitlines(keepends=True)
    path = put("a.tables", b"".join(edited_lines(lines, source, WORDS, b": ")))
    with suppress(LmparseError):
        read_tables_file(str(path))
    options = {"spec": "db2_log", "tables": str(path), "include": "all", **form(seed)}
    log = put("a.log", seed.data)
    changes_agree(log, **options)
    accounted(log, **options)
