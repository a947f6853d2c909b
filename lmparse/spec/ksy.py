"""Spec files: reads specs from their `.ksy`, in a file or a folder, without the compiler."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lmparse.errors import LmparseError, OptionError
from lmparse.spec.build.constructs import TOO_DEEP
from lmparse.spec.build.details import Details, details
from lmparse.spec.build.layouts import Layouts
from lmparse.spec.build.lint import ColumnCounts, not_defined
from lmparse.spec.build.scopes import Scope
from lmparse.spec.build.specs import (
    FORMATS,
    SUFFIX,
    Disk,
    SpecError,
    SpecFile,
    flat,
    missing_imports,
    parsed,
    read_all,
    with_imports,
    wrong_ids,
)
from lmparse.spec.documents import DocumentError, file_bytes
from lmparse.spec.layout import Layout
from lmparse.spelling import quoted
from lmparse.storage.stored import reason

__all__ = ["INSTALLED", "Specs", "read_specs"]

INSTALLED = "installed"
"""Name for the specs of the package."""
_ID = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


@dataclass(frozen=True)
class Specs:
    """One state of some specs."""

    source: str
    """Name of the source as the user gave it."""
    own: frozenset[str]
    """Ids of the specs in the source; the other specs in `layouts` are imported."""
    is_file: bool
    """Whether the source is one spec alone, so that a missing spec means nothing."""
    layouts: Mapping[str, Layout]
    """Layouts of all specs and of their types, by id."""
    details: Mapping[str, Details]
    """What the specs specify beyond the layouts, by the same ids."""


def read_specs(source: str) -> Specs:
    """The specs of a `.ksy` file, of a folder with `<family>/<id>.ksy`, or those installed.

    Imports are looked for in the same folder, then in the package. Raises OptionError (LMP-S009) when there are no
    specs, and LmparseError (LMP-S008) with path, line and column of every fault in them.
    """
    try:
        if source == INSTALLED:
            return _read_folder(source, Disk(FORMATS))
        path = Path(source)
        if path.is_dir():
            return _read_folder(source, Disk(path))
        if path.is_file():
            return _read_file(source, path)
    except DocumentError as error:
        raise LmparseError(f"{source}: {error}", code=error.limit.code if error.limit else "LMP-S008") from None
    except SpecError as error:
        raise LmparseError(str(error), code=error.code) from None
    except OSError as error:
        raise OptionError(f"{source}: cannot be read: {reason(error)}", code="LMP-S009") from None
    raise OptionError(
        f"there is no file or folder {quoted(source)}",
        code="LMP-S009",
        hint=f"give a {SUFFIX} file, a folder of specs, or {INSTALLED}",
    )


def _read_folder(source: str, shelf: Disk) -> Specs:
    places = shelf.places()
    if not any("/" in place for place in places):
        raise OptionError(
            f"there is no <family>/<id>{SUFFIX} in {source}",
            code="LMP-S009",
            hint="name the folder above the folders of the families",
        )
    own, faults = read_all(shelf, places)
    if faults:
        raise SpecError(flat(faults))
    return _specs(source, own, shelf, is_file=False)


def _read_file(source: str, path: Path) -> Specs:
    """One spec, whose file may have any name."""
    shelf = Disk(path.absolute().parent.parent)
    spec = parsed(shelf.place(path.absolute()), path, file_bytes(path))
    spec_id = spec.tree.get("meta", {}).get("id")
    if not isinstance(spec_id, str) or not _ID.fullmatch(spec_id):
        raise SpecError([spec.problem("/meta/id", f"{spec_id!r} is not an id of a spec")])
    family = path.parent.name
    if not spec_id.startswith(f"{family}_"):
        family = spec_id.split("_")[0]
    return _specs(source, [replace(spec, place=f"{family}/{spec_id}")], shelf, is_file=True)


def _specs(source: str, own: list[SpecFile], shelf: Disk, *, is_file: bool) -> Specs:
    reached, faults = with_imports(own, shelf)
    specs = [reached[place] for place in sorted(reached)]
    if problems := flat(faults) or [problem for spec in specs for problem in missing_imports(spec, reached)]:
        raise SpecError(problems)
    known = {spec.id: spec for spec in specs}
    problems = flat(wrong_ids(specs))
    for spec in specs:
        try:
            scopes = [*Scope(known, spec).all()]
            columns = ColumnCounts(scopes)
            for scope in scopes:
                problems += [spec.problem(*found) for found in (*not_defined(scope), *columns.findings(scope))]
        except RecursionError:
            problems.append(spec.problem(*TOO_DEEP))
    if problems:
        raise SpecError(problems)
    return Specs(source, frozenset(spec.id for spec in own), is_file, Layouts(specs).by_id, details(specs))
