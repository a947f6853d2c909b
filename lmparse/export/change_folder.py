"""Change folder: the changes of a log as one file for each version of a table, with a manifest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, LmparseError
from lmparse.export import change_files, writers
from lmparse.export.change_files import Form
from lmparse.export.conversion import Summary
from lmparse.export.run import PartResult, Run, opened_again
from lmparse.export.spill_files import Group, SpillFiles, spill, spill_lines
from lmparse.framing.extents import Span
from lmparse.logs.families import check_changes
from lmparse.logs.open import open_changes
from lmparse.logs.partitions import FilePart
from lmparse.options import FILE_OPTIONS
from lmparse.records.files import RecordFile, Tally
from lmparse.records.settings import FileSettings
from lmparse.storage import processes
from lmparse.storage.atomic_output import AtomicOutput, put_on_disk


@dataclass
class _Spilled:
    """Changes on the disk."""

    groups: list[Group] = field(default_factory=list)
    """What is to be written."""
    firsts: list[Group] = field(default_factory=list)
    """For engine check, what is to be the same as `seconds`: the changes from one engine and from the other."""
    seconds: list[Group] = field(default_factory=list)

    def extend(self, other: _Spilled) -> None:
        """Take over those of a later part."""
        self.groups += other.groups
        self.firsts += other.firsts
        self.seconds += other.seconds


@dataclass(frozen=True)
class _ChangeTask:
    part: FilePart
    form: str
    folder: str
    prefix: str


@dataclass
class _ChangesRead(PartResult):
    """What one part of changes gave. Safe to pickle."""

    left_out: Counter[str] = field(default_factory=Counter)
    kept: _Spilled = field(default_factory=_Spilled)


class ChangeFolderRun(Run):
    """The changes of a log on their way into a folder of files."""

    def write(self, work: AtomicOutput) -> Summary:
        """Read the log, spill its changes, and write a file for each version of a table and the manifest."""
        asked = self.asked
        log = open_changes(asked.path, asked.options, on_error=self.on_error)
        self.start(log)
        spilled = work.folder / "spilled"
        spilled.mkdir()
        work.made.mkdir()
        parts = self.parts(log.change_parts)
        if len(parts) > 1:
            self.take_over(log.tally, [])
            tasks = [_ChangeTask(part, self.form, str(spilled), str(number)) for number, part in enumerate(parts)]
            kept = self._changes_of_parts(tasks)
        else:
            kept = _spill(log, None, None, self.form, spilled, "0", self._rows_reached)
            self.take_over(log.tally, [])
            self.summary.left_out = log.left_out
        is_sorted = asked.options.order == "file"
        change_files.check_same(kept.firsts, kept.seconds, is_sorted=is_sorted)
        form = Form(self.form, self.compression, asked.metadata(log), is_sorted)
        files = change_files.write_files(work.made, kept.groups, form)
        manifest = work.made / writers.MANIFEST
        said = json.dumps(self._manifest(log, files), indent=2, ensure_ascii=False)
        manifest.write_text(said + "\n", encoding="utf-8", errors="surrogateescape")
        put_on_disk(manifest)
        self.summary.bytes_written = sum(entry["size"] for entry in files)
        return self.summary

    def _changes_of_parts(self, tasks: list[_ChangeTask]) -> _Spilled:
        kept = _Spilled()
        with closing(processes.in_order(_spill_part, tasks, min(self.asked.jobs, len(tasks)))) as found:
            for number, done in enumerate(found):
                self.take_over(done.tally, done.errors, done.fault)
                self.summary.rows += done.rows
                self.summary.left_out += done.left_out
                kept.extend(done.kept)
                self.reached(number + 1, len(tasks))
        return kept

    def _manifest(self, log: ChangeLog, files: list[dict[str, Any]]) -> dict[str, Any]:
        options, summary = self.asked.options, self.summary
        control = check_changes(options).control
        beside = options.files
        if control is not None and "control" in beside:
            beside["control"] = control.find(log.path, options.control)
        bad = sum(entry["rows_by_operation"].get("bad record", 0) for entry in files)
        return {
            "manifest_version": 1,
            "lmparse": self.asked.version,
            "spec": log.spec.id,
            "spec_sha256": log.spec.layout.sha256,
            "source": change_files.about(log.path),
            **{name: change_files.about(beside[name]) if name in beside else None for name in FILE_OPTIONS},
            "options": self.asked.said_options(),
            "format": self.form,
            "compression": self.compression,
            "files": files,
            "counts": {
                "changes": sum(entry["rows"] for entry in files) - bad,
                "left_out": dict(sorted(summary.left_out.items())),
                "bad_records": summary.tally.dropped,
                "errors": summary.tally.error_count,
            },
            "notices": summary.tally.notices,
        }

    def _rows_reached(self, rows: int, reached: int) -> None:
        self.summary.rows = rows
        self.progress.at(reached, rows)


def _spill(
    log: ChangeLog,
    span: Span | None,
    settings: FileSettings | None,
    form: str,
    folder: Path,
    prefix: str,
    reached: Callable[[int, int], None],
) -> _Spilled:
    """Spill the changes of a log or part, and for engine check once more those of the other engine."""

    def read(source: RecordFile, name: str, put: Any) -> list[Group]:
        assert isinstance(source, ChangeLog)
        files = SpillFiles(folder, name)
        for rows, place in put(source, span, files):
            if source is log:
                reached(rows, place)
        return files.groups()

    asked = spill_lines if form == "jsonl" else spill
    kept = _Spilled(read(log, f"{prefix}-rows", asked))
    if log.options.engine == "check":
        kept.seconds = read(opened_again(log, settings, "kaitai"), f"{prefix}-kaitai", spill)
        if form == "jsonl":
            kept.firsts = read(opened_again(log, settings, "columnar"), f"{prefix}-columnar", spill)
        else:
            kept.firsts = kept.groups
    return kept


def _spill_part(task: _ChangeTask) -> _ChangesRead:
    errors: list[DataError] = []
    done = _ChangesRead(0, Tally(), errors, None)
    part = task.part
    log: RecordFile | None = None

    def count_rows(rows: int, _: int) -> None:
        done.rows = rows

    try:
        log = part.open(on_error=errors.append)
        assert isinstance(log, ChangeLog)
        folder = Path(task.folder)
        done.kept = _spill(log, part.span, part.settings, task.form, folder, task.prefix, count_rows)
        done.left_out = log.left_out
    except LmparseError as error:
        done.fault = error
    if log is not None:
        done.tally = log.tally
    return done
