"""New: writes a skeleton of a spec, with a file that it reads and a bad one.

The texts are in `skeleton/`; the bytes are made here from the values that are expected, never read back from a parser.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from lmparse.errors import OptionError
from lmparse.spec.build.lint import RESERVED_IDS
from lmparse.spec.build.specs import SUFFIX, real_path, shown
from lmparse.storage.outputs import write_files

_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", re.ASCII)


def new(spec_id: str, formats: Path, program: str) -> list[str]:
    """Write the skeleton of a spec into a formats folder, and its cases into `tests/cases` and `tests/cases_bad` beside
    that folder; returns the lines that list the next steps.

    Raises OptionError for what is no id or that of a spec; nothing is written then.
    """
    if not _ID.fullmatch(spec_id):
        raise OptionError(f"{spec_id!r} is not an id: it is <family>_<thing> in lower case, such as acme_reading")
    if spec_id in RESERVED_IDS:
        raise OptionError(f"{spec_id!r} means something else in the generated code")
    root = real_path(formats).parent
    good, bad = Path("tests", "cases", spec_id), Path("tests", "cases_bad", spec_id)
    spec = Path(real_path(formats).name, spec_id.split("_")[0], f"{spec_id}{SUFFIX}")
    for path in (root / spec, root / good, root / bad):
        if os.path.lexists(path):
            raise OptionError(f"{shown(path)} is there: {spec_id} is the id of a spec already")
    first, second = _record(b"FIRST"), _record(b"SECOND", b"\1\2")
    head, title = _text("head"), spec_id.replace("_", " ").capitalize()
    good_head = head.format(program=program, title="Two records, one with bytes behind the fields that are known")
    bad_head = head.format(program=program, title="A record that ends inside its name")
    files = {
        good / "first.yaml": (good_head + _text("good")).encode(),
        good / "first.bin": _framed(first, second),
        bad / "cut.yaml": (bad_head + _text("bad")).encode(),
        bad / "cut.bin": _framed(first, second[:5]),
        spec: _text("spec").format(id=spec_id, title=title).encode(),
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


def _text(name: str) -> str:
    """A part of the skeleton, with fields to fill in."""
    return (Path(__file__).with_name("skeleton") / f"{name}.txt").read_text("utf-8")


def _record(name: bytes, rest: bytes = b"") -> bytes:
    """A record: its length in two bytes, a name of eight in EBCDIC, and what is behind."""
    return (10 + len(rest)).to_bytes(2, "big") + name.ljust(8).decode().encode("cp037") + rest


def _framed(*records: bytes) -> bytes:
    """Records behind record descriptor words: a length that includes the word, and two zero bytes."""
    return b"".join((len(record) + 4).to_bytes(2, "big") + bytes(2) + record for record in records)
