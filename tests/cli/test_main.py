"""The command line: what it prints where, and how it ends."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commands import Run
from writers.bmc import control, framing, logs

from lmparse import __version__
from lmparse.cli.command_line import build_parser, command_table, groups
from lmparse.options import NOT_LANDED, Options
from lmparse.spec import catalog
from lmparse.spelling import camel

ROOT = Path(__file__).parents[2]
COMMANDS = (
    *("formats", "sniff", "records", "changes", "summary", "txn", "tables"),
    *("sql", "convert", "land", "check", "coverage", "diff", "explain"),
    *("serve", "docs", "build", "sample", "demo"),
)
END = "FFFFFFFFFFFFFFFFFFFF"
"""An ENDRBA that no record stands behind."""


class Files(NamedTuple):
    """A log on disk."""

    data: Path
    control: Path


@pytest.fixture(scope="module")
def example() -> logs.Example:
    return logs.example()


@pytest.fixture
def log(tmp_path: Path, example: logs.Example) -> Files:
    """The example with a control file that holds true."""
    files = Files(tmp_path / "night.dat", tmp_path / "night.ctl")
    files.data.write_bytes(framing.rdw(example.data_records))
    files.control.write_bytes(framing.rdw([*example.control_records[:-1], control.dlge(ENDRBA=END)]))
    return files


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    path = tmp_path / "empty.dat"
    path.touch()
    return path


def process(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "lmparse", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **options)


def failure(done: Run, code: str) -> str:
    """The one line that says why a command failed; nothing else but hints may stand beside it."""
    lines = [line for line in done.err.splitlines() if not line.startswith("  hint: ")]
    assert len(lines) == 1, done.err
    assert lines[0].endswith(f"[{code}]")
    return lines[0]


# -- help and usage ------------------------------------------------------------------------


def test_the_commands_are_those_with_help(run: Any) -> None:
    done = run("--help")
    assert done.code == 0
    _, _, listed = done.out.partition("COMMAND\n")
    starts = [line.split() for line in listed.splitlines() if line.startswith("    ") and line[4] != " "]
    assert [words[0] for words in starts] == list(COMMANDS)
    assert not [words for words in starts if len(words) < 3]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_each_of_its_options_has_help(run: Any, command: str) -> None:
    done = run(command, "--help")
    assert (done.code, done.err) == (0, "")
    _, _, after_usage = done.out.partition("\n\n")
    assert after_usage[0].isupper()
    parser = build_parser()
    (commands,) = parser._subparsers._group_actions  # type: ignore[union-attr]
    actions = commands.choices[command]._actions  # type: ignore[index,call-overload,union-attr]
    named = [action for action in actions if action.option_strings]
    assert named
    assert not [action.dest for action in named if not action.help]


def test_land_takes_no_option_with_which_changes_would_not_be_landed() -> None:
    assert set(command_table()["land"]["without"]) == set(NOT_LANDED)


def test_version(run: Any) -> None:
    assert run("--version") == (0, f"lmparse {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("no-such-command",),
        ("records",),
        ("sniff",),
        ("records", "FILE", "--framing", "tape"),
        ("records", "FILE", "--mode", "strict"),
        ("records", "FILE", "--record-length", "many"),
        ("records", "FILE", "--record-length", "0"),
        ("records", "FILE", "--columns", "no_such_field"),
        ("records", "FILE", "--columns", "ll_column_pos"),
        ("records", "FILE", "--spec", "no_such_spec"),
        ("records", "FILE", "--code-page", "cp1"),
        ("records", "FILE", "--table", "ORDERS"),
        ("records", "FILE", "--colum", "dbid"),
        ("changes", "FILE", "--control", "CONTROL", "--operations", "Q"),
        ("changes", "FILE", "--control", "CONTROL", "--table", "NOTHING"),
        ("changes", "FILE", "--control", "CONTROL", "--columns", "NO_SUCH_COLUMN"),
        ("changes", "FILE", "--control", "CONTROL", "--table", "PROD.ITEMS", "--columns", "AMOUNT"),
        ("changes", "FILE", "--control", "CONTROL", "--table", "PROD.ITEMS", "--table-version", "7"),
        ("changes", "FILE", "--control", "CONTROL", "--order", "size"),
        ("changes", "FILE", "--control", "CONTROL", "--trim", "maybe"),
        ("changes", "CONTROL", "--spec", "bmc_control"),
        ("formats", "no_such_spec"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2_and_prints_nothing(run: Any, log: Files, arguments: tuple[str, ...]) -> None:
    paths = {"FILE": log.data, "CONTROL": log.control}
    done = run(*(paths.get(argument, argument) for argument in arguments))
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("command", "wrong", "right"),
    [
        ("records", "--code-pge", "--code-page"),
        ("records", "--recordlength", "--record-length"),
        ("changes", "--row-image", "--row-images"),
        ("check", "--jsno", "--json"),
        ("demo", "--no-sparc", "--no-spark"),
    ],
)
def test_an_unknown_option_names_the_nearest(run: Any, log: Files, command: str, wrong: str, right: str) -> None:
    file = () if command == "demo" else (log.data,)
    done = run(command, *file, wrong, "x")
    assert (done.code, done.out) == (2, "")
    assert wrong in done.err
    assert right in done.err


@pytest.mark.parametrize("option", ["generation", "byte_order", "tables"])
def test_an_option_of_another_family_is_refused(run: Any, log: Files, option: str) -> None:
    """No option of another family is accepted without effect."""
    value = {"generation": "v10", "byte_order": "little"}.get(option, log.control)
    command = "changes" if option == "tables" else "records"
    done = run(command, log.data, "--spec", "bmc_lldf", f"--{option.replace('_', '-')}", value)
    assert (done.code, done.out) == (2, "")
    assert failure(done, "LMP-S003")
    assert f"{camel(option)} does not apply to records of bmc_lldf" in done.err
    assert "it is for specs of the family db2" in done.err


def test_an_unknown_spec_names_the_nearest(run: Any, log: Files) -> None:
    done = run("records", log.data, "--spec", "bmc_ldlf")
    assert done.code == 2
    assert failure(done, "LMP-S001")
    assert "did you mean bmc_lldf" in done.err


# -- records --------------------------------------------------------------------------------


def field_table(spec: str) -> list[dict[str, str]]:
    """The lines of the vendor's table, as transcribed from his pages, for one spec."""
    with open(Path(__file__).parents[2] / "formats" / "field-tables.csv", encoding="utf-8", newline="") as lines:
        found = [line for line in csv.DictReader(lines) if line["spec"] == spec and line["id"] != "(total)"]
    assert found
    return found


def test_records_have_the_field_ids_of_the_table_as_keys(run: Any, log: Files, example: logs.Example) -> None:
    done = run("records", log.data)
    assert (done.code, done.err) == (0, "")
    assert len(done.rows) == len(example.data_records)
    for row in done.rows:
        assert list(row) == [line["id"] for line in field_table("bmc_lldf")]


# -- changes --------------------------------------------------------------------------------


def without_place(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "_metadata"} for row in rows]


def test_changes_are_those_that_were_written(run: Any, log: Files, example: logs.Example) -> None:
    done = run("changes", log.data, "--control", log.control)
    assert done.code == 0
    assert without_place(done.rows) == example.expected


def test_what_is_left_out_is_counted_on_stderr(run: Any, log: Files, example: logs.Example) -> None:
    done = run("changes", log.data, "--control", log.control)
    rolled_back, still_open = example.groups.count("rolled-back"), example.groups.count("open")
    assert done.err.splitlines() == [f"left out: {still_open} open", f"left out: {rolled_back} rolled-back"]


def test_header_adds_every_field_but_data(run: Any, log: Files) -> None:
    done = run("changes", log.data, "--control", log.control, "--header")
    ids = [line["id"] for line in field_table("bmc_lldf") if line["id"] != "data"]
    assert {tuple(row["header"]) for row in done.rows} == {tuple(ids)}
    assert "header" not in run("changes", log.data, "--control", log.control, "--header", "false").rows[0]


# -- what is wrong with a file --------------------------------------------------------------


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    path.write_text("Nothing of a log stands here.\n" * 50)
    return path


@pytest.mark.parametrize("command", ["records", "check", "sniff", "changes"])
@pytest.mark.parametrize(("what", "code"), [("nothing", "F001"), ("text", "F003")])
def test_what_is_no_log_is_20_with_one_line(
    run: Any, log: Files, text_file: Path, tmp_path: Path, command: str, what: str, code: str
) -> None:
    path = {"nothing": tmp_path / "nothing.dat", "text": text_file}[what]
    options = ("--control", log.control) if command == "changes" else ()
    done = run(command, path, *options)
    assert (done.code, done.out) == (20, "")
    assert failure(done, f"LMP-{code}").startswith(f"{path}: ")


@pytest.mark.parametrize("command", ["records", "check", "sniff"])
def test_an_empty_file_is_no_proof(run: Any, empty: Path, command: str) -> None:
    done = run(command, empty)
    assert (done.code, done.out) == (20, "")
    assert failure(done, "LMP-F002").startswith(f"{empty}: ")


@pytest.mark.parametrize("command", ["records", "changes"])
def test_an_empty_file_with_a_control_file_is_a_log(run: Any, log: Files, empty: Path, command: str) -> None:
    done = run(command, empty, "--control", log.control)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("note: the file is empty")


def test_bytes_behind_the_last_record_are_31(run: Any, log: Files, example: logs.Example) -> None:
    log.data.write_bytes(log.data.read_bytes() + b"\x01\x02\x03\x04\x05")
    done = run("records", log.data)
    assert done.code == 31
    assert len(done.rows) == len(example.data_records)
    assert failure(done, "LMP-F007")


@pytest.fixture
def damaged(tmp_path: Path, example: logs.Example) -> Path:
    """The third record has a timestamp that is none, the fifth a LENGTH that leads behind its end."""
    records = list(example.data_records)
    records[2] = records[2][:60] + b"\xff" * 17 + records[2][77:]
    records[4] = b"\x7f\xff" + records[4][2:]
    path = tmp_path / "damaged.dat"
    path.write_bytes(framing.rdw(records))
    return path


def test_permissive_prints_every_good_row_and_names_the_bad_ones(
    run: Any, damaged: Path, example: logs.Example
) -> None:
    done = run("records", damaged)
    assert done.code == 20
    assert len(done.rows) == len(example.data_records) - 1
    assert done.rows[2]["timestamp"] is None
    (fault,) = done.rows[2]["_corrupt_fields"]
    assert (fault["path"], fault["offset"], fault["raw"], fault["code"]) == ("timestamp", 60, "FF" * 17, "LMP-V005")
    value, record, count = done.err.splitlines()
    assert f"{damaged}: record 2 at " in value
    assert "bmc_lldf.timestamp" in value
    assert f"{damaged}: record 4 at " in record
    assert "bmc_lldf.length" in record
    assert count == "bad records without a row: 1"


# -- sniff, formats -------------------------------------------------------------------------


def test_sniff_says_what_a_file_is_with_proof(run: Any, log: Files, example: logs.Example) -> None:
    done = run("sniff", log.data, log.control)
    assert (done.code, done.err) == (0, "")
    beside = f"--control {log.control}"
    offset = framing.framed("rdw", example.data_records).offsets[1]
    assert f"{log.data}: data change records (bmc_lldf), framing rdw\n" in done.out
    assert f"  record 1 at {offset:#x}, {len(example.data_records[1])} bytes\n" in done.out
    assert f"  shell  --spec bmc_lldf --framing rdw {beside}\n" in done.out
    assert f'.option("framing", "rdw").option("control", "{log.control}")\n' in done.out
    assert '  Spark  .option("spec", "bmc_control").option("framing", "rdw")\n' in done.out


def test_formats_lists_every_spec(run: Any) -> None:
    done = run("formats")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.splitlines()] == catalog.spec_ids()
    listed = json.loads(run("formats", "--json").out)
    assert listed["bmc_lldf"] == {
        "title": catalog.load("bmc_lldf").layout.title,
        "sha256": catalog.load("bmc_lldf").layout.sha256,
    }


def test_formats_shows_the_fields_of_one(run: Any) -> None:
    done = run("formats", "bmc_lldf")
    assert done.code == 0
    line = ["60", "17", "timestamp", "TIMESTAMP", "timestamp17", "documented", "timestamp17"]
    assert line in [line.split() for line in done.out.splitlines()]
    (shown,) = run("formats", "bmc_lldf", "--json").rows
    assert [entry["id"] for entry in shown["fields"]] == [entry.id for entry in catalog.load("bmc_lldf").layout]


# -- check ----------------------------------------------------------------------------------


# -- demo -----------------------------------------------------------------------------------


def test_demo_without_spark(run: Any, tmp_path: Path) -> None:
    done = run("demo", "--no-spark", "--out", tmp_path / "made")
    assert done.code == 0
    assert "error" not in done.err
    assert "== done" in done.out
    made = sorted((tmp_path / "made" / "log").iterdir())
    assert [path.suffix for path in made] == [".ctl", ".dat"]
    checked = run("check", made[1], "--control", made[0])
    assert checked.code == 0, checked.out


# -- as a process ---------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["kaitai", "columnar"])
def test_a_reader_that_goes_away_is_no_error(engine: str, tmp_path: Path, example: logs.Example) -> None:
    """Far more is printed than a pipe holds; `head` takes one line."""
    path = tmp_path / "long.dat"
    path.write_bytes(framing.rdw(example.data_records * 100))
    pipeline = f'"{sys.executable}" -m lmparse records "{path}" --engine {engine} | head -n 1'
    pipeline += '; echo "${PIPESTATUS[0]}" >&2'
    for unbuffered in ("", "1"):
        environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(["bash", "-c", pipeline], cwd=ROOT, capture_output=True, text=True, env=environment)
        assert len(done.stdout.splitlines()) == 1
        assert done.stderr == "141\n"


def test_small_files_are_printed_without_arrow(log: Files) -> None:
    """To load it takes longer than to read them; a named engine is used whatever the size."""
    code = (
        "import sys; from lmparse import cli; cli.main(sys.argv[1:]); sys.stderr.write(str('pyarrow' in sys.modules))"
    )
    for given, is_loaded in (((), False), (("--engine", "kaitai"), False), (("--engine", "columnar"), True)):
        arguments = ["changes", str(log.data), "--control", str(log.control), *given]
        done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True)
        assert done.stderr.splitlines()[-1] == str(is_loaded)


def test_arrow_comes_without_pandas(log: Files, tmp_path: Path) -> None:
    """Which takes longer to load than all else, and which a program in the same process still gets."""
    code = (
        "import sys; from lmparse import cli; cli.main(sys.argv[1:]); found = 'pandas' in sys.modules; import pyarrow; "
        "rows = pyarrow.table([[1, 2]], ['A']).to_pandas(); sys.stderr.write(f'{found} {len(rows)}')"
    )
    control = "--control", str(log.control)
    for command, *given in (("changes", "--engine", "columnar"), ("convert", str(tmp_path / "out"))):
        arguments = [command, str(log.data), *given, *control]
        done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True)
        assert done.stderr.splitlines()[-1] == "False 2"


def test_output_is_utf8_whatever_the_locale(log: Files) -> None:
    """JSON is UTF-8; Python would write ASCII here, and fail at the first other character."""
    environment = os.environ | {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": ""}
    done = process("changes", log.data, "--control", log.control, env=environment, encoding="utf-8")
    assert "Traceback" not in done.stderr
    assert done.returncode == 0
    assert "日本" in done.stdout


def test_a_message_is_not_as_long_as_what_it_is_about(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(b"\x00\x08\x00\x00abcd")
    found = run("records", path, "--code-page", "x" * 100_000)
    assert found.code == 2
    assert len(found.err) < 12_000
    assert "characters" in found.err


def test_a_current_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    words = ["summary", "."]
    folder = tmp_path / "gone"
    folder.mkdir()
    code = f"import os, sys; os.chdir({str(folder)!r}); os.rmdir({str(folder)!r}); from lmparse import cli; "
    done = subprocess.run(
        [sys.executable, "-c", f"{code}sys.exit(cli.main({words!r}))"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "the current folder is gone [LMP-F001]")


def test_help_asks_about_each_option_once_and_ends_with_an_example_that_is_one() -> None:
    """Options are grouped by the question that they answer."""
    listed = [name for names in groups().values() for name in names]
    assert sorted(listed) == sorted(entry.name for entry in dataclasses.fields(Options))
    for name, stated in command_table().items():
        words = stated["example"].split()
        assert words[:2] == ["lmparse", name]
        build_parser().parse_args(words[1:])


def test_lmparse_alone_says_where_to_begin(run: Any) -> None:
    done = run()
    assert (done.code, done.out) == (2, "")
    assert "Begin with `lmparse sniff FILE`" in done.err
