"""Change folder: the changes of a log as one file for each version of a table, with a manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from lmparse.changes.change import Version
from lmparse.changes.descriptions import DESCRIBED, described_table
from lmparse.changes.log import ChangeLog
from lmparse.changes.schemas import version_schema
from lmparse.columnar.json_texts import LINES
from lmparse.export import envelope_files, writers
from lmparse.export.change_parts import ChangeTask, SpilledChanges, check_same, operations_in, spill_log, spill_part
from lmparse.export.conversion import Run, Summary
from lmparse.export.described_inputs import DescribedInputs, sha256_of
from lmparse.export.envelope_files import EnvelopeFiles
from lmparse.export.filenames import Named, safe_names
from lmparse.export.files_ahead import FileAhead, FilesAhead
from lmparse.export.spill_files import Group, GroupKey, SpillFiles, merged
from lmparse.export.writers import BatchOutput
from lmparse.logs.open import files_beside, open_changes
from lmparse.logs.partitions import DEFAULT_BYTES
from lmparse.options import FILE_OPTIONS
from lmparse.storage import processes
from lmparse.storage.atomic_output import AtomicOutput, put_on_disk
from lmparse.terminal import json_text
from lmparse.version import VERSION

_OTHER = "other"
"""Name of the file for changes that have no table version."""


class ChangeFolderRun(Run):
    """One conversion of the changes of a log into a folder of files."""

    described: dict[str, list[tuple[pa.Schema, Version]]]
    """The table versions, each with the schema of its changes, by the identity, which those of several control files
    may share."""
    log: ChangeLog

    @cached_property
    def enveloped(self) -> EnvelopeFiles:
        """The files whose rows are put into an envelope."""
        return EnvelopeFiles(self.log)

    def write(self, work: AtomicOutput) -> Summary:
        """Read the log, spill its changes, and write a file for each version of a table and the manifest."""
        asked = self.asked
        paths = {"source": asked.path, **files_beside(asked.path, asked.options)}
        with processes.Pool(asked.jobs) as pool, DescribedInputs(paths, asked.options.bounds) as inputs:
            return self._write(work, pool, inputs)

    def _write(self, work: AtomicOutput, pool: processes.Pool, inputs: DescribedInputs) -> Summary:
        asked = self.asked
        log = open_changes(asked.path, asked.options, on_error=self.on_error)
        self.start(log)
        self._origin = log.origin
        self.log = log
        envelope_files.check(log, self.form)
        spilled = work.folder / "spilled"
        spilled.mkdir()
        work.made.mkdir()
        log.scratch = spilled
        if asked.jobs > 1:
            log.run = pool.in_order
        if asked.options.columns or asked.options.table_version is not None:
            log.check_columns()  # a part knows its own alone
        parts = self.parts(log.change_parts)
        self.described = {}
        for version in log.all_versions():
            self.described.setdefault(version.identity, []).append((version_schema(log, version), version))
        with self._files_ahead(spilled, asked.metadata(log)) as ahead:
            if len(parts) > 1:
                self.take_over(log.tally)
                inputs.begin()
                tasks = [ChangeTask(part, str(spilled), self.form) for part in parts]
                kept = self._changes_of_parts(tasks, ahead, pool)
            else:
                kept = self._changes_here(log, spilled, ahead)
        self.check_files()
        check_same(kept, self._origin, is_sorted=self.asked.options.order == "file")
        files = self._write_files(work.made, kept.groups, asked.metadata(log), ahead.files)
        self.summary.left_out += self.enveloped.left_out
        manifest = work.made / writers.MANIFEST
        manifest.write_text(json_text(self._manifest(log, files, inputs.found()), indent=2) + "\n", encoding="utf-8")
        put_on_disk(manifest)
        self.summary.bytes_written = sum(entry["size"] for entry in files)
        return self.summary

    def _files_ahead(self, folder: Path, metadata: dict[str, str]) -> FilesAhead:
        return FilesAhead(folder, lambda path, group: self._opened(path, group, metadata), operations_in, self._origin)

    def _changes_of_parts(self, tasks: list[ChangeTask], ahead: FilesAhead, pool: processes.Pool) -> SpilledChanges:
        kept = SpilledChanges()
        # The thread writes while this one gives the processes their next parts.
        with ThreadPoolExecutor(1) as thread, closing(pool.in_order(spill_part, tasks)) as found:
            written: Future[None] | None = None
            for number, done in enumerate(found):
                self.take_over(done.tally, done.errors, done.fault)
                self.summary.rows += done.rows
                self.summary.left_out += done.left_out
                kept.extend(done.kept)
                self.reached(number + 1, len(tasks))
                if written is not None:
                    written.result()  # one part at a time, so that an error ends the reading soon
                if self.asked.options.engine != "check":  # else nothing is written before all is compared
                    written = thread.submit(ahead.add, done.kept.groups)
            if written is not None:
                written.result()
        return kept

    def _changes_here(self, log: ChangeLog, folder: Path, ahead: FilesAhead) -> SpilledChanges:
        """Read the log in this process. What has been spilled is written now and then, so that little waits."""
        kept = SpilledChanges()
        written = 0

        def reached(rows: int, place: int, spilled: SpillFiles) -> None:
            nonlocal written
            self.summary.rows = rows
            self.progress.at(place, rows)
            if place - written >= most and asked.engine != "check" and asked.order == "file":
                written = place
                groups = spilled.next_groups()
                kept.groups.extend(groups)
                ahead.add(groups)

        asked, most = self.asked.options, self.asked.part_bytes or DEFAULT_BYTES
        rest = spill_log(log, folder, "0", reached, form=self.form)
        if kept.groups:
            ahead.add(rest.groups)
        kept.extend(rest)
        self.take_over(log.tally)
        self.summary.left_out = log.left_out
        return kept

    def _merged(self, parts: list[Group]) -> Iterator[pa.RecordBatch]:
        """The rows of some groups: in the order of the log, whichever part produced them, or as they came."""
        return merged(parts, self.asked.options.order == "file", self._origin)

    def _write_files(
        self, folder: Path, groups: list[Group], metadata: dict[str, str], ahead: Mapping[GroupKey, FileAhead]
    ) -> list[dict[str, Any]]:
        """Place a file for each version of a table, written already or now; returns their entries in the manifest."""
        sets: dict[tuple[Any, ...], list[Group]] = {}
        for group in groups:
            sets.setdefault(group.key, []).append(group)
        tables = [self._named(parts) for parts in sets.values()]
        names = iter(safe_names(table for table in tables if table is not None))
        found = []
        for parts, table in zip(sets.values(), tables, strict=True):
            path = folder / f"{_OTHER if table is None else next(names)}.{self.form}"
            written = ahead.get(parts[0].key)
            if written is None:
                operations = self._write_rows(path, parts, metadata)
            else:
                operations = written.operations
                written.path.rename(path)
            found.append(self._entry(path, parts[0], table, operations))
        return sorted(found, key=lambda entry: (entry["table"] is None, entry["file"]))

    def _named(self, parts: list[Group]) -> Named | None:
        """A version under the name that its first change has; None for changes without a version."""
        if parts[0].identity is None:
            return None
        first = next(self._merged(parts))
        schema, name = (first.column(column)[0].as_py() or "" for column in ("schema_name", "table_name"))
        return Named(schema, name, parts[0].sequence, parts[0].identity)

    def _schema(self, group: Group) -> pa.Schema:
        return LINES if self.form == "jsonl" else self.enveloped.schema(self._flat(group))

    def _flat(self, group: Group) -> pa.Schema:
        """The columns of the changes of a group, with what all descriptions say that rows of its file may be read by.

        It is decided before the first row: the file may be written before all descriptions have been used.
        """
        found = [version for schema, version in self.described.get(group.identity or "", []) if schema == group.schema]
        return version_schema(self.log, *found) if found else group.schema

    @contextmanager
    def _opened(self, path: Path, group: Group, metadata: dict[str, str]) -> Iterator[BatchOutput]:
        final = self._schema(group).with_metadata(metadata)
        with (
            writers.opened(path, self.form, final, self.compression, self.asked.csv_text) as output,
            self.enveloped.into(output, group.identity, self._flat(group)) as put,
        ):
            yield put

    def _write_rows(self, path: Path, parts: list[Group], metadata: dict[str, str]) -> Counter[str]:
        operations: Counter[str] = Counter()
        with self._opened(path, parts[0], metadata) as output:
            for batch in self._merged(parts):
                operations.update(operations_in(batch))
                output.write(batch)
        return operations

    def _entry(self, path: Path, group: Group, table: Named | None, operations: Counter[str]) -> dict[str, Any]:
        return {
            "file": path.name,
            "table": None if table is None else ".".join(word for word in (table.schema, table.name) if word),
            "schema_name": table and table.schema,
            "table_name": table and table.name,
            "version": table and table.version,
            "ids": table and table.identity.partition(" ")[0],
            **self._description(group),
            "rows": self.enveloped.rows(group.identity, self._flat(group), sum(operations.values())),
            "rows_by_operation": dict(sorted(operations.items())),
            "schema": None if self.form == "jsonl" else [_described(entry) for entry in self._schema(group)],
            "size": path.stat().st_size,
            "sha256": sha256_of(path),
        }

    def _description(self, group: Group) -> dict[str, Any]:
        """Key and columns of the version of a group; nulls, and a note, if control files say different ones."""
        every = self.described.get(group.identity or "", [])
        of_schema = [version for schema, version in every if schema == group.schema]
        found = [described_table(version) for version in of_schema or (version for _, version in every)]
        if not found:
            return dict.fromkeys(DESCRIBED)
        if all(one == found[0] for one in found):
            return found[0]
        said = (
            f"{group.identity}: control files of several extracts describe this version in different ways; the "
            "manifest does not say its key and columns"
        )
        if said not in self.summary.tally.notices:
            self.summary.tally.notices.append(said)
        return dict.fromkeys(DESCRIBED)

    def _manifest(
        self, log: ChangeLog, files: list[dict[str, Any]], inputs: dict[str, dict[str, Any]]
    ) -> dict[str, Any]:
        summary = self.summary
        bad = sum(entry["rows_by_operation"].get("bad record", 0) for entry in files)
        return {
            "manifest_version": 1,
            "lmparse": VERSION,
            "spec": log.spec.id,
            "spec_sha256": log.spec.layout.sha256,
            "source": inputs["source"],
            **{name: inputs.get(name) for name in FILE_OPTIONS},
            "options": self.asked.set_options(),
            "format": self.form,
            "compression": self.compression,
            "csv_text": self.asked.csv_text if self.form == "csv" else None,
            "files": files,
            "counts": {
                "changes": sum(sum(entry["rows_by_operation"].values()) for entry in files) - bad,
                "left_out": dict(sorted(summary.left_out.items())),
                "bad_records": summary.tally.dropped,
                "errors": summary.tally.error_count,
            },
            "notices": summary.tally.notices,
        }


def _described(entry: pa.Field) -> dict[str, Any]:
    comment = (entry.metadata or {}).get(b"comment", b"").decode()
    is_struct = pa.types.is_struct(entry.type)
    found: dict[str, Any] = {"name": entry.name, "type": "struct" if is_struct else str(entry.type)}
    if comment:
        found["comment"] = comment
    if is_struct:
        found["fields"] = [_described(inner) for inner in entry.type]
    return found
