"""New: writes a skeleton of a spec in house style, with a file that it reads and a bad one.

The bytes of both are made here from the values that are expected, never read back from a parser.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from lmparse.spec.build.specs import FORMATS, SUFFIX, Disk, real_path, shown
from lmparse.spec.build.style import TAKEN_BY_CLASSES
from lmparse.storage.outputs import write_files

_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", re.ASCII)
_MANUAL = {"manual": "Name and edition of the manual", "section": "Title of the section"}
_LENGTH, _NAME = 2, 8
"""Widths in bytes of the two fields that every record of the skeleton has."""

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
provenance: {program} new, for the skeleton; synthetic
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
    """The name is not an id for a spec, or a spec of that name exists."""


def new(spec_id: str, formats: Path, program: str) -> list[str]:
    """Write the skeleton of a spec into a formats folder, and its cases into `tests/cases` and `tests/cases_bad` beside
    that folder; returns the lines that list the next steps.

    Raises Refused; nothing is written then.
    """
    homes = _homes(formats)
    family = _family(spec_id, set(homes))
    spec = formats / homes.get(family, family) / f"{spec_id}{SUFFIX}"
    tests = real_path(formats).parent / "tests"
    good, bad = tests / "cases" / spec_id, tests / "cases_bad" / spec_id
    cases = _cases(good, bad, program)
    files = {Path(os.path.realpath(path.parent), path.name): data for path, data in cases.items()}
    files[Path(os.path.realpath(spec.parent), spec.name)] = _spec(spec_id)
    root = Path(os.path.commonpath([tests, *files]))
    is_there = [path for place in Disk(formats).places() if (path := formats / f"{place}{SUFFIX}").stem == spec_id]
    for path in (*is_there, spec, good, bad):
        if os.path.lexists(path):
            raise Refused(f"{shown(path)} is there: {spec_id} is the id of a spec already")
    write_files(root, {str(path.relative_to(root)): data for path, data in files.items()})
    lines = [*map(shown, (spec, *cases)), ""]
    if family not in homes:
        beside = f", beside {', '.join(sorted(homes))}" if homes else ""
        lines += [f"{family} is a family of its own{beside}", ""]
    return [*lines, "What to do next:", *_steps(spec, good, bad, formats, program)]


def _steps(spec: Path, good: Path, bad: Path, formats: Path, program: str) -> list[str]:
    """The next steps of the author: in the project its tests prove the cases, elsewhere the command reads them."""
    begun = f"1. put the fields of the manual's table into {shown(spec)}: one line, one field"
    real = f"3. put bytes and values of real records into {shown(good)}"
    if real_path(formats) == FORMATS:
        return [
            begun,
            f"2. {program} && {program} lint",
            f"{real} ({shown(good.parent)}/README.md has the form)",
            f"4. pytest tests/laws/test_cases.py tests/laws/test_cases_bad.py -k {spec.stem}",
        ]
    where = shown(formats)
    return [
        begun,
        f"2. {program} lint --formats {where} && {program} --formats {where} --out OUT",
        f"{real}; {shown(bad)} is for damaged ones",
        f"4. lmparse records {shown(good)}/first.bin --spec OUT/{spec.stem} --framing rdw",
    ]


def _spec(spec_id: str) -> bytes:
    words = {"id": spec_id, "title": spec_id.replace("_", " ").capitalize(), "name": _NAME, "least": _LENGTH + _NAME}
    return _SPEC.format(**_MANUAL, **words).encode()


def _cases(good: Path, bad: Path, program: str) -> dict[Path, bytes]:
    """The files of both cases: two records, and two records of which the second ends inside its name."""
    first, second = _record(b"FIRST"), _record(b"SECOND", b"\1\2")
    cut = second[: _LENGTH + 3]
    whole, damaged = _framed(first, second), _framed(first, cut)
    head = _HEAD.format(
        **_MANUAL, program=program, title="Two records, one with bytes behind the fields that are known"
    )
    bad_head = _HEAD.format(**_MANUAL, program=program, title="A record that ends inside its name")
    rows = _GOOD.format(least=len(first), longer=len(second))
    error = _BAD.format(offset=len(damaged) - len(cut), length=_LENGTH, name=_NAME)
    return {
        good / "first.yaml": (head + rows).encode(),
        good / "first.bin": whole,
        bad / "cut.yaml": (bad_head + error).encode(),
        bad / "cut.bin": damaged,
    }


def _family(spec_id: str, known: set[str]) -> str:
    """The family in an id: a known one, or the first word."""
    if not _ID.fullmatch(spec_id):
        raise Refused(f"{spec_id!r} is not an id: it is <family>_<thing> in lower case, such as acme_reading")
    if spec_id in TAKEN_BY_CLASSES:
        raise Refused(f"{spec_id!r} means something else in the generated code")
    longest_first = sorted(known, key=len, reverse=True)
    return next((family for family in longest_first if spec_id.startswith(f"{family}_")), spec_id.split("_")[0])


def _homes(formats: Path) -> dict[str, str]:
    """The folders of the known families, by name."""
    folders = {PurePosixPath(place).parent for place in Disk(formats).places() if "/" in place}
    return {folder.name: str(folder) for folder in folders}


def _record(name: bytes, rest: bytes = b"") -> bytes:
    text = name.ljust(_NAME).decode().encode("cp037")
    return (_LENGTH + _NAME + len(rest)).to_bytes(_LENGTH, "big") + text + rest


def _framed(*records: bytes) -> bytes:
    """Records behind record descriptor words: a length that includes the word, and two zero bytes."""
    return b"".join((len(record) + 4).to_bytes(2, "big") + bytes(2) + record for record in records)
