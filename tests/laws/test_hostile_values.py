"""Values that no option has, names that no file has, and streams that are closed or full end with a code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import lmparse
from lmparse import cli
from lmparse.errors import OptionError
from lmparse.options import FILE_OPTIONS, Options
from lmparse.samples import bmc_log
from lmparse.spark.source import request_of

NUL = "a\0b"
DIGITS = "9" * 5000


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return bmc_log.make(units=1).write(tmp_path_factory.mktemp("log"))


@pytest.mark.parametrize("name", Options.__dataclass_fields__)
@pytest.mark.parametrize("value", [NUL, DIGITS, "²", "-1", ""], ids=["NUL", "digits", "superscript", "minus", "empty"])
def test_no_value_of_an_option_raises_anything_else(name: str, value: str, log: tuple[Path, Path]) -> None:
    control, data = log
    described = {} if name in (*FILE_OPTIONS, "spec") else {"control": str(control)}
    with suppress(lmparse.LmparseError):
        opened = lmparse.open_log(data, **described, **{name: value})
        list(opened.changes() if described else opened.records())
    if value == NUL:
        with pytest.raises(OptionError):
            Options.parse({name: value})


@pytest.mark.parametrize(
    "words",
    [
        *(["explain", "LOG", option, DIGITS] for option in ("--record", "--offset")),
        *(["changes", "LOG", option, DIGITS] for option in (
            "--spec", "--framing", "--code-page", "--mode", "--limits", "--starting-seq", "--starting-timestamp",
            "--operations", "--record-length")),
        ["changes", "LOG", f"--{DIGITS}"], ["serve", "LOG", "--port", DIGITS], ["formats", DIGITS],
        ["convert", "LOG", "out", "--format", DIGITS], ["land", "LOG", "--to", "out", "--as", DIGITS], [DIGITS],
    ],
    ids=lambda words: " ".join(word[:20] for word in words),
)  # fmt: skip
def test_what_was_given_is_not_quoted_whole(
    words: list[str], log: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    code: object
    try:
        code = cli.main([str(log[1]) if word == "LOG" else word for word in words])
    except SystemExit as ended:
        code = ended.code
    said = capsys.readouterr().err
    assert code == 2
    assert DIGITS[:60] in said
    assert DIGITS[:300] not in said


@pytest.mark.parametrize(
    "call", [lmparse.open_log, lmparse.sniff, lmparse.read_changes, lmparse.read_table, lmparse.explain]
)
def test_a_path_with_nul_cannot_be_read(call: Callable[[str], Any]) -> None:
    for path in (NUL, "file:///a%00b", "file://[", "file://[::1", "file://logs", "file:"):
        with pytest.raises(lmparse.FramingError) as caught:
            call(path)
        assert caught.value.code == "LMP-F001"


@pytest.mark.parametrize(
    "options",
    [
        *({"maxPartitionBytes": text} for text in (DIGITS, "²", "0")),
        *({"paths": text} for text in ("x", "3", "[1]", "[" * 9999)),
    ],
    ids=lambda options: str(options)[:30],
)
def test_options_of_spark_too(options: dict[str, str]) -> None:
    with pytest.raises(OptionError) as caught:
        request_of({"path": "x", **options})
    assert caught.value.code == "LMP-S003"


@pytest.mark.parametrize(
    ("redirected", "code", "said"),
    [
        (">&-", 2, "standard output: Bad file descriptor [LMP-S022]"),
        (">/dev/full", 2, "standard output: No space left on device [LMP-S022]"),
        (">&- 2>&- <&-", 2, ""),
        (">/dev/full 2>/dev/full", 2, ""),
    ],
)
def test_a_stream_that_is_closed_or_full(redirected: str, code: int, said: str) -> None:
    command = f"{sys.executable} -m lmparse formats bmc_lldf --json {redirected}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (code, said)


@pytest.mark.parametrize("words", ["--help", "check --help", "--version"])
@pytest.mark.parametrize("how", ["", "-u"])
def test_help_for_a_stream_that_is_full(words: str, how: str) -> None:
    command = f"{sys.executable} {how} -m lmparse {words}"
    done = subprocess.run(["bash", "-c", f"{command} >/dev/full"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (2, "standard output: No space left on device [LMP-S022]")
    assert subprocess.run(["bash", "-c", command], capture_output=True, check=False).returncode == 0


def test_an_output_does_not_get_the_number_of_a_closed_stream(log: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "x.jsonl"
    command = f"{sys.executable} -m lmparse convert {log[1]} {out} --spec bmc_lldf >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 0
    assert all(line.startswith("{") for line in out.read_text().splitlines())


@pytest.mark.parametrize("command", ["records", "check", "convert"])
def test_errors_are_printed_up_to_a_number_and_all_are_counted(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "empty-records"
    path.write_bytes(b"\0\4\0\0" * 1200)
    words = [command, str(path), *([str(tmp_path / "x.csv")] * (command == "convert"))]
    options = ["--framing", "rdw", "--spec", "bmc_lldf"]
    assert cli.main([*words, *options]) == 20
    lines = capsys.readouterr().err.splitlines()
    assert sum("[LMP-R001]" in line for line in lines) == 1000
    assert "errors: 1200, of which the first 1000 are printed" in "\n".join(lines)
    options += ["--overwrite"] * (command == "convert")
    assert cli.main([*words, *options, "--show-errors", "2"]) == 20
    lines = capsys.readouterr().err.splitlines()
    assert sum("[LMP-R001]" in line for line in lines) == 2
    assert "errors: 1200, of which the first 2 are printed; --show-errors prints more" in lines


@pytest.mark.parametrize("value", [b"x", 1, None, {"a": 1}, (b"a",), [None], object()])
@pytest.mark.parametrize("name", ["columns", "include", "operations"])
def test_lists_of_an_option_have_texts(name: str, value: object) -> None:
    if value is not None:
        with pytest.raises(OptionError, match="has no value"):
            Options.parse({name: value})
