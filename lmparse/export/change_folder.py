"""Change folder: the changes of a log as one file for each version of a table, with a manifest."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from lmparse.changes.change import Version
from lmparse.changes.descriptions import DESCRIBED, described_table
from lmparse.changes.log import check_going_on
from lmparse.changes.schemas import version_schema
from lmparse.columnar.json_texts import LINES
from lmparse.export import writers
from lmparse.export.change_parts import Group, GroupKey, keep_changes, merged, operations_in
from lmparse.export.conversion import Conversion, Run
from lmparse.limits import Limits
from lmparse.logs.open import open_changes
from lmparse.options import FILE_OPTIONS
from lmparse.storage import addresses, buffers, processes
from lmparse.storage.joined import is_joined, names_in
from lmparse.storage.outputs import AtomicOutput, put_on_disk
from lmparse.terminal import json_text
from lmparse.version import VERSION

_OTHER = "other"
"""Name of the file for changes without a table version."""
_HASHED = 1 << 20
"""Bytes that are hashed at a time."""


class ChangeFolder:
    """The changes of a log as a folder of files."""

    def __init__(self, asked: Conversion, form: str, compression: str, run: Run) -> None:
        self.asked, self.form, self.compression = asked, form, compression
        self.run, self.summary = run, run.summary
        self.described: dict[str, list[tuple[pa.Schema, Version]]] = {}
        """Table versions with the schema of their changes, by identity; several control files may describe one
        identity."""

    def write(self, work: AtomicOutput) -> None:
        """Read the log, keep its changes, and write the manifest and a file for each table version."""
        asked, run = self.asked, self.run
        check_going_on(asked.options)
        self.log = log = open_changes(asked.path, asked.options, on_error=run.on_error)
        run.start(log)
        folder = work.folder / "spilled"
        folder.mkdir()
        work.made.mkdir()
        if asked.options.columns or asked.options.table_version is not None:
            log.check_columns()  # a part knows only its own columns
        with processes.Pool(asked.jobs) as pool:
            log.scratch, log.run = folder, pool.in_order if asked.jobs > 1 else None
            parts = run.parts_for(asked, log.change_parts)
            for version in log.all_versions():
                self.described.setdefault(version.identity, []).append((version_schema(log, version), version))
            is_sorted = asked.options.order == "file"
            kept = keep_changes(run, log, folder, parts, log.run, form=self.form, is_sorted=is_sorted)
        files = self._write_files(work.made, kept)
        manifest = work.made / writers.MANIFEST
        manifest.write_text(json_text(self._manifest(files), indent=2) + "\n", encoding="utf-8")
        put_on_disk(manifest)
        self.summary.bytes_written = sum(entry["size"] for entry in files)

    def _merged(self, parts: list[Group]) -> Iterator[pa.RecordBatch]:
        """The rows of some groups: in the order of the log, or as read if the order is that of commits."""
        return merged(parts, self.asked.options.order == "file", self.log.origin)

    # -- files ----------------------------------------------------------------------------------

    def _write_files(self, folder: Path, groups: list[Group]) -> list[dict[str, Any]]:
        """Write a file for each table version; returns their entries in the manifest."""
        sets: dict[GroupKey, list[Group]] = {}
        for group in groups:
            sets.setdefault(group.key, []).append(group)
        taken = set[str]()
        ordered = sorted(sets.items(), key=lambda one: (one[0][0] or "", one[0][1]))
        found = [self._written(folder, parts, taken) for _, parts in ordered]
        return sorted(found, key=lambda entry: (entry["table"] is None, entry["file"]))

    def _written(self, folder: Path, parts: list[Group], taken: set[str]) -> dict[str, Any]:
        """Write the file of a table version, or of changes without a version; returns its entry in the manifest.

        The name of the table in the first change names the file; names that are `taken` are avoided.
        """
        identity, sequence, _ = parts[0].key
        words, file = ("", ""), _OTHER
        if identity is not None:
            first = next(self._merged(parts))
            words = (first["schema_name"][0].as_py() or "", first["table_name"][0].as_py() or "")
            file = writers.safe_name(*words, identity, taken, f".v{sequence:03d}")
        path = folder / f"{file}.{self.form}"
        operations = Counter[str]()
        every = self.described.get(parts[0].identity or "", [])
        versions = [version for schema, version in every if schema == parts[0].schema]
        described = version_schema(self.log, *versions) if versions else parts[0].schema
        schema = LINES if self.form == "jsonl" else described
        final = schema.with_metadata(self.asked.metadata(self.log))
        with writers.opened(path, self.form, final, self.compression, self.asked.csv_text) as output:
            for batch in self._merged(parts):
                operations.update(operations_in(batch))
                output.write(batch)
        return {
            "file": path.name,
            "table": ".".join(filter(None, words)) if identity else None,
            "schema_name": words[0] if identity else None,
            "table_name": words[1] if identity else None,
            "version": sequence if identity else None,
            "ids": identity and identity.partition(" ")[0],
            **self._description(identity, versions or [version for _, version in every]),
            "rows": operations.total(),
            "rows_by_operation": dict(sorted(operations.items())),
            "size": path.stat().st_size,
            "sha256": _hash(path),
        }

    def _description(self, identity: str | None, versions: list[Version]) -> dict[str, Any]:
        """Key and columns of a table version; nulls, and a notice, if control files contradict each other."""
        found = list(map(described_table, versions))
        if found and all(one == found[0] for one in found):
            return found[0]
        notice = (
            f"{identity}: control files of several extracts describe this version in different ways; the manifest does "
            "not say its key and columns"
        )
        if found:
            self.summary.tally.noticed.setdefault(notice)
        return dict.fromkeys(DESCRIBED)

    # -- the manifest ---------------------------------------------------------------------------

    def _manifest(self, files: list[dict[str, Any]]) -> dict[str, Any]:
        summary, asked, spec = self.summary, self.asked, self.log.spec
        bad = sum(entry["rows_by_operation"].get("bad record", 0) for entry in files)
        inputs = {"source": asked.path, **asked.options.files}
        described = {name: described_input(path, asked.options.bounds) for name, path in inputs.items()}
        return {
            "manifest_version": 1,
            "lmparse": VERSION,
            "spec": spec.id,
            "spec_sha256": spec.layout.sha256,
            "source": described["source"],
            **{name: described.get(name) for name in FILE_OPTIONS},
            "options": asked.set_options(),
            "format": self.form,
            "compression": self.compression,
            "csv_text": asked.csv_text if self.form == "csv" else None,
            "files": files,
            "counts": {
                "changes": sum(sum(entry["rows_by_operation"].values()) for entry in files) - bad,
                "left_out": dict(sorted(summary.left_out.items())),
                "bad_records": summary.tally.dropped,
                "errors": summary.tally.error_count,
            },
            "notices": summary.tally.notices,
        }


def described_input(path: str, limits: Limits) -> dict[str, Any]:
    """Base name, size and hash of a file: of stored bytes if local, of unpacked bytes if remote.

    For joined files, `size` is the sum, and `files` has each file.
    """
    if is_joined(path):
        files = [described_input(name, limits) for name in names_in(path)]
        return {"name": None, "size": sum(file["size"] for file in files), "sha256": None, "files": files}
    name = {"name": addresses.base_name(path)}
    if addresses.is_remote(path):
        buffer = buffers.open_buffer(path, limits)
        digest = hashlib.sha256()
        for start in range(0, len(buffer), _HASHED):
            digest.update(buffer[start : start + _HASHED])
        return name | {"size": len(buffer), "sha256": digest.hexdigest()}
    place = Path(addresses.local_path(path))
    return name | {"size": place.stat().st_size, "sha256": _hash(place)}


def _hash(place: Path) -> str:
    with open(place, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
