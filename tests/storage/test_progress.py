"""Progress of long reading: a line on a terminal that is gone at the end, and nothing anywhere else."""

from __future__ import annotations

import fcntl
import gzip
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from lmparse.samples import bmc_log
from lmparse.storage import progress
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece

AT_ONCE = "import sys; from lmparse.storage import progress; progress._AFTER = progress._EVERY = 0.0; "
"progress._IN_ORDER = 1; "
RUN = "from lmparse.__main__ import main; sys.exit(main())"
SIZE = 2_000_000


class Terminal(StringIO):
    """What says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of some megabytes with a record in its middle whose type is not known."""
    folder = tmp_path_factory.mktemp("log")
    bmc_log.make().write(folder)
    data = (folder / "payroll.dat").read_bytes()
    count = SIZE // len(data)
    bad = b"\x00\x08\x00\x00\xff\xff\xff\xff"
    (folder / "long.dat").write_bytes(data * (count // 2) + bad + data * (count - count // 2))
    (folder / "long.dat.gz").write_bytes(gzip.compress((folder / "long.dat").read_bytes(), 0))
    (folder / "long.ctl").write_bytes((folder / "payroll.ctl").read_bytes())
    return folder / "long.dat"


def on_terminal(arguments: list[str], folder: Path, start: str = AT_ONCE) -> tuple[int, str, str]:
    """Exit code, standard output and what a terminal got from standard error."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 40, 100, 0, 0))
    command = [sys.executable, "-c", start + RUN, *arguments]
    got = bytearray()
    with TemporaryFile() as out, subprocess.Popen(command, cwd=folder, stdout=out, stderr=theirs) as child:
        os.close(theirs)
        with suppress(OSError):  # once the other end is closed
            while more := os.read(ours, 1 << 16):
                got += more
        os.close(ours)
        code = child.wait()
        out.seek(0)
        return code, out.read().decode(), got.decode()


def seen(got: str) -> list[str]:
    """The lines that a terminal shows in the end."""
    lines = []
    for line in got.replace("\r\n", "\n").split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        lines.append(shown.rstrip())
    return lines[:-1] if not lines[-1] else lines


COMMANDS = {
    "records": ["records", "long.dat", "--spec", "bmc_lldf"],
    "changes": ["changes", "long.dat"],
    "check": ["check", "long.dat"],
    "summary": ["summary", "long.dat"],
    "unpacked": ["summary", "long.dat.gz", "--control", "long.ctl"],
    "convert": ["convert", "long.dat", "OUT", "--control", "long.ctl"],
    "convert by two": ["convert", "long.dat", "OUT", "--control", "long.ctl", "--jobs", "2", "--part-bytes", "500k"],
    "land": ["land", "long.dat", "--to", "OUT", "--as", "parquet"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_terminal_sees_how_far_it_is_and_in_the_end_what_else_is_printed(
    name: str, log: Path, tmp_path: Path
) -> None:
    words, out = COMMANDS[name], str(tmp_path / "out")
    code, printed, got = on_terminal([out if word == "OUT" else word for word in words], log.parent)
    shown = re.findall(r"reading: +(\d+)%.*?(\d+\.?\d*[kM]?)/(\d.\d+M) \[\d\d:\d\d<(?:\d\d:\d\d|\?), [^]]*B/s\]", got)
    assert len({share for share, _, _ in shown}) > 1, got
    again = str(tmp_path / "again")
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE + RUN, *(again if word == "OUT" else word for word in words)],
        cwd=log.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (code, printed) == (done.returncode, done.stdout)
    assert "reading" not in done.stderr
    assert [line.replace(out, again) for line in seen(got)] == done.stderr.splitlines()


def test_nothing_is_shown_of_what_takes_no_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    stream = Terminal()
    with progress.shown_on(stream):
        for step in range(10):
            now = 100 + step / 10
            progress.reached(step << 20, 16 << 20)
        assert stream.getvalue() == ""
        now = 101.1
        progress.reached(10 << 20, 16 << 20)
        assert "10.5M/16.8M" in stream.getvalue()
        now = 101.5
        progress.reached(1 << 20, 16 << 20)  # another reading of the same file
        assert seen(stream.getvalue()) == []
    progress.reached(16 << 20, 16 << 20)
    assert seen(stream.getvalue()) == []


def test_parts_of_joined_files_count_as_parts_of_them(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[int, int]] = []
    monkeypatch.setattr(progress, "reached", lambda done, total, size=0: said.append((done, total)))
    size = log.stat().st_size
    buffer = open_buffer(Joined((JoinedPiece(str(log), 0, size), JoinedPiece(str(log), 0, size))).address)
    assert len(buffer[: size + 1]) == size + 1
    assert len(buffer[size:]) == size
    assert said == [(size + 1, 2 * size), (2 * size, 2 * size)]
