"""New: writes a skeleton of a spec, with a file that it reads and a bad one.

The bytes of both are made here from the values that are expected, never read back from a parser.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from lmparse.spec.build.lint import RESERVED_IDS
from lmparse.spec.build.specs import SUFFIX, real_path, shown
from lmparse.storage.outputs import write_files

_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", re.ASCII)

_SPEC = """\
meta:
  id: {id}
  title: {title}
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  What the record is, who writes it, and what its reader should know that no single field says.
doc-ref: 'Name and edition of the manual, "Title of the section"'
seq:
  - id: length
    -orig-id: LENGTH
    -unit: bytes
    -lm-status: documented
    type: u2
    valid:
      min: 10
    doc: Length of the record, these two bytes included
    doc-ref: &table 'Name and edition of the manual, "Title of the section", table'
  - id: name
    -orig-id: NAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: What the name names
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    doc: Bytes behind the fields that are known; kept as they are
    doc-ref: *table
"""
_HEAD = """\
title: {title}
doc-ref: Name and edition of the manual, "Title of the section", table
provenance: {program} new, for the skeleton; synthetic
command: records
options:
  framing: rdw
"""
_GOOD = """\
exit: 0
rows:
  - length: 10
    name: FIRST
  - length: 12
    name: SECOND
    rest: '0102'
"""
_BAD = """\
exit: 20
error:
  code: LMP-R001
  record: 1
  record_offset: 18
  field: name
  field_offset: 2
  message: expected 8 bytes, found 3
more_errors: 0
good_rows: 1
"""


class Refused(Exception):
    """The name is not an id for a spec, or a spec of that name exists."""


def new(spec_id: str, formats: Path, program: str) -> list[str]:
    """Write the skeleton of a spec into a formats folder, and its cases into `tests/cases` and `tests/cases_bad` beside
    that folder; returns the lines that list the next steps.

    Raises Refused; nothing is written then.
    """
    if not _ID.fullmatch(spec_id):
        raise Refused(f"{spec_id!r} is not an id: it is <family>_<thing> in lower case, such as acme_reading")
    if spec_id in RESERVED_IDS:
        raise Refused(f"{spec_id!r} means something else in the generated code")
    root = real_path(formats).parent
    good, bad = Path("tests", "cases", spec_id), Path("tests", "cases_bad", spec_id)
    spec = Path(real_path(formats).name, spec_id.split("_")[0], f"{spec_id}{SUFFIX}")
    for path in (root / spec, root / good, root / bad):
        if os.path.lexists(path):
            raise Refused(f"{shown(path)} is there: {spec_id} is the id of a spec already")
    first, second = _record(b"FIRST"), _record(b"SECOND", b"\1\2")
    good_head = _HEAD.format(program=program, title="Two records, one with bytes behind the fields that are known")
    bad_head = _HEAD.format(program=program, title="A record that ends inside its name")
    files = {
        good / "first.yaml": (good_head + _GOOD).encode(),
        good / "first.bin": _framed(first, second),
        bad / "cut.yaml": (bad_head + _BAD).encode(),
        bad / "cut.bin": _framed(first, second[:5]),
        spec: _SPEC.format(id=spec_id, title=spec_id.replace("_", " ").capitalize()).encode(),
    }
    write_files(root, {str(path): data for path, data in files.items()})
    where = shown(formats)
    return [
        *(shown(root / path) for path in files),
        "",
        "What to do next:",
        f"1. put the fields of the manual's table into {shown(root / spec)}: one line, one field",
        f"2. {program} lint --formats {where} && {program} --formats {where} --out OUT",
        f"3. put bytes and values of real records into {shown(root / good)}; {shown(root / bad)} is for damaged ones",
        f"4. lmparse records {shown(root / good)}/first.bin --spec OUT/{spec_id} --framing rdw",
    ]


def _record(name: bytes, rest: bytes = b"") -> bytes:
    """A record: its length in two bytes, a name of eight in EBCDIC, and what is behind."""
    return (10 + len(rest)).to_bytes(2, "big") + name.ljust(8).decode().encode("cp037") + rest


def _framed(*records: bytes) -> bytes:
    """Records behind record descriptor words: a length that includes the word, and two zero bytes."""
    return b"".join((len(record) + 4).to_bytes(2, "big") + bytes(2) + record for record in records)
