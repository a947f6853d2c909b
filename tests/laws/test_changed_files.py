"""A file that changes between planning and reading, or while it is read, is an error that names it."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spec.build_step import make
from writers.bmc import framing, logs

from lmparse import cli
from lmparse.errors import LmparseError, ReadError
from lmparse.export.conversion import Run
from lmparse.logs import arrow
from lmparse.logs.partitions import Request
from lmparse.options import Options
from lmparse.spark.rdd import _Parser, _part_records
from lmparse.spec import catalog

PART_BYTES = 3_000


def _replaced(path: Path, data: bytes) -> None:
    """Another file under the same name: what is mapped stays as it is."""
    path.with_suffix(".new").write_bytes(data)
    os.replace(path.with_suffix(".new"), path)


def _grown(path: Path) -> None:
    with open(path, "ab") as file:
        file.write(bytes(100))


CHANGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "gone": (Path.unlink, "LMP-F001", "No such file"),
    "grown": (_grown, "LMP-F012", "grew"),
    "shrunk": (lambda path: _replaced(path, path.read_bytes()[:-100]), "LMP-F012", "shrank"),
    "emptied": (lambda path: _replaced(path, b""), "LMP-F012", "shrank"),
    "written": (lambda path: os.utime(path, ns=(1, 1)), "LMP-F012", "was written to"),
}
WHICH = {"log": "a.dat", "control file": "a.ctl"}


@pytest.fixture
def log(tmp_path: Path) -> dict[str, str]:
    example = logs.example()
    (tmp_path / "a.dat").write_bytes(framing.rdw(example.data_records))
    (tmp_path / "a.ctl").write_bytes(framing.rdw(example.control_records))
    return {"path": str(tmp_path / "a.dat"), "control": str(tmp_path / "a.ctl")}


def request_of(log: dict[str, str], *, with_changes: bool) -> Request:
    options = Options.parse({"control": log["control"], "framing": "rdw", "spec": "bmc_lldf"})
    return Request((log["path"],), options, with_changes, PART_BYTES)


@pytest.mark.parametrize("what", ["records", "changes"])
@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("moment", ["planned", "read"])
def test_a_part_is_of_the_file_that_was_planned(
    log: dict[str, str], what: str, which: str, change: str, moment: str
) -> None:
    request = request_of(log, with_changes=what == "changes")
    schema = arrow.request_schema(request)
    part, *rest = map(pickle.loads, map(pickle.dumps, request.parts()))
    assert rest, "the file has one part only"
    make, code, text = CHANGES[change]
    place = Path(log["path"]).with_name(WHICH[which])
    if moment == "planned":
        make(place)
    batches = 0
    with pytest.raises(LmparseError, match=text) as caught:  # noqa: PT012
        for _ in arrow.part_rows(part, schema, with_changes=request.with_changes):
            batches += 1
            if batches == 1:
                make(place)
    assert (batches > 0) == (moment == "read")
    assert caught.value.code == code
    assert str(caught.value).startswith(f"{place}: ")


@pytest.mark.parametrize("change", CHANGES)
def test_records_of_an_rdd_too(log: dict[str, str], change: str) -> None:
    part, *_ = request_of(log, with_changes=False).parts()
    make, code, text = CHANGES[change]
    records = _part_records(part)
    next(records)
    make(Path(log["path"]))
    with pytest.raises(LmparseError, match=text) as caught:
        list(records)
    assert caught.value.code == code


@pytest.mark.parametrize(("what", "jobs"), [("records", 2), ("changes", 1)])
@pytest.mark.parametrize("change", CHANGES)
def test_convert_leaves_no_output(
    log: dict[str, str], what: str, jobs: int, change: str, here: None, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:  # fmt: skip
    make, code, text = CHANGES[change]
    start = Run.start

    def started(self: Run, file: Any) -> None:
        start(self, file)
        make(Path(log["path"]))

    monkeypatch.setattr(Run, "start", started)
    monkeypatch.setattr("lmparse.export.conversion._LEAST_BYTES", PART_BYTES)
    out = tmp_path / "out" / ("a.parquet" if what == "records" else "a")
    out.parent.mkdir()
    options = ["--control", log["control"]] if what == "changes" else ["--spec", "bmc_lldf", "--framing", "rdw"]
    exit_code = cli.main(["convert", log["path"], str(out), *options, "--jobs", str(jobs)])
    shown = capsys.readouterr().err
    assert exit_code != 0
    assert text in shown
    assert f"[{code}]" in shown
    assert not list(out.parent.iterdir())


def _built(folder: Path, *fields: str) -> None:
    """A spec with fields of two bytes each, built into a folder."""
    spec = folder.with_name("pair_pair.ksy")
    seq = "".join(f"  - {{id: {name}, type: u2, doc: A number}}\n" for name in fields)
    spec.write_text(f"meta: {{id: pair_pair, title: A pair, endian: be}}\ndoc: A pair.\nseq:\n{seq}")
    for name, text in make(spec).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_all_processes_read_with_one_spec(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One that is built anew in the meantime would give other values under the names of the old one."""
    folder, log, out = tmp_path / "built", tmp_path / "a.bin", tmp_path / "out" / "a.jsonl"
    _built(folder, "left", "right")
    out.parent.mkdir()
    log.write_bytes(bytes.fromhex("00010002") * PART_BYTES)
    words = ["convert", str(log), str(out), "--spec", str(folder / "pair_pair"), "--framing", "fixed"]
    words += ["--record-length", "4", "--jobs", "2"]
    monkeypatch.setattr("lmparse.export.conversion._LEAST_BYTES", PART_BYTES)
    assert cli.main([*words, "--overwrite"]) == 0
    out.unlink()
    start = Run.start

    def started(self: Run, file: Any) -> None:
        start(self, file)
        _built(folder, "right", "left")

    monkeypatch.setattr(Run, "start", started)
    capsys.readouterr()
    assert cli.main(words) != 0
    shown = capsys.readouterr().err
    assert "is not the spec that its reading was planned with [LMP-F012]" in shown
    assert not list(out.parent.iterdir())


def test_a_spec_is_another_one_if_what_it_imports_is(tmp_path: Path) -> None:
    """Also if only an expression reaches it: here the length of a field, from a type that no field has."""
    head = (
        "meta: {id: pair_head, title: A head, endian: be}\ndoc: A head.\nseq:\n  - {id: a, type: u1, doc: A number}\n"
    )
    pair = (
        "meta: {id: pair_pair, title: A pair, endian: be, imports: [pair_head]}\ndoc: A pair.\nseq:\n"
        "  - {id: data, size: head.count, doc: Bytes}\ninstances:\n  head: {pos: 0, type: pair_head, doc: A head}\n"
    )
    found = []
    for factor in (1, 2):
        specs, out = tmp_path / f"specs{factor}" / "pair", tmp_path / f"built{factor}"
        specs.mkdir(parents=True)
        (specs / "pair_pair.ksy").write_text(pair)
        (specs / "pair_head.ksy").write_text(f"{head}instances:\n  count: {{value: a * {factor}, doc: A number}}\n")
        for name, text in make(specs.parent).items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_text(text)
        found.append(catalog.load(f"{out}/pair_pair"))
    one, two = found
    assert [spec.parser.from_bytes(b"\2abc").data for spec in found] == [b"\2a", b"\2abc"]
    assert one.fingerprint != two.fingerprint
    with pytest.raises(ReadError) as caught:
        list(_Parser(Options(spec=two.name), False, one.fingerprint)([b"\1a"]))
    assert caught.value.code == "LMP-F012"
