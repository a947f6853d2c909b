"""The soak in short form: it sees what grows and what is left, and a small log passes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench import data, harness, soak
from bench.soak import Sample, Soaked

BOUNDS = {"bytes": 1000, "handles": 2, "processes": 0}

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="samples are taken from /proc")


def test_what_grows_is_a_fault() -> None:
    flat, growing = (Soaked("x", 100.0, [Sample(at, 5000 + at * step, 7, 1) for at in range(100)]) for step in (1, 30))
    flat.check(BOUNDS)
    growing.check(BOUNDS)
    assert flat.faults == []
    assert growing.faults == ["bytes grew from 6,500 to 7,970, by more than 1,000"]


@pytest.mark.parametrize(
    ("program", "fault"),
    [
        ("pass", None),
        ("raise SystemExit(3)", "ended with 3"),
        ("import subprocess; subprocess.Popen(['sleep', '9'])", "process left: sleep"),
        ("import os; open(os.environ['TMPDIR'] + '/x', 'w')", "file left: tmp/x"),
    ],
)
def test_what_is_left_is_a_fault(
    program: str, fault: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soak, "_ENDS_WITHIN", 0.3)
    found = soak.soak("x", [sys.executable, "-I", "-c", program], tmp_path, 0.01)
    assert [text.startswith(str(fault)) for text in found.faults] == ([True] if fault else [])


def test_a_small_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "_LLDF_ROWS", 300)
    monkeypatch.setattr(harness.write, "__defaults__", (tmp_path / "results",))
    options = ["--size", "2M", "--only", "records", "changes", "--interval", "0.1", "--cache", str(tmp_path / "cache")]
    assert soak.main([*options, "--remove"]) == 0
    result = json.loads((tmp_path / "results" / "soak.json").read_text())
    assert {name: work["faults"] for name, work in result["works"].items()} == {"records": [], "changes": []}
    assert [path.suffix for path in (tmp_path / "cache").glob("*.dat")] == []
