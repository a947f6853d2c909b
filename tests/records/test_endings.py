"""What may be behind an optional field inside which a record ends, in both engines."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lmparse import cli

REST = "{id: r, size-eos: true, -lm-type: rest}"
SHORT = f"{{id: s, type: short}}, {{id: c, type: u1, if: %s}}, {REST}"
"""A record whose first byte is `s.n`, behind whose part `c` may be."""
CUT = f"{{id: n, type: u1}}, {{id: a, type: u2, if: not _io.eof}}, %s, {REST}"
"""Two bytes end inside `a`."""
TYPES = {
    "short": f"{{seq: [{{id: n, type: u1}}, {{id: b, type: u2, if: not _io.eof}}, {REST}]}}",
    "nothing": "{instances: {v: {value: 3}}}",
    "maybe": "{seq: [{id: x, type: u1, if: not _io.eof}, {id: y, size: 0}]}",
    "some": "{seq: [{id: x, type: u1}]}",
    "above": f"{{seq: [{{id: a, type: u2, if: not _io.eof}}, {{id: c, type: u1, if: _parent.n == 2}}, {REST}]}}",
    "given": "{params: [{id: p, type: u1}], "
    f"seq: [{{id: a, type: u2, if: not _io.eof}}, {{id: c, type: u1, if: p == 2}}, {REST}]}}",
}
INSTANCES = {
    "is_two": "{value: n == 2}",
    "two_of_one": "{value: n + 1, if: n == 1}",
    "first": "{pos: 0, type: u1, -lm-type: peek}",
    "d39": "{value: d38 + d38}",
}
DOUBLED = {"d0": "{value: n - n}"} | {f"d{one}": f"{{value: d{one - 1} + d{one - 1}}}" for one in range(1, 39)}
C = "{id: c, type: u1, if: '%s'}"

ONE_OR_TWO: dict[str, str] = {
    "a number": CUT % (C % "n == 2"),
    "two conditions": CUT % (C % "n == 2 and n > 1"),
    "an end and a number": CUT % (C % "n == 2 or not _io.eof"),
    "a calculated value": CUT % (C % "is_two"),
    "a calculated value with a condition": CUT % (C % "n == 2 or two_of_one == 3"),
    "doubled values": CUT % (C % "n == 2 or d39 == 1"),
    "a member": CUT.replace("type: u1}", "type: u1, enum: e}", 1) % (C % "n == e::ii"),
    "a bit": CUT.replace("id: n, type: u1", "id: o, type: b6}, {id: n, type: b2") % (C % "n == 2"),
    "a choice": CUT % (C % "n == 2 ? true : false"),
    "a byte": CUT.replace("type: u1", "size: 1", 1) % (C % "n[0] == 2"),
    "a part": SHORT % "s.n == 2",
    "an object around": "{id: n, type: u1}, {id: s, type: above}",
    "bytes that end the record": "{id: n, type: u1}, {id: s, type: above, size-eos: true}",
    "a parameter": "{id: n, type: u1}, {id: s, type: given(n)}",
    "items": CUT % "{id: c, type: u1, repeat: expr, repeat-expr: n - 1}",
    "a size": CUT % "{id: c, size: n - 1}",
    "a text of a size": CUT % "{id: c, size: n - 1, -codec: cp037}",
    "a case": CUT % "{id: c, type: {switch-on: n, cases: {1: maybe, 2: some}}}",
    "no case": CUT % "{id: c, type: {switch-on: n, cases: {2: some}}}",
    "the default": CUT % "{id: c, type: {switch-on: n, cases: {2: some, _: nothing}}}",
    "a number in a case": CUT % "{id: c, type: {switch-on: n, cases: {2: u1, 3: u2}}}",
}
"""Fields of which none needs bytes where the record ends if the first byte is 1, but one if it is 2."""

DECIDED: dict[str, tuple[str, bool]] = {
    "no bytes": (CUT % "{id: c, size: 0}", True),
    "a type of no bytes": (CUT % "{id: c, type: nothing}", True),
    "a type of optional fields": (CUT % "{id: c, type: maybe}", True),
    "the rest of it": (CUT % "{id: c, size-eos: true, type: maybe}", True),
    "a text to the end": (CUT % "{id: c, size-eos: true, -codec: cp037}", True),
    "a text up to a zero or the end": (CUT % "{id: c, type: strz, encoding: ASCII, eos-error: false}", True),
    "room for one more": (CUT % (C % "_io.pos + 1 <= _io.size"), True),
    "a longer record": (CUT % (C % "_io.size > 2"), True),
    "a record of this length": (CUT % (C % "_io.size > 1"), False),
    "the end": (CUT % (C % "_io.eof"), False),
    "a text up to a zero": (CUT % "{id: c, type: strz, encoding: ASCII}", False),
    "a certain text": (CUT % "{id: c, size-eos: true, type: str, encoding: ASCII, valid: '\"END\"'}", False),
    "the cut field": (CUT % (C % "a == 3"), False),
    "the rest": (CUT % (C % "r.size == 3"), False),
    "a field that is not there": (CUT % "{id: o, type: u1, if: n == 2}, {id: c, type: u1, if: o == 3}", False),
    "a number ahead": (CUT % (C % "first == 2"), False),
    "a text": (CUT.replace("type: u1", "type: str, size: 1, encoding: ASCII", 1) % (C % 'n == "2"'), False),
    "restored bytes": (CUT % "{id: c, size: 0, process: zlib, type: nothing}", False),
    "a fraction": (CUT % (C % "1.5 > 2"), False),
}
"""Fields, and whether it is known that none behind the place needs bytes; the first byte is 1."""


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


def _build(tmp_path: Path, fields: list[str]) -> None:
    (tmp_path / "s").mkdir()
    for number, seq in enumerate(fields):
        types = {name: text for name, text in TYPES.items() if re.search(rf"\b{name}\b", seq)}
        instances = {name: text for name, text in INSTANCES.items() if name in seq} | (DOUBLED if "d39" in seq else {})
        parts = [f"meta: {{id: acme_{number}, title: A, endian: be}}", f"seq: [{seq}]", "enums: {e: {1: i, 2: ii}}"]
        for key, named in (("types", types), ("instances", instances)):
            parts += [f"{key}:", *(f"  {name}: {text}" for name, text in named.items())] if named else []
        (tmp_path / "s" / f"acme_{number}.ksy").write_text("\n".join([*parts, ""]))
    assert cli.main(["build", "--formats", str(tmp_path / "s"), "--out", str(tmp_path / "out")]) == 0


def test_what_the_fields_in_front_decide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _build(tmp_path, [*ONE_OR_TWO.values()])
    capsys.readouterr()
    for number, name in enumerate(ONE_OR_TWO):
        rows = _rows(tmp_path, capsys, f"acme_{number}", b"\1\7")
        assert len(rows) == 1, name
        row = rows[0] | (rows[0].get("s") or {})
        assert {key: row.get(key) for key in ("a", "b", "c", "r")} == {"a": None, "b": None, "c": None, "r": "07"}, name
        assert _rows(tmp_path, capsys, f"acme_{number}", b"\2\7") == [], name


def test_what_is_known_of_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _build(tmp_path, [seq for seq, _ in DECIDED.values()])
    capsys.readouterr()
    for number, (name, (_, is_known)) in enumerate(DECIDED.items()):
        rows = _rows(tmp_path, capsys, f"acme_{number}", b"\1\7")
        assert len(rows) == is_known, name
        assert [row["r"] for row in rows] == ["07"] * is_known, name


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
