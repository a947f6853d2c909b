"""Spec files: reads specs from their `.ksy`, in a file or a folder, without the compiler."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lmparse.errors import LmparseError, OptionError
from lmparse.spec.build.details import Details, details
from lmparse.spec.build.layouts import Layouts
from lmparse.spec.build.lint import linted
from lmparse.spec.build.specs import FORMATS, SUFFIX, Selection, SpecError, parsed, places_in, read_all, with_all
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
            return _read_folder(source, FORMATS)
        path = Path(source)
        if path.is_dir():
            return _read_folder(source, path)
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


def _read_folder(source: str, root: Path) -> Specs:
    places = places_in(root)
    if not any("/" in place for place in places):
        raise OptionError(
            f"there is no <family>/<id>{SUFFIX} in {source}",
            code="LMP-S009",
            hint="name the folder above the folders of the families",
        )
    return _specs(source, with_all(root, places, *read_all(root, places)), is_file=False)


def _read_file(source: str, path: Path) -> Specs:
    """One spec, whose file may have any name."""
    root = path.absolute().parent.parent
    spec = parsed(path.absolute().relative_to(root).with_suffix("").as_posix(), path, file_bytes(path))
    spec_id = spec.tree.get("meta", {}).get("id")
    if not isinstance(spec_id, str) or not _ID.fullmatch(spec_id):
        raise SpecError([spec.problem("/meta/id", f"{spec_id!r} is not an id of a spec")])
    family = path.parent.name
    if not spec_id.startswith(f"{family}_"):
        family = spec_id.split("_")[0]
    spec = replace(spec, place=f"{family}/{spec_id}")
    return _specs(source, with_all(root, [spec.place], [spec], {}), is_file=True)


def _specs(source: str, selection: Selection, *, is_file: bool) -> Specs:
    if problems := linted(selection, is_read_only=True).problems:
        raise SpecError(problems)
    specs = [selection.known[place] for place in sorted(selection.known)]
    own = frozenset(place.rpartition("/")[2] for place in selection.wanted)
    return Specs(source, own, is_file, Layouts(specs).by_id, details(specs))
