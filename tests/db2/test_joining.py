"""Several files of one Db2 LUW log give the changes of the whole log, once, wherever it is cut."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from amounts import amount
from samples import db2_scripts as luw

import lmparse
from lmparse import cli
from lmparse.errors import FramingError, OptionError
from lmparse.logs import lines
from lmparse.logs.families import read_options
from lmparse.logs.joining import one_log
from lmparse.logs.open import open_changes

FORMS = [form for form in luw.SOME_FORMS if form[0] == "v10" or form[2] != "bare"]
"""Those that state the position of a record."""


class Cut:
    """A log that can be cut at the boundaries of its records."""

    def __init__(self, folder: Path, generation: str, order: str, framing: str) -> None:
        self.folder = folder
        stream = luw.full_stream(generation, order, framing)
        self.data = stream.bytes()
        self.options = {
            "spec": "db2_log", "generation": generation, "byte_order": order, "framing": framing, "include": "all",
        }  # fmt: skip
        whole = folder / "whole.log"
        whole.write_bytes(self.data)
        log = lmparse.open_log(whole, **self.options)
        self.rows = list(log.changes())
        lead = open_changes(whole, read_options(self.options)).framing.lead
        self.places = [record.offset - lead for record in stream.records][1:]

    def files(self, *spans: tuple[int, int]) -> list[Path]:
        """Stretches of the log as files."""
        paths = [self.folder / f"{start}-{end}.log" for start, end in spans]
        for path, (start, end) in zip(paths, spans, strict=True):
            path.write_bytes(self.data[start:end])
        return paths

    def wrong(self, paths: list[Path], rows: list[dict[str, Any]]) -> list[str]:
        """How rows differ from those of the whole log; each must be at the same bytes in its file."""
        whole = [without_place(row) for row in self.rows]
        found = [] if [without_place(row) for row in rows] == whole else ["other rows"]
        for row, own in zip(rows, self.rows, strict=False):
            place = row["_metadata"]
            start = int(Path(place["file"]).name.partition("-")[0])
            if place["record_offset"] + start != own["_metadata"]["record_offset"]:
                found.append(f"{place} for {own['_metadata']}")
        return found

    def by_record(self, paths: list[Path]) -> list[dict[str, Any]]:
        return list(lmparse.open_log(paths, **self.options).changes())

    def by_column(self, paths: list[Path]) -> list[dict[str, Any]]:
        options = read_options({**self.options, "engine": "columnar"})
        log = open_changes(*one_log(paths, options))
        return [json.loads(line) for text in lines.printed(log, with_changes=True) for line in text.splitlines()]


def without_place(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "_metadata"}


def test_a_log_cut_at_every_record_boundary(tmp_path: Path) -> None:
    cut = Cut(tmp_path, "v10", "little", "filter")
    size = len(cut.data)
    for place in cut.places[:: amount(5, 1)]:
        paths = cut.files((place, size), (0, place))
        assert cut.wrong(paths, cut.by_record(paths)) == []
        assert cut.wrong(paths, cut.by_column(paths)) == []


@pytest.mark.parametrize(("generation", "order", "framing"), FORMS)
def test_overlapping_files_in_any_order(generation: str, order: str, framing: str, tmp_path: Path) -> None:
    cut, chosen = Cut(tmp_path, generation, order, framing), random.Random(f"{generation}{order}{framing}")
    size = len(cut.data)
    for _ in range(amount(1, 3)):
        first, second, third = sorted(chosen.sample(cut.places, 3))
        back = chosen.choice([0, *(place for place in cut.places if place < second)])
        paths = cut.files((0, first), (first, second), (back, third), (third, size), (first, second))
        chosen.shuffle(paths)
        assert cut.wrong(paths, cut.by_record(paths)) == []
        assert cut.wrong(paths, cut.by_column(paths)) == []


def test_what_is_missing_between_files_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = Cut(tmp_path, "v10", "little", "filter")
    one, two = cut.places[8], cut.places[9]
    first, second = cut.files((0, one), (two, len(cut.data)))
    command = ["changes", str(second), str(first), *arguments(cut)]
    cli.main(command)
    assert f"between {first} and {second}, " in capsys.readouterr().err
    first, second = cut.files((0, two), (two, len(cut.data)))
    cli.main(["changes", str(first), str(second), *arguments(cut)])
    assert "between" not in capsys.readouterr().err


def test_converted_files_of_one_log(tmp_path: Path) -> None:
    cut = Cut(tmp_path, "v10", "little", "filter")
    middle = cut.places[len(cut.places) // 2]
    paths = [str(path) for path in cut.files((middle, len(cut.data)), (0, middle))]
    for jobs, out in (("1", tmp_path / "one"), ("2", tmp_path / "two")):
        small = ["--part-bytes", "600", "--jobs", jobs]
        assert cli.main(["convert", *paths, str(out), *arguments(cut), *small]) == 0
    manifest = json.loads((tmp_path / "two" / "manifest.json").read_text())
    assert [file["name"] for file in manifest["source"]["files"]] == [Path(path).name for path in reversed(paths)]
    for path in (tmp_path / "one").glob("*.parquet"):
        assert pq.read_table(path).equals(pq.read_table(tmp_path / "two" / path.name))
    rows = [row for path in (tmp_path / "one").glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    assert sorted(row["seq"] for row in rows) == sorted(row["seq"] for row in cut.rows)


@pytest.mark.parametrize("what", ["another byte", "another log", "no position", "out of order"])
def test_files_that_are_not_of_one_log(what: str, tmp_path: Path) -> None:
    cut = Cut(tmp_path, "v10", "little", "filter") if what != "no position" else None
    if cut is None:
        data = luw.full_stream("v9.7", "little", "bare").bytes()
        first, second = tmp_path / "a.log", tmp_path / "b.log"
        first.write_bytes(data)
        second.write_bytes(data)
        options: dict[str, Any] = {"spec": "db2_log", "generation": "v9.7", "byte_order": "little", "framing": "bare"}
    else:
        options = {name: value for name, value in cut.options.items() if name in ("spec", "include")}
        first, second = cut.files((0, cut.places[20]), (cut.places[10], len(cut.data)))
        raw = bytearray(second.read_bytes())
        if what == "another byte":
            raw[cut.places[12] - cut.places[10] - 1] ^= 1
        elif what == "another log":
            raw = bytearray(luw.full_stream("v10", "big", "filter").bytes())
        else:
            size = cut.places[11] - cut.places[10]
            raw = raw[size:] + raw[:size]
        second.write_bytes(raw)
    with pytest.raises(FramingError) as found:
        list(lmparse.open_log([first, second], **options).changes())
    assert found.value.code == "LMP-F013"
    assert found.value.file in (str(first), str(second))


@pytest.mark.parametrize("framing", ["filter", "lsn8", "bare"])
def test_a_record_that_is_cut_short_never_goes_on_in_the_next_file(framing: str, tmp_path: Path) -> None:
    cut = Cut(tmp_path, "v10", "little", framing)
    firsts = [0, *cut.places, len(cut.data)]
    sizes = [behind - start for start, behind in pairwise(firsts)]
    # A record with another one behind it that is shorter: with the bytes of that one it would be whole.
    numbers = [number for number in range(2, len(sizes) - 1) if sizes[number + 1] < sizes[number]]
    for number in numbers[:: len(numbers) // 4]:
        start, behind, left = firsts[number - 1], firsts[number + 1], sizes[number + 1]
        first, short, last = cut.files((0, start), (start, behind - left), (behind, len(cut.data)))
        log = lmparse.open_log([last, first, short], **cut.options)
        with pytest.raises(FramingError) as found:
            list(log.changes())
        assert found.value.file == str(short)
        assert found.value.record_index == 1
        assert f"{last} is not read: it is behind the damage of {short}" in log.tally.notices


def arguments(cut: Cut) -> list[str]:
    return [word for name, value in cut.options.items() for word in (f"--{name.replace('_', '-')}", str(value))]


@pytest.mark.parametrize(("start", "end"), [(16, 0), (0, 8), (16, 8)])
def test_bytes_of_files_that_are_not_records(start: int, end: int, tmp_path: Path) -> None:
    """They are left out of one file; files that are joined must not have any, nor one behind a checkpoint."""
    cut = Cut(tmp_path, "v10", "little", "filter")
    middle = cut.places[len(cut.places) // 2]
    files = cut.files((0, middle), (middle, len(cut.data)))
    for path in files:
        path.write_bytes(bytes(start) + path.read_bytes() + bytes(end))
    options = {**cut.options, "file_start_offset": start, "file_end_offset": end}
    assert list(lmparse.open_log(files[0], **options).changes())
    with pytest.raises(OptionError, match="fileStartOffset and fileEndOffset mean nothing") as found:
        lmparse.open_log(files, **options)
    assert found.value.code == "LMP-S003"
    del options["include"]
    log = lmparse.open_log(files[0], checkpoint=tmp_path / "state", **options)
    list(log.changes())
    log.save_checkpoint()
    with pytest.raises(OptionError, match="behind a checkpoint"):
        lmparse.open_log(files[1], checkpoint=tmp_path / "state", **options)
