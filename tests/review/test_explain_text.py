"""`lmparse explain` in the terminal: widths, fields by name, and names that do harm nowhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from review.explained import LOG, SHOWN, shown

from lmparse.review.explain.search import explain

pytestmark = pytest.mark.usefixtures("in_tests")


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("name", SHOWN)
def test_no_line_is_wider_than_asked_and_nothing_is_lost(name: str, width: int) -> None:
    found = shown(name)
    lines = found.lines(width)
    assert max(map(len, lines)) <= width
    (start,) = {line.index(" field") + 1 for line in lines if line.startswith("  byte ")}
    text = re.sub(r"\s+", "", "".join(line[start:] for line in lines))
    for section in found.sections:
        for top in section.lines:
            for line, _ in top.walk():
                if line.node is not None:
                    for said in (line.node.field.id, line.node.field.orig_id or "", line.node.meaning):
                        assert re.sub(r"\s+", "", said) in text


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("insert", "C4 C2 F2 C1 DB2A system_id (SYSTEMID)"),
        ("luw_update", "4D 00 00 00 M...+ lfs"),
        ("control_record", "C4 D3 C3 C9 DLCI cntl_record_type"),
    ],
)
def test_bytes_have_their_characters_in_the_code_page_of_the_record_beside_them(name: str, line: str) -> None:
    found = shown(name)
    assert any(line in re.sub(r" +", " ", one) for one in found.lines(80, brief=True))
    assert any(one.endswith("text  field = value: meaning") for one in found.lines(80))


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("width", [60, 160])
def test_brief_has_one_line_for_each_field(name: str, width: int) -> None:
    found = shown(name)
    lines = found.lines(width, brief=True)
    assert max(map(len, lines)) <= width
    (last,) = {line.start for line in [[*found.main.lines][-1]]}
    assert any(line.lstrip("> ").split()[:1] == [str(last)] for line in lines)
    fields = [line for section in found.sections for top in section.lines for line, _ in top.walk()]
    assert len([line for line in lines if re.match(r"[> ] +\d+ 0x", line)]) == len(fields)


def test_brief_shows_values_and_faults_and_no_documentation(run_explain: Any) -> None:
    stem, options = SHOWN["damaged_row"]
    words = (f"{stem}.bin", "--control", f"{stem}.ctl", "--record", options["record"], "--brief")
    code, out, _ = run_explain(*words)
    assert code == 20
    assert 'change_type (CHANGE TYPE) = "' in out
    assert "Type of update." not in out
    assert "[LMP-V001]" in out
    assert "found 64" in process(*map(str, words), COLUMNS="200").stdout.decode()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--brief", "--json"], "--brief is for text in the terminal"),
        (["--brief", "--html", "x.html"], "--brief is for text in the terminal"),
    ],
)
def test_forms_that_contradict_are_refused(run_explain: Any, words: list[str], said: str) -> None:
    code, out, err = run_explain(LOG, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert not Path("x.html").exists()


def process(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "lmparse", "explain", *words]
    return subprocess.run(command, capture_output=True, check=False, env=os.environ | environment)


def test_lines_have_the_width_that_COLUMNS_says() -> None:
    done = process(LOG, COLUMNS="70")
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert 60 < max(map(len, done.stdout.decode().splitlines())) <= 70


HOSTILE = '<script>alert("\x1b[31m")</script>'


@pytest.fixture
def hostile(luw_sample: dict[str, str]) -> dict[str, str]:
    """The sample whose tables file names a column with what does something in terminals and pages."""
    path = Path(luw_sample["tables"])
    tree = yaml.safe_load(path.read_text("utf-8"))
    table = tree["tables"][0]
    name, table["columns"][0]["name"] = table["columns"][0]["name"], HOSTILE
    table["key"] = [HOSTILE if one == name else one for one in table["key"]]
    path.write_text(yaml.safe_dump(tree), "utf-8")
    return luw_sample


def test_names_from_files_do_nothing_to_a_terminal_or_a_page(hostile: dict[str, str]) -> None:
    found = explain(**hostile, record=0)
    text = "".join(found.lines(200))
    assert "\x1b" not in text
    assert "<script>alert(" in text
    page = found.html()
    assert "\x1b" not in page
    assert "<script>alert(" not in page
    assert "&lt;script&gt;alert(" in page
    assert "<script" not in found._repr_html_()
