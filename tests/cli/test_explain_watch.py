"""`lmparse explain --watch` shows a record again after each change of its file or of its spec."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from interrupts import sigint_heard

from lmparse import cli

SPEC = "meta: {id: acme_a}\nseq: [{id: one, type: u1}, {id: rest, size-eos: true}]\n"


def test_changes_of_the_file_and_of_the_spec_are_shown(tmp_path: Path) -> None:
    spec, out, file = tmp_path / "acme" / "acme_a.ksy", tmp_path / "out", tmp_path / "one.bin"
    spec.parent.mkdir()
    spec.write_text(SPEC)
    file.write_bytes(b"\1abc")
    assert cli.main(["build", "--formats", str(spec), "--out", str(out)]) == 0
    words = ["explain", file, "--spec", out / "acme_a", "--framing", "fixed", "--record-length", "4", "--watch"]
    with sigint_heard():
        process = subprocess.Popen(
            [sys.executable, "-m", "lmparse", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def shown() -> str:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            if "waiting for changes" in line:
                break
            lines.append(line)
        return "".join(lines)

    assert "61 62 63" in shown()
    new = tmp_path / "new.bin"
    new.write_bytes(b"\1xyz")
    os.replace(new, file)
    assert "78 79 7A" in shown().upper()
    spec.write_text(SPEC.replace("one", "uno"))
    assert cli.main(["build", "--formats", str(spec), "--out", str(out)]) == 0
    assert "uno" in shown()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=20)
    assert (process.returncode, "Traceback" in rest) == (0, False)


def test_a_remote_file_is_not_watched(tmp_path: Path) -> None:
    assert cli.main(["explain", "s3://bucket/one.bin", "--watch"]) == 2
