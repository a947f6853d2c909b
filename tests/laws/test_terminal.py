"""No command lets a character out that controls a terminal, whatever source it comes from."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import pickle
import re
import shutil
import traceback
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lmparse
from lmparse import cli
from lmparse.errors import FramingError, LmparseError
from lmparse.samples import bmc_log, db2_log
from lmparse.terminal import harmless, one_line

HOSTILE = (
    "\x1b[31m", "\x1b]0;title\x07", "\x9b2J", "\x85", "\r", "\x08", "\x7f", "\u202e", "\u2066", "\u200f", "\u061c",
    "\u2028", "a\nforged: line [LMP-V001]", "\udc9b", "\ufeff",
)  # fmt: skip
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def controls(text: str) -> set[str]:
    """Characters of a text that are not to reach a terminal, by what Unicode says of them."""
    return {
        letter
        for letter in text
        if (unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") and letter not in "\n\t")
        or unicodedata.bidirectional(letter) in BIDI
        or letter in "\u200e\u200f\u061c"
    }


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What a command prints on both streams."""

    def run(*arguments: object) -> str:
        with suppress(SystemExit):
            cli.main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        assert controls(out + err) == set()
        assert "Traceback" not in err
        for line in chain(out.splitlines(), err.splitlines()):
            assert not line.startswith("forged"), line
        return str(out + err)

    return run


@given(st.text(st.one_of(st.characters(), st.sampled_from([*"".join(HOSTILE)]))))
def test_harmless_text_has_no_control_and_json_keeps_its_value(text: str) -> None:
    assert controls(harmless(text)) == set()
    assert controls(one_line(harmless(text))) == set()
    assert "\n" not in one_line(text)
    line = harmless(json.dumps([text], ensure_ascii=False) + "\n")
    assert line.endswith("\n")
    is_apart = not any(0xD800 <= ord(letter) < 0xE000 for letter in text)  # two halves of a pair would be joined
    assert not is_apart or json.loads(line) == [text]


def test_usual_text_is_not_changed() -> None:
    for text in ("", "\n", "plain\n", "Grüße, 日本語, \u05e9\u05dc\u05d5\u05dd, \U0001f600\u00a0\u200d\tx"):
        assert harmless(text) == text


def test_names_of_files_and_options(shown: Callable[..., str], tmp_path: Path) -> None:
    hostile = "".join(HOSTILE)
    folder = tmp_path / f"x{hostile}y"
    folder.mkdir()
    control, data = bmc_log.make(units=1).write(folder)
    named = Path(shutil.copy(data, folder / f"n{hostile}.dat"))
    spec = ("--spec", "bmc_lldf")
    for words in (
        ("sniff", named), ("sniff", named, "--json"), ("sniff", f"{named}.none"), ("sniff", control, folder),
        ("records", named, *spec), ("changes", named, "--control", control), ("changes", named, "--control", folder),
        ("check", named, "--control", control), ("check", named, "--control", control, "--json"),
        ("txn", named, "--control", control), ("txn", named, "--control", control, "--json"),
        ("explain", named), ("explain", named, "--json"), ("coverage", folder), ("coverage", folder, "--json"),
        ("convert", named, folder / "out", "--control", control, "--format", "jsonl"),
        ("convert", named, folder / "out.csv", *spec), ("convert", named, folder / "out.parquet", *spec),
        ("convert", named, folder / "out", "--control", control), ("formats", hostile),
        ("land", named, "--control", control, "--to", folder / "lake", "--as", "parquet"),
        ("records", named, "--spec", folder / "spec"), ("diff", folder, folder), ("build", "lint", "--formats", folder),
        ("records", named, "--framing", hostile), ("changes", named, "--control", control, "--table", hostile),
        ("records", named, f"--{hostile}"), (hostile,), ("docs", folder, "--samples", named), ("demo", "--out", folder),
    ):  # fmt: skip
        shown(*words)
    damaged = folder / "damaged"
    damaged.write_bytes(data.read_bytes()[:-7])
    assert "LMP-F006" in shown("records", damaged, *spec)


def test_errors_in_python_and_in_logs_of_spark(tmp_path: Path) -> None:
    """Tracebacks end on terminals and in logs; the facts of an error stay as they are."""
    hostile = "".join(HOSTILE)
    control, data = bmc_log.make(units=1).write(tmp_path)
    damaged = tmp_path / f"n{hostile}.dat"
    damaged.write_bytes(data.read_bytes()[:-7])
    read: list[Callable[[], object]] = [
        lambda: lmparse.open_log(f"{damaged}.none"),
        lambda: list(lmparse.open_log(damaged, spec="bmc_lldf").records()),
        lambda: list(lmparse.open_log(data, control=str(control), table=hostile).changes()),
        lambda: lmparse.open_log(data, spec=hostile),
        lambda: lmparse.open_log(data, **{hostile: "x"}),
    ]
    for call in read:
        with pytest.raises(LmparseError) as caught:
            call()
        said = "".join(traceback.format_exception_only(caught.value)) + str(pickle.loads(pickle.dumps(caught.value)))
        assert controls(said) == set()
        assert not any(line.startswith("forged") for line in said.splitlines())
    with pytest.raises(FramingError) as framing:
        lmparse.open_log(f"{damaged}.none")
    assert framing.value.file == f"{damaged}.none"


def test_pages_have_no_controls_either(shown: Callable[..., str], tmp_path: Path) -> None:
    """Nor do they turn the direction of what is read on them."""
    control, data = bmc_log.make(units=1).write(tmp_path)
    named = Path(shutil.copy(data, tmp_path / f"n{''.join(HOSTILE)}.dat"))
    specs = tmp_path / "specs" / "acme"
    specs.mkdir(parents=True)
    title = json.dumps("T" + "\x1b\u202e\u2066")
    fields = f"seq: [{{id: a, type: u1, doc: {title}}}]"
    (specs / "acme_any.ksy").write_text(f"meta: {{id: acme_any, title: {title}, endian: be}}\ndoc: {title}\n{fields}\n")
    shown("build", "--formats", specs.parent, "--out", tmp_path / "built")
    shown("explain", named, "--control", control, "--html", tmp_path / "explain.html")
    shown("docs", tmp_path / "own", "--specs", tmp_path / "built", "--samples", named)
    pages = [*tmp_path.glob("*.html"), *tmp_path.glob("*/*.html"), *tmp_path.glob("*/*.js")]
    assert {page.name for page in pages} >= {
        "explain.html",
        "samples.html",
        "acme_any.html",
    }
    for page in pages:
        assert controls(page.read_text(encoding="utf-8")) == set(), page


FOUND = Path(__file__).parents[1] / "cases_hostile"


@pytest.mark.parametrize("name", ["ansi", "nl", "csv"])
def test_logs_with_escapes_newlines_and_formulas(name: str, shown: Callable[..., str], tmp_path: Path) -> None:
    data, control = FOUND / f"{name}.dat", FOUND / f"{name}.ctl"
    for words in (
        ("changes", data, "--control", control), ("check", data, "--control", control), ("sniff", data, control),
        ("explain", data, "--control", control), ("records", data, "--spec", "bmc_lldf"),
        ("coverage", data, "--control", control), ("records", control, "--spec", "bmc_control"),
        ("sql", data, "--control", control, "--redo"), ("sql", data, "--control", control, "--undo"),
        ("summary", data, "--control", control), ("summary", data, "--control", control, "--json"),
    ):  # fmt: skip
        shown(*words)
    out = tmp_path / "out"
    shown("convert", data, out, "--control", control, "--format", "csv")
    rows = [row for path in out.glob("*.csv") for row in csv.reader(path.read_text().splitlines())]
    assert rows
    assert not [cell for row in rows for cell in row if re.match(r"\s*[=+@-]\D", cell)]
    shown("convert", data, out, "--control", control, "--format", "csv", "--csv-text", "raw", "--overwrite")
    cells = "".join(path.read_text() for path in out.glob("*.csv"))
    assert ('"@SUM(1)"' in cells) == (name == "csv")


def test_names_of_tables_and_values(shown: Callable[..., str], tmp_path: Path) -> None:
    for data, control in written_log(tmp_path):
        for words in (
            ("changes", data, "--control", control), ("check", data, "--control", control),
            ("check", data, "--control", control, "--json"), ("explain", data, "--control", control),
            ("explain", control), ("records", control, "--spec", "bmc_control"), ("sniff", control),
            ("coverage", data, "--control", control), ("changes", data, "--control", control, "--table", "NONE"),
            ("sql", data, "--control", control, "--redo"), ("sql", data, "--control", control, "--undo"),
            ("summary", data, "--control", control), ("summary", data, "--control", control, "--json"),
        ):  # fmt: skip
            shown(*words)


def written_log(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Logs with controls in the names of tables and schemas, as far as EBCDIC has them."""
    control, data = bmc_log.make(units=1).write(folder)
    for number, (old, new) in enumerate(
        (("PAYROLL", "P\x1b[31m\x85"), ("EMPLOYEE", "\x9b2J\x0b\x07\x08EM"), ("ACCOUNT", "A\n\r\x7fTTT"))
    ):
        here = folder / str(number)
        here.mkdir()
        for path in (control, data):
            raw = path.read_bytes().replace(old.encode("cp037"), new[: len(old)].ljust(len(old)).encode("cp037"))
            assert raw != path.read_bytes() or path == data
            (here / path.name).write_bytes(raw)
        yield here / data.name, here / control.name


@pytest.mark.parametrize("hostile", [r"\e[31m", r"\x9b2J", r"\u202e", r"a\nforged: x"])
def test_texts_of_tables_files_and_specs(hostile: str, shown: Callable[..., str], tmp_path: Path) -> None:
    tables, log = db2_log.make(units=1).write(tmp_path)
    for old in ("EMPLOYEE", "HR", "columns"):
        text = tables.read_text(encoding="utf-8").replace(old, f'"{hostile}"', 1)
        (tmp_path / "hostile.yaml").write_text(text, encoding="utf-8")
        for command in ("changes", "check"):
            shown(command, log, "--tables", tmp_path / "hostile.yaml")
    formats = tmp_path / "formats" / "acme"
    formats.mkdir(parents=True)
    plain = tmp_path / "plain"
    (plain / "acme").mkdir(parents=True)
    (plain / "acme" / "acme_x.ksy").write_text("meta:\n  id: acme_x\n  endian: be\nseq:\n  - id: c\n    type: u2\n")
    text = (
        f'meta:\n  id: acme_x\n  title: "t{hostile}"\n  endian: be\ndoc: "d{hostile}"\nseq:\n'
        f'  - id: a\n    type: u2\n    doc: "d{hostile}"\n  - id: "b{hostile}"\n    type: "{hostile}"\n'
    )
    for spec in (text, text.rpartition("  - id")[0]):
        (formats / "acme_x.ksy").write_text(spec, encoding="utf-8")
        for form in ((), ("--json",), ("--markdown",)):
            shown("diff", plain, tmp_path / "formats", *form)
        shown("build", "lint", "--formats", tmp_path / "formats")
    built = tmp_path / "built"
    built.mkdir()
    (built / "layouts.py").write_text(
        f'from lmparse.spec.layout import Field, Layout\nsaid = "{hostile}"'.replace(r"\e", r"\x1b") + "\n"
        'LAYOUTS = {"acme_x": Layout("acme_x", (), None, title="t" + said)}\n'
    )
    (built / "acme_x.py").write_text("from kaitaistruct import KaitaiStruct\nclass AcmeX(KaitaiStruct): pass\n")
    hashes = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in built.iterdir()}
    (built / "MANIFEST.json").write_text(json.dumps({"specs": {}, "outputs": hashes}))
    assert "acme_x: t" in shown("formats", built / "acme_x")
    assert "acme_x" in shown("formats", built / "acme_x", "--json")
    assert os.listdir(tmp_path)


def test_json_has_no_half_characters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name with bytes that are not UTF-8 is the same text in reports as in rows, and any reader of JSON takes it."""
    log = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\n.bin"))
    log.write_bytes((Path(__file__).parents[1] / "cases" / "bmc_lldf" / "changes_bdw.bin").read_bytes())
    shown = []
    for command in ("sniff --json", "check --json", "explain --json", "coverage --json"):
        word, *options = command.split()
        cli.main([word, str(log), *options])
        shown += capsys.readouterr().out.splitlines()
    cli.main(["sniff", "--json", str(log.with_name(log.name + "-none"))])
    shown += capsys.readouterr().out.splitlines()[-1:]
    for text in shown:
        json.dumps(json.loads(text), ensure_ascii=False).encode()
        assert "\\\\udcff\\n.bin" in text
