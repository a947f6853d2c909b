"""What may be behind an optional field inside which a record ends, in both engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from spec.test_step_budget import built

import lmparse
from lmparse import cli
from lmparse.export.conversion import Conversion
from lmparse.export.convert import convert
from lmparse.logs.families import read_options

REST = "{id: r, size-eos: true, -lm-type: rest}"
CUT = f"{{id: n, type: u1}}, {{id: a, type: u2, if: not _io.eof}}, %s, {REST}"
"""Two bytes end inside `a`."""
PART = f"{{seq: [{{id: n, type: u1}}, {{id: a, type: u2, if: not _io.eof}}, {REST}]}}"
CASES: dict[str, tuple[str, bool]] = {
    "optional fields": (CUT % "{id: c, type: u1, if: not _io.eof}", True),
    "bytes that are left": (CUT % "{id: c, size-eos: true}", True),
    "text that is left": (CUT % "{id: c, size-eos: true, -codec: cp037}", True),
    "nothing but the rest of a part": ("{id: p, type: part}", True),
    "behind the part an optional field": ("{id: p, type: part}, {id: c, type: u1, if: not _io.eof}", True),
    "a number": (CUT % "{id: c, type: u1}", False),
    "a condition that does not hold": (CUT % "{id: c, type: u1, if: n == 2}", False),
    "a list of no items": (CUT % "{id: c, type: u1, repeat: expr, repeat-expr: n - 1}", False),
    "a certain text": (CUT % "{id: c, size-eos: true, type: str, encoding: ASCII, valid: '\"END\"'}", False),
    "behind the part a number": ("{id: p, type: part}, {id: c, type: u1}", False),
    "the end of a part only": (f"{{id: p, type: part, size: 2}}, {{id: c, size-eos: true}}, {REST}", True),
}
"""Fields behind the cut one, and whether the record is read all the same: none of them can need a byte."""


def _rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spec: str, raw: bytes, fault: str | int | None = "LMP-R001"
) -> list[dict[str, Any]]:
    """The rows of a file of one record, the same in both engines; none where it has the fault."""
    (tmp_path / "one").write_bytes((len(raw) + 4).to_bytes(2, "big") + bytes(2) + raw)
    found = []
    for engine in ("columnar", "kaitai"):
        command = ["records", str(tmp_path / "one"), "--spec", f"{tmp_path}/out/{spec}", "--framing", "rdw"]
        code = cli.main([*command, "--engine", engine])
        out, err = capsys.readouterr()
        assert (code == 0) == (str(fault) not in err) == (out != ""), (spec, code, err)
        found.append(out)
    assert found[0] == found[1]
    return [json.loads(line) for line in found[0].splitlines()]


def test_what_is_behind_the_cut_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s").mkdir()
    for number, (seq, _) in enumerate(CASES.values()):
        types = f"types: {{part: {PART}}}\n" if "type: part" in seq else ""
        text = f"meta: {{id: acme_{number}, title: A, endian: be}}\nseq: [{seq}]\n{types}"
        (tmp_path / "s" / f"acme_{number}.ksy").write_text(text)
    assert cli.main(["build", "--formats", str(tmp_path / "s"), "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    for number, (name, (_, is_read)) in enumerate(CASES.items()):
        rows = _rows(tmp_path, capsys, f"acme_{number}", b"\1\7")
        assert [(row.get("p") or row).get("r") for row in rows] == ["07"] * is_read, name


INSTANCES_BEHIND: dict[str, tuple[str, int | str | None]] = {
    "in the record": ("{pos: 1, type: u1}", 7),
    "not there": ("{pos: 1, type: u4, if: n == 2}", None),
    "behind the record": ("{pos: 1, type: u4}", "LMP-R001"),
    "another value": ("{pos: 1, type: u1, valid: 8}", "LMP-V009"),
    "a text": ("{pos: 1, size: 1, type: str, encoding: ASCII, if: n == 1}", "\a"),
    "another text": ("{pos: 0, size: 1, type: str, encoding: ASCII, if: n == 1, valid: '\"X\"'}", "LMP-V009"),
    "at the cut field": ("{pos: a, type: u1}", "LMP-R012"),
}
"""Instances of a record that ends inside an optional field, and their value or the code of their fault."""


def test_instances_of_a_record_that_ends_inside_a_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s").mkdir()
    fields = f"seq: [{{id: n, type: u1}}, {{id: a, type: u2, if: not _io.eof}}, {REST}]"
    for number, (instance, _) in enumerate(INSTANCES_BEHIND.values()):
        text = f"meta: {{id: acme_{number}, title: A, endian: be}}\n{fields}\ninstances: {{k: {instance}}}\n"
        (tmp_path / "s" / f"acme_{number}.ksy").write_text(text)
    assert cli.main(["build", "--formats", str(tmp_path / "s"), "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    for number, (name, (_, wanted)) in enumerate(INSTANCES_BEHIND.items()):
        code = wanted if str(wanted).startswith("LMP") else None
        rows = _rows(tmp_path, capsys, f"acme_{number}", b"\1\7", code)
        assert rows == ([] if code else [{"n": 1, "a": None, "r": "07", "k": wanted}]), name
        command = ["explain", str(tmp_path / "one"), "--spec", f"{tmp_path}/out/acme_{number}", "--framing", "rdw"]
        assert cli.main(command) == (20 if code else 0), name
        assert (code or "read with framing") in capsys.readouterr().out, name


UNREAD = """seq:
- {id: n, type: u1}
- {id: part, type: {switch-on: n, cases: {1: one}}, size: 3}
types: {one: {seq: [{id: x, type: u1}]}}
"""


def test_bytes_that_no_field_has_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Inside a part and behind all of them; in mode failfast they are an error."""
    spec = built(tmp_path, UNREAD).spec.name
    log = tmp_path / "log"
    log.write_bytes(b"\1\2\3\4\1\1\2\0\0\5")
    words = ["--spec", spec, "--framing", "fixed", "--record-length", "5", "--engine", "kaitai"]
    for command in (["records", str(log)], ["convert", str(log), str(tmp_path / "out.jsonl")]):
        assert cli.main([*command, *words]) == 0
        said = "note: 6 bytes are in no field, in 2 records, the first one record 0 at 0x0 [LMP-R003]"
        assert said in capsys.readouterr().err.splitlines()
    for engine in ("kaitai", "columnar", "check"):
        table = lmparse.read_table(log, spec=spec, framing="fixed", record_length=5, engine=engine)
        assert json.loads(table.schema.metadata[b"lmparse.notices"]) == [said.removeprefix("note: ")]
    options = read_options({"spec": spec, "framing": "fixed", "record_length": 5})
    asked = Conversion(str(log), str(tmp_path / "out.parquet"), options, jobs=2, part_bytes=5)
    assert convert(asked, lambda error: None).tally.notices == [said.removeprefix("note: ")]
    assert cli.main(["records", str(log), *words, "--mode", "failfast"]) == 20
    assert "record 0 at 0x0: acme_a: 3 bytes are in no field [LMP-R003]" in capsys.readouterr().err
    assert cli.main(["check", str(log), "--spec", spec, *words[2:6]]) == 24
    assert "bytes in no field: 6, in 2 of the records; the first at 0x2 of record 0" in capsys.readouterr().out
