"""Selection: the specs of one build that have no fault so far, and the faults of the others.

A faulty spec is not built, nor is what imports it; all others are.
"""

from __future__ import annotations

from pathlib import Path

from lmparse.spec.build.specs import (
    SUFFIX,
    Faults,
    Problem,
    SpecFile,
    closure,
    flat,
    missing_imports,
    on_disk,
    places_in,
    read_all,
    root_of,
    with_imports,
    wrong_ids,
)


class Selection:
    """Specs of one build, imported specs first."""

    def __init__(self, known: dict[str, SpecFile], wanted: list[str], faults: Faults) -> None:
        self.known = known
        """All specs that could be read, by place."""
        self.wanted = wanted
        """Places of the specs that are asked for."""
        self.faults: Faults = dict(faults)
        """Problems of the specs that are not built, by place."""
        self._ordered = closure(known, wanted)
        self.fail({spec.place: missing_imports(spec, {**known, **faults}) for spec in self._ordered})

    @property
    def specs(self) -> list[SpecFile]:
        """The specs without a fault, imported specs first."""
        return [spec for spec in self._ordered if spec.place not in self.faults]

    @property
    def readable(self) -> list[SpecFile]:
        """All specs that could be read, first those without a fault."""
        return [*self.specs, *(spec for spec in self._ordered if spec.place in self.faults)]

    @property
    def problems(self) -> list[Problem]:
        """All problems."""
        return sorted(set(flat(self.faults)))

    def fail(self, faults: Faults) -> None:
        """Note the problems of specs; what imports these is not built either."""
        for place, problems in faults.items():
            if problems:
                self.faults[place] = [*self.faults.get(place, []), *problems]
        while found := {spec.place: problems for spec in self.specs if (problems := self._unbuilt_imports(spec))}:
            self.faults |= found  # again, since imports may go in a circle

    def _unbuilt_imports(self, spec: SpecFile) -> list[Problem]:
        return [
            spec.problem(f"/meta/imports/{number}", f"it imports {place}, which is not built")
            for number, place in enumerate(spec.imports)
            if place in self.faults
        ]

    def closure(self, spec: SpecFile) -> list[SpecFile]:
        """A spec with all that it imports, imported specs first: all that its products are made of."""
        return closure(self.known, [spec.place])


def selected(source: Path) -> Selection:
    """The spec of a `.ksy` file, or those of a folder, with their imports. Raises SpecError when there is none."""
    root, places = on_disk(source)
    return with_all(root, places, *read_all(root, places))


def with_all(root: Path, wanted: list[str], own: list[SpecFile], faults: Faults) -> Selection:
    """Specs below a root with their imports; `faults` are those of the wanted ones that could not be read."""
    known, more = with_imports(own, root, faults)
    selection = Selection(known, wanted, faults | more)
    selection.fail(wrong_ids(known.values()))  # The compiler names its output after the id.
    return selection


def paths_of(source: Path, selection: Selection | None) -> set[Path]:
    """The files that decide what a build of a source gives, also those that are imported and missing."""
    root = root_of(source)
    places = [] if source.is_file() else places_in(root)
    specs = selection.known.values() if selection else ()
    found = {root / f"{place}{SUFFIX}" for place in (*places, *(name for spec in specs for name in spec.imports))}
    return found | {spec.path for spec in specs} | ({source} if source.suffix == SUFFIX else set())
