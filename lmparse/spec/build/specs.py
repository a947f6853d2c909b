"""Spec files: reading them, and saying where in them something is wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from lmparse.spec.build.shape import misread, misshapen

_PACKAGE = Path(__file__).resolve().parents[2]
FORMATS = (_PACKAGE / "_formats").resolve()
"""The project's own specs: those of the checkout, or of the installed package."""
GENERATED = (_PACKAGE / "_generated").resolve()
"""What is made of them."""
_INT = "tag:yaml.org,2002:int"
"""A number may be written otherwise than it is counted: 0xd6 is 214."""


@dataclass(frozen=True, order=True)
class Problem:
    """Something wrong in a spec, at a place of its text. Lines and columns count from 1."""

    path: str
    line: int
    column: int
    text: str
    where: str = ""

    def __str__(self) -> str:
        place = f" [{self.where}]" if self.where else ""
        return f"{self.path}:{self.line}:{self.column}: error: {self.text}{place}"


class SpecError(Exception):
    """Specs that cannot be built, with all their problems."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))


@dataclass(frozen=True)
class SpecFile:
    """One `.ksy`."""

    place: str
    """Path under its formats folder without the suffix, as imports spell it: `bmc/bmc_lldf`."""
    path: Path
    text: str
    tree: dict[str, Any]
    node: yaml.Node = field(repr=False, compare=False)
    """The same as `tree`, with the places in the text."""
    imports: tuple[str, ...]
    """Places of the specs it imports; one that leads out of the formats folder is as the spec has it."""

    @property
    def id(self) -> str:
        """The last word of its place: the file's name, which must be the spec's id."""
        return self.place.rsplit("/", 1)[-1]

    @property
    def sha256(self) -> str:
        """Hash of its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def shown(self) -> str:
        """Its path as messages show it: from where one stands, when it is below."""
        return shown(self.path)

    def problem(self, where: str, text: str) -> Problem:
        """A problem at a path such as `/seq/10/type`: the deepest part of it that exists."""
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
            if step == key.value or (key.tag == _INT and step == str(yaml.safe_load(key.value))):
                return value, key.start_mark
    if isinstance(node, yaml.SequenceNode) and step.isdigit() and int(step) < len(node.value):
        value = node.value[int(step)]
        return value, value.start_mark
    return None


def shown(path: Path) -> str:
    """A path relative to the current folder when it is below it."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def parsed(place: str, path: Path, data: bytes) -> SpecFile:
    """The spec that some bytes are; `path` is what problems name. Raises SpecError."""
    text = _text(path, data)
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        marked = list(misread(root)) if root else []
        tree = loader.construct_document(root) if root and not marked else None
    except yaml.MarkedYAMLError as error:
        # Where the text ends too early there is no mark of the problem itself.
        mark = error.problem_mark or error.context_mark or yaml.Mark("", 0, 0, 0, "", 0)
        raise SpecError([Problem(shown(path), mark.line + 1, mark.column + 1, str(error.problem))]) from None
    except ValueError as error:  # from a number such as 0b_
        raise SpecError([Problem(shown(path), 1, 1, f"a value cannot be read: {error}")]) from None
    except yaml.reader.ReaderError as error:
        raise SpecError([_character(path, text[: error.position], "a character that YAML does not allow")]) from None
    if marked:
        raise SpecError(Problem(shown(path), mark.line + 1, mark.column + 1, text) for mark, text in marked)
    if root is None or not isinstance(tree, dict):
        raise SpecError([Problem(shown(path), 1, 1, "a spec is a mapping of keys")])
    spec = SpecFile(place, path, text, tree, root, ())
    if problems := [spec.problem(*finding) for finding in misshapen(tree)]:
        raise SpecError(problems)
    names = tree.get("meta", {}).get("imports", [])
    return replace(spec, imports=tuple(_place_of_import(name, place) for name in names))


def _place_of_import(name: str, place: str) -> str:
    """Where an import leads: from the root of the formats, or from the folder of the spec that has it."""
    parts = [] if name.startswith("/") else place.split("/")[:-1]
    for step in name.split("/"):
        if step == ".." and not parts:
            return name
        if step == "..":
            parts.pop()
        elif step not in ("", "."):
            parts.append(step)
    return "/".join(parts)


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        raise SpecError([_character(path, before, "the text is not UTF-8")]) from None


def _character(path: Path, before: str, text: str) -> Problem:
    """A problem at the character behind some text."""
    column = len(before) - (before.rfind("\n") + 1)
    return Problem(shown(path), before.count("\n") + 1, column + 1, text)


def wrong_ids(specs: Iterable[SpecFile]) -> list[Problem]:
    """Ids that are not the files' names, and ids that stand twice: whatever is made of a spec is named after it."""
    problems = []
    seen: dict[str, SpecFile] = {}
    for spec in specs:
        stated = spec.tree.get("meta", {}).get("id")
        if stated != spec.id:
            problems.append(spec.problem("/meta/id", f"the id is {stated!r}, but the file is named {spec.id}"))
        if spec.id in seen:
            problems.append(spec.problem("/meta/id", f"the id stands in {seen[spec.id].shown} too"))
        seen[spec.id] = spec
    return problems


def missing_imports(spec: SpecFile, known: Container[str]) -> list[Problem]:
    """Imports of a spec that are none of the places known."""
    missing = [(number, place) for number, place in enumerate(spec.imports) if place not in known]
    return [spec.problem(f"/meta/imports/{number}", _no_spec(place)) for number, place in missing]


def _no_spec(place: str) -> str:
    is_outside = ".." in place.split("/")
    return f"{place} leads out of the folder of the specs" if is_outside else f"there is no spec {place}"


def closure(specs: dict[str, SpecFile], wanted: Iterable[str]) -> list[SpecFile]:
    """Some specs with everything they import, imported ones first."""
    ordered: dict[str, SpecFile] = {}

    def visit(place: str, path: tuple[str, ...]) -> None:
        if place in ordered or place in path or place not in specs:
            return
        for name in specs[place].imports:
            visit(name, (*path, place))
        ordered[place] = specs[place]

    for place in sorted(wanted):
        visit(place, ())
    return list(ordered.values())
