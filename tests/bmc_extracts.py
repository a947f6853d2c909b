"""A Log Master log that is cut into extracts, and the ways to read these together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from writers.bmc import framing, logs
from writers.bmc.logs import field, opened

import lmparse
from lmparse.logs import lines
from lmparse.logs.families import read_options
from lmparse.logs.open import open_resumed
from lmparse.logs.partitions import Request

ALL = {"include": "all"}


def unit(record: bytes) -> bytes:
    return field(record, "memberid") + field(record, "uorid")


class Cut:
    """A log that is cut between its records."""

    def __init__(self, folder: Path, records: Sequence[bytes], control: Sequence[bytes]) -> None:
        self.folder, self.data, self.control = folder, list(records), list(control)
        (folder / "whole").mkdir()
        whole = self.write(folder / "whole" / "whole", self.data)
        self.rows = list(lmparse.open_log(whole, control=str(whole.with_suffix(".ctl")), **ALL).changes())

    @property
    def places(self) -> list[int]:
        """Where it can be cut: not between segments of one change, whose records have one position."""
        positions = [field(one, "loglrsn") for one in self.data]
        return [place for place in range(1, len(positions)) if not {*positions[:place]} & {*positions[place:]}]

    def write(self, path: Path, records: Sequence[bytes], control: Sequence[bytes] | None = None) -> Path:
        path.with_suffix(".dat").write_bytes(framing.rdw(records))
        path.with_suffix(".ctl").write_bytes(framing.rdw(self.control if control is None else control))
        return path.with_suffix(".dat")

    def files(self, *spans: tuple[int, int]) -> list[Path]:
        """Stretches of the log as extracts: units whose last record is behind them are open."""
        folder = self.folder / "-".join(f"{start}.{end}" for start, end in spans)
        folder.mkdir()
        found = []
        for start, end in spans:
            records = opened(self.data[start:end], self.data[end:])
            found.append(self.write(folder / f"{start}-{end}-{len(found)}", records))
        return found

    def wrong(self, paths: Sequence[Path], *ways: Any, **options: Any) -> list[str]:
        """How the rows of extracts differ from those of the whole log, in either engine and by parts."""
        found = []
        for read in ways or (by_record, by_column, by_parts):
            rows = read(paths, **ALL | options)
            if without_place(rows) != without_place(self.rows):
                found.append(f"{read.__name__}: {len(rows)} rows, not {len(self.rows)}")
            for row in rows:
                place = row["_metadata"]
                start = int(Path(place["file"]).name.partition("-")[0])
                own = [one["_metadata"] for one in self.rows if one["seq"] == row["seq"]]
                if start + place["record_index"] not in [one["record_index"] for one in own]:
                    found.append(f"{place} for {own}")
        return found


def without_place(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = [{name: value for name, value in row.items() if name != "_metadata"} for row in rows]
    return sorted(kept, key=lambda row: str(row["seq"]))


def by_record(paths: Sequence[Path], **options: Any) -> list[dict[str, Any]]:
    log = lmparse.open_log(paths, control=str(paths[0].parent / "{stem}.ctl"), **options)
    rows = list(log.changes())
    assert not log.tally.errors
    return rows


def by_column(paths: Sequence[Path], **options: Any) -> list[dict[str, Any]]:
    named = read_options({"engine": "columnar", "control": str(paths[0].parent / "{stem}.ctl"), **options})
    log = open_resumed(paths, named)
    rows = [json.loads(line) for text in lines.printed(log, with_changes=True) for line in text.splitlines()]
    assert not log.tally.errors
    return rows


def by_parts(paths: Sequence[Path], size: int = 3000, **options: Any) -> list[dict[str, Any]]:
    """As tasks of Spark read them: each part by itself."""
    named = read_options({"control": str(paths[0].parent / "{stem}.ctl"), **options})
    found = []
    for part in Request(tuple(map(str, paths)), named, True, size).parts():
        log = part.open()
        for text in (
            line for many in lines.change_lines(log, part.span) for one in many for line in one.batch.column(0)
        ):
            found.append(json.loads(text.as_py()))
    return found


def example(folder: Path, **options: Any) -> Cut:
    found = logs.example(**options, control_options={"describe_header": False, "indexes": False})
    return Cut(folder, found.data_records, found.control_records)
