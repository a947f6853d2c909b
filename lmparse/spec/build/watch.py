"""Watch: builds again whenever a spec changes, for `lmparse serve`. The compiler stays loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lmparse.spec.build.products import Builder
from lmparse.spec.build.specs import SUFFIX, Selection, SpecError, places_in, root_of
from lmparse.storage.states import changed, seen_now


class _Ended(Exception):
    """The watching is to end."""


def watch(builder: Builder, source: Path, build: Callable[[], None], is_ended: Callable[[], bool]) -> None:
    """Call `build`, which builds a source, at once and after each change; returns soon after `is_ended` is true."""

    def paths() -> set[Path]:
        if is_ended():
            raise _Ended
        try:
            return paths_of(source, builder.selection)
        except SpecError:  # a folder that goes while it is looked through: the next build says so, if it stays away
            return {source}

    try:
        now = seen_now(paths())
        while True:
            before = now
            build()
            read = {spec.path for spec in builder.selection.known.values()} if builder.selection else set()
            # What the build read for the first time is as it was read; a new file that it has not read is a change.
            built = {
                path: before.get(path, seen if path in read or seen is None else None)
                for path, seen in seen_now(paths()).items()
            }
            now = changed(built, paths)
    except _Ended:
        return


def paths_of(source: Path, selection: Selection | None) -> set[Path]:
    """The files that decide what a build of a source gives, also those that are imported and missing."""
    root = root_of(source)
    places = [] if source.is_file() else places_in(root)
    specs = selection.known.values() if selection else ()
    found = {root / f"{place}{SUFFIX}" for place in (*places, *(name for spec in specs for name in spec.imports))}
    return found | {spec.path for spec in specs} | ({source} if source.suffix == SUFFIX else set())
