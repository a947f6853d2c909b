"""New: a skeleton of a spec in house style, with a file that it reads and one that is bad.

The bytes of both are put together here from the values that are expected, never read back from a parser.
"""

from __future__ import annotations

import re

from lmparse.spec.build.lint import TAKEN_BY_CLASSES
from lmparse.spec.build.specs import FORMATS

_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", re.ASCII)
_CASES, _BAD_CASES = "tests/cases", "tests/cases_bad"
_PROVENANCE = "python build.py new, for the skeleton; synthetic"
_LENGTH, _NAME = 2, 8
"""Bytes of the two fields that every record of the skeleton has."""

_SPEC = """\
meta:
  id: {id}
  title: {title}
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  What the record is, who writes it, and what its reader should know that no single field says.
doc-ref: '{manual}, "{section}"'
seq:
  - id: length
    -orig-id: LENGTH
    -unit: bytes
    -lm-status: documented
    type: u2
    valid:
      min: {least}
    doc: Length of the record, these two bytes included
    doc-ref: &table '{manual}, "{section}", table'
  - id: name
    -orig-id: NAME
    -codec: ebcdic
    -lm-status: documented
    size: {name}
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
doc-ref: {manual}, "{section}", table
provenance: {provenance}
command: records
options:
  framing: rdw
"""
_GOOD = """\
exit: 0
rows:
  - length: {least}
    name: FIRST
  - length: {longer}
    name: SECOND
    rest: '0102'
"""
_BAD = """\
exit: 20
error:
  code: LMP-R001
  record: 1
  record_offset: {offset}
  field: name
  field_offset: {length}
  message: expected {name} bytes, found 3
more_errors: 0
good_rows: 1
"""


class Refused(Exception):
    """The name is no id for a spec, or something of that name is there."""


def new(spec_id: str) -> list[str]:
    """Write the skeleton of a spec and its two cases; gives the lines that say what to do next.

    Raises Refused, and writes nothing then.
    """
    family = _family(spec_id)
    root = FORMATS.parent
    families = sorted(_families())
    files = skeleton(spec_id)
    for name in sorted({f"{FORMATS.name}/{family}/{spec_id}.ksy", f"{_CASES}/{spec_id}", f"{_BAD_CASES}/{spec_id}"}):
        if (root / name).exists():
            raise Refused(f"{name} is there: {spec_id} is the id of a spec already")
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    lines = [*files, ""]
    if family not in families:
        lines += [f"{family} is a family of its own, beside {', '.join(families)}", ""]
    return [
        *lines,
        "What to do next:",
        f"1. put the fields of the manual's table into {FORMATS.name}/{family}/{spec_id}.ksy: one line, one field",
        "2. python build.py && python build.py lint",
        f"3. put bytes and values of real records into {_CASES}/{spec_id} ({_CASES}/README.md has the form)",
        f"4. pytest tests/laws/test_cases.py tests/laws/test_cases_bad.py -k {spec_id}",
    ]


def skeleton(spec_id: str) -> dict[str, bytes]:
    """The files of a spec by their place in the project."""
    family = _family(spec_id)
    words = {
        "id": spec_id,
        "title": spec_id.replace("_", " ").capitalize(),
        "manual": "Name and edition of the manual",
        "section": "Title of the section",
        "provenance": _PROVENANCE,
        "length": _LENGTH,
        "name": _NAME,
        "least": _LENGTH + _NAME,
        "longer": _LENGTH + _NAME + 2,
    }
    first, second = _record(b"FIRST"), _record(b"SECOND", b"\1\2")
    cut = second[: _LENGTH + 3]
    good, bad = _framed(first, second), _framed(first, cut)
    head = _HEAD.format(**words | {"title": "Two records, one with bytes behind the fields that are known"})
    bad_head = _HEAD.format(**words | {"title": "A record that ends inside its name"})
    offset = len(bad) - len(cut)
    return {
        f"{FORMATS.name}/{family}/{spec_id}.ksy": _SPEC.format(**words).encode(),
        f"{_CASES}/{spec_id}/first.yaml": (head + _GOOD.format(**words)).encode(),
        f"{_CASES}/{spec_id}/first.bin": good,
        f"{_BAD_CASES}/{spec_id}/cut.yaml": (bad_head + _BAD.format(**words | {"offset": offset})).encode(),
        f"{_BAD_CASES}/{spec_id}/cut.bin": bad,
    }


def _family(spec_id: str) -> str:
    """The family that an id begins with: one that is there, or a new word."""
    if not _ID.fullmatch(spec_id):
        raise Refused(f"{spec_id!r} is no id: it is <family>_<thing> in lower case, such as acme_reading")
    if spec_id in TAKEN_BY_CLASSES:
        raise Refused(f"{spec_id!r} means something else in the generated code")
    known = sorted(_families(), key=len, reverse=True)
    return next((family for family in known if spec_id.startswith(f"{family}_")), spec_id.split("_")[0])


def _families() -> set[str]:
    return {path.parent.name for path in FORMATS.glob("*/*.ksy")}


def _record(name: bytes, rest: bytes = b"") -> bytes:
    text = name.ljust(_NAME).decode().encode("cp037")
    return (_LENGTH + _NAME + len(rest)).to_bytes(_LENGTH, "big") + text + rest


def _framed(*records: bytes) -> bytes:
    """Records behind record descriptor words: a length that counts itself, and two zero bytes."""
    return b"".join((len(record) + 4).to_bytes(2, "big") + bytes(2) + record for record in records)
