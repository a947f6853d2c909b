"""Other kinds: what to say of a file that is not a log of its family, but is recognised as something else."""

from __future__ import annotations

from pathlib import Path

from lmparse.errors import FramingError
from lmparse.logs.families import families
from lmparse.logs.sniff import sniff
from lmparse.options import FILE_OPTIONS, Options
from lmparse.spec import catalog


def of_another_kind(path: str | Path, options: Options, error: FramingError) -> FramingError | None:
    """The error of a file that is not of the family of its spec, or of another part of it; None if it is not known.

    `error` is what reading it as one of the family gave. It is not trusted if no framing fits, or if the first record
    is damaged already: bytes of another kind may begin like a record of any length.
    """
    is_first = error.record_index == 0 and error.code in ("LMP-F005", "LMP-F006", "LMP-F007")
    if not (error.code == "LMP-F003" or is_first) or error.file not in (None, str(path)):
        return None
    try:
        found = sniff(path, options.bounds)
    except FramingError:
        return None
    spec = catalog.load(options.spec).id
    owner = next((family for family in families() if family.owns(found.spec)), None)
    if owner is None or found.spec == spec or not found.trial.is_proven:
        return None
    if not owner.owns(spec):
        named = " or ".join(sorted({f"spec {found.spec}", *(name for name in FILE_OPTIONS if name in owner.options)}))
        return _error(owner.title, path, f"give {named}")
    if owner.control is not None and owner.control.is_one(str(path), options.bounds):
        return _error(found.kind, path, f"give the log, and this file as control, or spec {found.spec} for its records")
    return _error(found.kind, path, f"give spec {found.spec}")


def _error(kind: str, path: str | Path, hint: str) -> FramingError:
    return FramingError(
        f"is of another kind: {kind}", code="LMP-F003", file=str(path), record_offset=0, hint=hint
    )  # fmt: skip
