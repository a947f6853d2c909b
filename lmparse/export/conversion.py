"""Conversion: what is to be converted into what, and what came of it."""

from __future__ import annotations

import dataclasses
import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lmparse.errors import OptionError
from lmparse.export import writers
from lmparse.options import Options
from lmparse.records.files import RecordFile, Tally
from lmparse.storage import addresses


@dataclass(frozen=True)
class Conversion:
    """What is to be converted, and into what. Texts are checked when it runs."""

    path: str
    out: str
    options: Options
    with_changes: bool = False
    form: str | None = None
    """Of the files of changes; of records the ending of `out` says it."""
    compression: str | None = None
    jobs: int = 1
    version: str = ""
    """Of lmparse, as files and manifest name it."""
    overwrite: bool = False
    part_bytes: int | None = None
    """Bytes of a part for each process; by default what the size of the file asks for."""

    def form_of_output(self) -> str:
        """What the files are to be. Raises OptionError."""
        if self.with_changes:
            if self.options.order == "commit" and self.jobs > 1:
                raise OptionError("order commit needs the whole log at once", hint="leave jobs out")
            return self.form or "parquet"
        if self.form is not None:
            raise OptionError("format is for changes; of records the ending of the output says it")
        return writers.form_of(Path(self.out))

    def sources(self) -> list[str]:
        """Local files that are read."""
        named = map(addresses.local_path, (self.path, *self.options.files.values()))
        return [name for name in named if not os.path.isdir(name)]

    def said_options(self) -> dict[str, Any]:
        """The options that are not left to themselves; of paths the base names."""
        said: dict[str, Any] = {}
        for entry in dataclasses.fields(self.options):
            value = getattr(self.options, entry.name)
            if entry.name != "spec" and value != entry.default:
                said[entry.name] = addresses.base_name(value) if entry.metadata["is_file"] else value
        return said

    def metadata(self, file: RecordFile) -> dict[str, str]:
        """What a Parquet or Arrow file says of itself."""
        return {
            "lmparse.version": self.version,
            "lmparse.spec": file.spec.id,
            "lmparse.spec_sha256": file.spec.layout.sha256,
            "lmparse.source": addresses.base_name(self.path),
            "lmparse.options": json.dumps(self.said_options()),
        }


@dataclass
class Summary:
    """What was read and written."""

    rows: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    tally: Tally = field(default_factory=Tally)
    """Counts and notices; the errors themselves have been told of."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Changes that `include` kept out, by what became of them."""
