"""Programs that use `lmparse` are checked by their types."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lmparse
from lmparse.logs import arrow

CASES = Path(__file__).parents[1] / "cases"

PROGRAM = """\
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import lmparse

log: lmparse.Log = lmparse.open_log("a.dat", control="a.ctl", include="all")
rows: Iterator[dict[str, Any]] = log.changes()
records: Iterator[dict[str, Any]] = log.records()
table_versions: Iterator[dict[str, Any]] = log.tables()
for error in log.tally.errors:
    codes: tuple[str, str | None, int | None] = error.code, error.hint, error.record_offset
notices: list[str] = log.tally.notices
counts: tuple[int, int] = log.tally.error_count, log.tally.dropped
for decision in log.decisions:
    words: tuple[str, str, str] = decision.name, decision.value, decision.evidence
left_out: dict[str, int] = dict(log.left_out)
values: dict[str, Any] = lmparse.parse(b"", "bmc_lldf", code_page="cp037")
found: lmparse.Sniffed = lmparse.sniff("a.dat")
options: dict[str, str] = found.options
places: list[tuple[int, int, int]] = found.records
filters = [lmparse.Filter("seg_num", ">=", Decimal(1)), lmparse.Filter("plan", "==", "A")]
table = lmparse.read_table("a.dat", filters=filters, metadata=False, columns="plan")
changes = lmparse.read_changes("a.dat", filters=filters, metadata=False, control="a.ctl", engine="check")
streams = [log.to_reader(filters=filters, metadata=False), log.to_table(filters=filters, metadata=False)]
shown: lmparse.Explained = lmparse.explain("a.dat", 3, lsn=None, offset=None)
lines: list[str] = shown.lines(80)
page: str = shown.html()
counted: lmparse.Summarized = lmparse.summary(["a.log", "b.log"], tables="a.yaml", engine="check")
numbers: dict[str, Any] = counted.to_dict()
first: str = counted.lines()[0]
landed: lmparse.Landed = lmparse.land(["a.log", "b.log"], "lake", as_="parquet", current=False, tables="a.yaml")
report: dict[str, Any] = landed.to_dict()
try:
    lmparse.open_log("a.dat")
except (lmparse.OptionError, lmparse.UnknownFormatError, lmparse.DataError, lmparse.EngineDifferenceError) as fault:
    code: str = fault.code
kinds: list[type[lmparse.LmparseError]] = [
    lmparse.FramingError, lmparse.TruncatedError, lmparse.LeftoverError, lmparse.RecordError,
    lmparse.InvalidValueError, lmparse.ControlError, lmparse.TableNotFoundError, lmparse.LimitError,
    lmparse.FileLimitError, lmparse.ReadError, lmparse.NotInstalledError,
]
"""


def check(folder: Path, program: str) -> list[str]:
    (folder / "use.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "use.py"]
    (folder / "mypy.ini").write_text("[mypy]\n[mypy-pyarrow.*]\nignore_missing_imports = True\n")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def test_a_program_over_the_whole_face_is_typed(tmp_path: Path) -> None:
    assert {name for name in lmparse.__all__ if f"lmparse.{name}" not in PROGRAM} == set()
    wrong = "log.nothing\nlog.changes().send(1)\nlmparse.sniff(1)\n"
    found = check(tmp_path, PROGRAM + wrong)
    first = PROGRAM.count("\n") + 1
    assert [line.split(":")[1] for line in found if ": error:" in line] == [str(first + at) for at in range(3)], found


def test_records_that_are_not_changes_give_none(tmp_path: Path) -> None:
    log = lmparse.open_log(Path(__file__).parents[1] / "cases" / "bmc_dlge" / "every_field.bin", spec="bmc_dlge")
    assert list(log.records())
    with pytest.raises(lmparse.OptionError, match="records of bmc_dlge are not changes") as caught:
        log.changes()
    assert (caught.value.code, caught.value.hint) == ("LMP-S003", "one of bmc_lldf, db2_log")


def test_options_that_do_not_apply_to_records_are_refused(tmp_path: Path) -> None:
    """An option that is taken and ignored gives rows that nobody asked for."""
    path = tmp_path / "any.dat"
    path.write_bytes(bytes(4))
    of_changes = {"table": "A.B", "include": "all", "operations": "I", "trim": False, "order": "commit", "header": True}
    for name, value in of_changes.items():
        with pytest.raises(lmparse.OptionError, match=rf"^{name}: for changes only, and read_table gives records"):
            lmparse.read_table(path, **{name: value})
    for options in ({"tables": "a.yaml"}, {"control": "a.ctl", "spec": "bmc_control"}):
        with pytest.raises(lmparse.OptionError, match=r"^(tables|control): for changes only, and read_table gives"):
            lmparse.read_table(path, **options)


def test_options_that_say_nothing_of_what_is_asked_for_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "any.dat"
    path.write_bytes(bytes(4))
    idle = {"framing": "vbs", "recordLength": 5, "control": "a", "table": "A.B", "mode": "failfast", "engine": "check"}
    for name, value in idle.items():
        with pytest.raises(lmparse.OptionError, match=f"^{name} means nothing for one record"):
            lmparse.parse(b"", "bmc_lldf", **{name: value})


def test_read_table_compares_engines_when_it_is_asked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = CASES / "bmc_lldf" / "changes_bdw.bin"
    tables = [lmparse.read_table(record, spec="bmc_lldf", engine=engine) for engine in ("check", "kaitai", "columnar")]
    assert tables[0].num_rows
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
    whole = arrow.record_batches

    def shorter(file: Any, *given: Any) -> Iterator[Any]:
        return (batch.slice(file.options.engine != "kaitai") for batch in whole(file, *given))

    monkeypatch.setattr(arrow, "record_batches", shorter)
    assert lmparse.read_table(record, spec="bmc_lldf").num_rows == tables[0].num_rows - 1
    with pytest.raises(lmparse.EngineDifferenceError):
        lmparse.read_table(record, spec="bmc_lldf", engine="check")


@pytest.mark.parametrize(
    ("given", "why"),
    [({"record_length": 80, "framing": "rdw"}, "framing rdw does not use recordLength"),
     ({"control_framing": "rdw"}, "controlFraming is for a control file")],
)  # fmt: skip
def test_options_without_the_one_that_they_are_for_are_refused(given: dict[str, Any], why: str, tmp_path: Path) -> None:
    log = tmp_path / "alone.bin"
    log.write_bytes((CASES / "bmc_lldf" / "changes_bdw.bin").read_bytes())
    with pytest.raises(lmparse.OptionError, match=why):
        lmparse.open_log(log, **given)


WITHOUT = """\
import sys
missing = sys.argv[1].split(",")
for name in missing:
    sys.modules[name] = None
import lmparse

def given(what):
    try:
        what()
    except lmparse.OptionError as error:
        return f"{error.code} {error.hint}"
    except AttributeError:
        return "AttributeError"

names = {name: given(lambda: getattr(lmparse, name)) for name in lmparse.__all__}
print(sorted({answer for answer in names.values() if answer}))
print(names["read_table"] or "")
print(given(lambda: lmparse.read_changes(sys.argv[2], control=sys.argv[3])) or "")
print(given(lambda: __import__("lmparse.spark")) or "")
print(given(lambda: __import__("pyspark_lmparse")) or "")
"""
"""What is said of packages that are not installed, for all names of the face, for changes, and for Spark."""
SAYS_ARROW, SAYS_SPARK = (f"LMP-S005 pip install 'lmparse[{extra}]'" for extra in ("arrow", "spark"))


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("pyarrow", [f"{[SAYS_ARROW]}", SAYS_ARROW, SAYS_ARROW, SAYS_SPARK, SAYS_SPARK]),
        ("pyspark", ["[]", "", "", SAYS_SPARK, SAYS_SPARK]),
    ],
)
def test_what_is_not_installed_is_named_with_its_extra(missing: str, said: list[str]) -> None:
    case = CASES / "bmc_lldf" / "changes_glued"
    words = [missing, f"{case}.bin", f"{case}.ctl"]
    done = subprocess.run([sys.executable, "-c", WITHOUT, *words], capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout.splitlines()) == ("", said)
