"""Site samples: what the pages on the specs show of real records, and where it comes from.

A sample is a log file or a folder of them; a case says in a YAML file beside it how it is read. Files go by
their names in the folder, so that the pages are the same wherever it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lmparse.errors import OptionError
from lmparse.review.coverage.files import FileCoverage, Samples, collect


def read_samples(paths: Sequence[str], specs: str | None = None) -> Samples:
    """What the samples at some paths reach.

    `specs` is a folder that build.py made: cases of records in a folder of one of its specs are read with it.
    Files that cannot be read are listed in the result. Raises DataError or OptionError for a path where
    nothing can be read, and OptionError for a case with options that there are not.
    """
    samples = Samples()
    for path in paths:
        root = Path(path)
        found = collect([path], {}, specs=specs)
        if not found.files:
            raise found.unreadable[0] if found.unreadable else OptionError(f"there is no log in {path}")
        _rename(found, root if root.is_dir() else root.parent)
        samples.add(found)
    return samples


def _rename(samples: Samples, root: Path) -> None:
    """Call files by their place below a folder."""

    def shown(path: str) -> str:
        try:
            return Path(path).relative_to(root).as_posix()
        except ValueError:
            return path

    for seen in samples.coverage.fields.values():
        if seen.sample is not None:
            seen.sample = replace(seen.sample, file=shown(seen.sample.file))
    samples.files = [_named(file, shown(file.path)) for file in samples.files]
    samples.passed_over = [shown(path) for path in samples.passed_over]
    for error in samples.unreadable:
        error.file = None if error.file is None else shown(error.file)


def _named(file: FileCoverage, name: str) -> FileCoverage:
    if file.fault is not None:
        file.fault.file = name
    return replace(file, path=name)
