"""Spec files: finds and reads specs with their imports, and locates problems in their text."""

from __future__ import annotations

import glob
import hashlib
import os
import posixpath
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from lmparse.errors import FramingError
from lmparse.spec.build.constructs import Finding, enum_number, misshapen, texts
from lmparse.spec.documents import EXACT, DocumentError, file_bytes, read_yaml
from lmparse.storage.listing import names_in
from lmparse.storage.stored import reason
from lmparse.terminal import one_line

SUFFIX = ".ksy"
_PACKAGE = Path(__file__).resolve().parents[2]
FORMATS = (_PACKAGE / "_formats").resolve()
"""The project's specs: those of the checkout, or of the installed package."""
GENERATED = (_PACKAGE / "_generated").resolve()
"""The products of the project's specs."""
_BOOL, _TEXT, _INT, _NULL = (f"tag:yaml.org,2002:{name}" for name in ("bool", "str", "int", "null"))
"""Tags of YAML; an integer may have several spellings: 0xd6 is 214."""


@dataclass(frozen=True, order=True)
class Problem:
    """A problem in a spec, with its place in the text. Lines and columns count from 1."""

    path: str
    line: int
    column: int
    text: str
    where: str = ""
    code: str = "LMP-S008"
    """Code of the error raised for the problem."""

    def __str__(self) -> str:
        place = f" [{self.where}]" if self.where else ""
        return one_line(f"{self.path}:{self.line}:{self.column}: error: {self.text}{place}")


class SpecError(Exception):
    """Specs that cannot be built, with all their problems."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        self.code = self.problems[0].code if self.problems else Problem.code
        super().__init__("\n".join(map(str, self.problems)))


Faults = dict[str, list[Problem]]
"""The problems of specs by place."""


@dataclass(frozen=True)
class SpecFile:
    """One `.ksy`."""

    place: str
    """Path under its formats folder without the suffix, as in imports: `bmc/bmc_lldf`."""
    path: Path
    text: str
    tree: dict[str, Any]
    node: yaml.Node = field(repr=False, compare=False)
    """The content of `tree`, with positions in the text."""
    imports: tuple[str, ...]
    """Places of imported specs; an import from outside of the formats folder is as in the text."""

    @property
    def id(self) -> str:
        """The name of the file, which must be the id of the spec."""
        return self.place.rsplit("/", 1)[-1]

    @property
    def sha256(self) -> str:
        """Hash of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def shown(self) -> str:
        """Path in messages: relative if below the current folder."""
        return shown(self.path)

    def problem(self, where: str, text: str) -> Problem:
        """A problem at a path such as `/seq/10/type`, at the position of the deepest part that exists."""
        node, mark = self.node, self.node.start_mark
        for step in where.strip("/").split("/"):
            found = _step(node, step)
            if found is None:
                break
            node, mark = found
        return Problem(self.shown, mark.line + 1, mark.column + 1, text, where)


def _step(node: yaml.Node, step: str) -> tuple[yaml.Node, Any] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if step == key.value or (key.tag in (_INT, _NULL) and step == str(yaml.safe_load(key.value))):
                return value, key.start_mark
    if isinstance(node, yaml.SequenceNode) and step.isdigit() and int(step) < len(node.value):
        value = node.value[int(step)]
        return value, value.start_mark
    return None


def real_path(path: Path) -> Path:
    """A path without links. Unlike resolve(), it accepts circular links."""
    return Path(os.path.realpath(path))


def shown(path: Path) -> str:
    """A path, relative if below the current folder."""
    try:
        return real_path(path).relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


@lru_cache(maxsize=256)
def parsed(place: str, path: Path, data: bytes) -> SpecFile:
    """Parse the bytes of a spec; problems name `path`. Unchanged bytes are not parsed again. Raises SpecError."""
    try:
        document = read_yaml(data, loader=EXACT)
    except DocumentError as error:
        raise _unreadable(path, error) from None
    tree, root = document.tree, document.root
    if root is None or not isinstance(tree, dict):
        raise SpecError([Problem(shown(path), 1, 1, "a spec is a mapping of keys")])
    same = [*_read_names(root)]
    tree = EXACT("").construct_document(root)
    spec = SpecFile(place, path, data.decode(), tree, root, ())
    if problems := [spec.problem(*finding) for finding in (*misshapen(tree), *same)]:
        raise SpecError(problems)
    return replace(spec, imports=tuple(_place_of_import(name, place) for name in _imported_names(tree)))


def _imported_names(tree: dict[str, Any]) -> list[str]:
    return texts(tree.get("meta", {}).get("imports", []))


def _read_names(root: yaml.Node) -> Iterator[Finding]:
    """Convert names that YAML reads as booleans, such as `true`, `off` and `yes`, to texts.

    Yield keys that equal another key of the mapping as numbers: of 1 and 0x1 YAML keeps the last.
    """
    left: list[tuple[str, yaml.Node]] = [("", root)]
    while left:
        where, node = left.pop()
        if isinstance(node, yaml.SequenceNode):
            left += [(f"{where}/{number}", item) for number, item in enumerate(node.value)]
        seen: dict[int, str] = {}
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            left.append((f"{where}/{key.value}", value))
            key.tag = _TEXT if key.tag == _BOOL else key.tag
            number = enum_number(yaml.safe_load(key.value) if key.tag == _INT else key.value)
            if value.tag == _BOOL and (number is not None or key.value in ("id", "type", "enum")):
                value.tag = _TEXT
            if number is not None and seen.setdefault(number, key.value) != key.value:
                yield f"{where}/{key.value}", f"{key.value} is the same number as {seen[number]}"


def _place_of_import(name: str, place: str) -> str:
    """The place that an import names, from the root of the formats or from the folder of the importing spec."""
    folder = "" if name.startswith("/") else posixpath.dirname(place)
    found = posixpath.normpath(posixpath.join(folder, name.lstrip("/")))
    return name if found.split("/")[0] == ".." else found


def _unreadable(path: Path, error: DocumentError) -> SpecError:
    code = error.limit.code if error.limit else Problem.code
    place = shown(path)
    return SpecError(Problem(place, flaw.line or 1, flaw.column or 1, flaw.text, code=code) for flaw in error.flaws)


# -- folders of specs ---------------------------------------------------------------------


def places_in(root: Path) -> list[str]:
    """The places of all specs in a folder at any depth, except in hidden folders.

    Raises SpecError for an unreadable folder, so that no spec goes missing in silence.
    """
    for folder in ("", *glob.glob("**/", root_dir=root, recursive=True)):
        try:
            names_in(root / folder) if os.path.isdir(root / folder) else ()
        except FramingError as error:
            raise SpecError([Problem(shown(root / folder), 1, 1, error.message)]) from None
    names = glob.glob(f"**/*{SUFFIX}", root_dir=root, recursive=True)  # skips hidden names
    return sorted(name.removesuffix(SUFFIX) for name in names)


def root_of(source: Path) -> Path:
    """The folder from which the specs of a source are found: the source, or for a file, the parent of its folder.

    The folder of a single file counts as its family: `/family/id` and `../family/id` are searched beside the file.
    """
    is_spec = source.suffix == SUFFIX and not source.is_dir()
    return source.absolute().parent.parent if is_spec else source


def on_disk(source: Path) -> tuple[Path, list[str]]:
    """The root of a `.ksy` file, or of a folder with such files at any depth, and the places of the files.

    Raises SpecError if there is no such file.
    """
    root = root_of(source)
    if source.is_file() and source.suffix == SUFFIX:
        return root, [source.absolute().relative_to(root).with_suffix("").as_posix()]
    places = places_in(source)
    if not places:
        text = f"there is no {SUFFIX} in this folder" if source.is_dir() else f"this is neither a {SUFFIX} nor a folder"
        raise SpecError([Problem(str(source), 1, 1, text)])
    return root, places


def read_all(root: Path, places: Iterable[str]) -> tuple[list[SpecFile], Faults]:
    """The readable specs at some places, and the problems of the unreadable specs."""
    specs: list[SpecFile] = []
    faults: Faults = {}
    for place in places:
        path = root / f"{place}{SUFFIX}"
        try:
            if ".." not in place.split("/") and path.is_file():
                specs.append(parsed(place, path, file_bytes(path)))
        except DocumentError as error:
            faults[place] = _unreadable(path, error).problems
        except OSError as error:
            faults[place] = [Problem(shown(path), 1, 1, f"cannot be read: {reason(error)}")]
        except SpecError as error:
            faults[place] = error.problems
    return specs, faults


def with_imports(
    own: Iterable[SpecFile], faults: Faults, root: Path, folders: Iterable[Path]
) -> tuple[dict[str, SpecFile], Faults]:
    """Specs with all their imports, by place, and `faults` with the problems of unreadable imports.

    Imports are searched below the same root, then in `folders`, then among the specs of lmparse. A relative import that
    is not found is then searched at the top of `folders`.
    """
    known = {spec.place: spec for spec in own}
    left = [*known.values()]
    while left:
        spec = left.pop()
        imports = [*spec.imports]
        for number, name in enumerate(_imported_names(spec.tree)):
            places = [(home, imports[number]) for home in (root, *folders, FORMATS)]
            for home, place in (*places, *((home, _place_of_import(f"/{name}", "")) for home in folders)):
                if place not in known and place not in faults:
                    found, wrong = read_all(home, [place])
                    known |= {one.place: one for one in found}
                    left += found
                    faults = faults | wrong
                if place in known or place in faults:
                    imports[number] = place
                    break
        known[spec.place] = replace(spec, imports=tuple(imports))
    return known, faults


# -- sets of specs -------------------------------------------------------------------------


def wrong_ids(specs: Iterable[SpecFile]) -> Faults:
    """Problems of ids that differ from the file's name or occur twice: the id names the products."""
    faults: Faults = {}
    by_id: dict[str, list[SpecFile]] = {}
    for spec in specs:
        by_id.setdefault(spec.id, []).append(spec)
        stated = spec.tree.get("meta", {}).get("id")
        if stated != spec.id:
            text = f"the id is {stated!r}, but the file is named {spec.id}"
            faults[spec.place] = [spec.problem("/meta/id", text)]
    for same in by_id.values():
        for spec, other in zip(same, same[1:] + same[:1], strict=True):
            if spec is not other:  # which spec is meant is not guessed
                faults.setdefault(spec.place, []).append(spec.problem("/meta/id", f"the id is also in {other.shown}"))
    return faults


def missing_imports(spec: SpecFile, known: Container[str]) -> list[Problem]:
    """Problems of a spec's imports that are not known."""
    problems = []
    for number, place in enumerate(spec.imports):
        if place not in known:
            is_outside = ".." in place.split("/")
            text = f"{place} leads out of the folder of the specs" if is_outside else f"there is no spec {place}"
            problems.append(spec.problem(f"/meta/imports/{number}", text))
    return problems


def closure(specs: dict[str, SpecFile], wanted: Iterable[str]) -> list[SpecFile]:
    """The specs at some places with all imports, imported specs first, except in circles."""
    ordered: dict[str, SpecFile] = {}
    seen: set[str] = set()
    for start in sorted(wanted):
        left = [(start, False)]
        while left:  # not recursive, because chains of imports may exceed Python's stack
            place, is_done = left.pop()
            if is_done:
                ordered[place] = specs[place]
            elif place not in seen and place in specs:
                seen.add(place)
                left += [(place, True), *((name, False) for name in reversed(specs[place].imports))]
    return list(ordered.values())


# -- the specs of one build ------------------------------------------------------------------


class Selection:
    """Specs of one build, imported specs first. Faulty specs, and specs that import them, are not built."""

    def __init__(
        self, root: Path, wanted: list[str], own: list[SpecFile], faults: Faults, folders: Iterable[Path] = ()
    ) -> None:
        """`own` are the wanted specs below a root, `faults` the problems of unreadable specs."""
        known, faults = with_imports(own, faults, root, folders)
        self.known = known
        """All readable specs, by place."""
        self.wanted = wanted
        """Places of the requested specs."""
        self.faults = dict(faults)
        """Problems of the specs that are not built, by place."""
        self._ordered = closure(known, wanted)
        self.fail({spec.place: missing_imports(spec, known | self.faults) for spec in self._ordered})
        self.fail(wrong_ids(known.values()))  # the compiler names its output after the id

    @property
    def specs(self) -> list[SpecFile]:
        """The sound specs, imported specs first."""
        return [spec for spec in self._ordered if spec.place not in self.faults]

    @property
    def readable(self) -> list[SpecFile]:
        """All readable specs, sound specs first."""
        return [*self.specs, *(spec for spec in self._ordered if spec.place in self.faults)]

    @property
    def problems(self) -> list[Problem]:
        """All problems."""
        return sorted({problem for problems in self.faults.values() for problem in problems})

    def fail(self, faults: Faults) -> None:
        """Note the problems of specs; specs that import these are not built either."""
        for place, problems in faults.items():
            if problems:
                self.faults[place] = [*self.faults.get(place, []), *problems]
        while True:  # repeat, because imports may be circular
            found: Faults = {}
            for spec in self.specs:
                for number, place in enumerate(spec.imports):
                    if place in self.faults:
                        text = f"it imports {place}, which is not built"
                        found.setdefault(spec.place, []).append(spec.problem(f"/meta/imports/{number}", text))
            if not found:
                return
            self.faults |= found

    def closure(self, spec: SpecFile) -> list[SpecFile]:
        """A spec with all its imports, imported specs first; the products are made of these specs."""
        return closure(self.known, [spec.place])


def selected(source: Path, folders: Iterable[Path] = ()) -> Selection:
    """The spec of a `.ksy` file, or the specs of a folder, with their imports, also from other `folders`.

    Raises SpecError if there is no spec.
    """
    root, places = on_disk(source)
    return Selection(root, places, *read_all(root, places), folders)
