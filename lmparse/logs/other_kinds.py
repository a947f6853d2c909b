"""Other kinds: what to say of a file that is not a log of its family, but is recognised as something else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from lmparse.changes.family import AnyFamily
from lmparse.errors import DataError, FramingError
from lmparse.logs.families import families
from lmparse.logs.sniff import Sniffed, foreign_kind, sniff
from lmparse.options import FILE_OPTIONS, Options
from lmparse.spec import catalog
from lmparse.storage.buffers import open_buffer

_TRIED = 100
"""Files of a folder that are looked at for one of another kind than the file with an error."""


def of_another_kind(path: str | Path, options: Options, error: DataError) -> FramingError | None:
    """The error of a file that is not of the family of its spec, or of another part of it; None if it is not known.

    `error` is what reading it as one of the family gave. It is not trusted if no framing fits, if there is no control
    file, or if the first record is damaged already: bytes of another kind may begin like a record of any length.
    """
    is_first = error.record_index == 0 and error.code in ("LMP-F005", "LMP-F006", "LMP-F007")
    if not (error.code in ("LMP-F003", "LMP-C007") or is_first) or error.file not in (None, str(path)):
        return None
    spec = catalog.load(options.spec).id
    found, owner = _recognised(path, options)
    if found is None or owner is None:
        return _of_another_program(path, options)
    if found.spec == spec:
        return None
    if not owner.owns(spec):
        named = " or ".join(sorted({f"spec {found.spec}", *(name for name in FILE_OPTIONS if name in owner.options)}))
        return _error(owner.title, path, f"give {named}")
    if owner.control is not None and owner.control.is_one(str(path), options.bounds):
        return _error(found.kind, path, f"give the log, and this file as control, or spec {found.spec} for its records")
    return _error(found.kind, path, f"give spec {found.spec}")


def of_two_kinds(paths: Sequence[str], options: Options, error: DataError) -> FramingError | None:
    """The error of the files of one log of which `error` is about one that is of another kind; None if it is not.

    It names that file, and one of another kind among the first ones if there is one.
    """
    alone = None if error.file is None else of_another_kind(error.file, options, error)
    if error.file is None or alone is None:
        return None
    own = _recognised(error.file, options)[1]
    for path in islice(paths, _TRIED):
        owner = _recognised(path, options)[1]
        if own is not None and owner not in (own, None):
            assert owner is not None
            return FramingError(
                f"is of another kind than {path}: this one has {own.title}, that one {owner.title}",
                code="LMP-F013", file=error.file, hint="files of different logs are read apart",
            )  # fmt: skip
    return alone


def _recognised(path: str | Path, options: Options) -> tuple[Sniffed | None, AnyFamily | None]:
    """What a file is and the family of its records, if that is proven."""
    try:
        found = sniff(path, options.bounds)
    except FramingError:
        return None, None
    owner = next((family for family in families() if family.owns(found.spec)), None)
    return (found, owner) if found.trial.is_proven else (None, None)


def _of_another_program(path: str | Path, options: Options) -> FramingError | None:
    try:
        kind = foreign_kind(open_buffer(path, options.bounds))
    except FramingError:
        return None
    return None if kind is None else _error(kind.name, path, kind.hint)


def _error(kind: str, path: str | Path, hint: str) -> FramingError:
    return FramingError(
        f"is of another kind: {kind}", code="LMP-F003", file=str(path), record_offset=0, hint=hint
    )  # fmt: skip
