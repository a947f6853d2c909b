"""Spec files: reading them, and saying where in them something is wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ROOT / "formats"


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

    @property
    def id(self) -> str:
        """The file's name, which must be the spec's id."""
        return self.path.stem

    @property
    def sha256(self) -> str:
        """Hash of its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def shown(self) -> str:
        """Its path as messages show it: from where one stands, when it is below."""
        return shown(self.path)

    @property
    def imports(self) -> list[str]:
        """Places of the specs it imports."""
        return [name.lstrip("/") for name in self.tree.get("meta", {}).get("imports", [])]

    @cached_property
    def _node(self) -> yaml.Node:
        return yaml.compose(self.text)

    def problem(self, where: str, text: str) -> Problem:
        """A problem at a path such as `/seq/10/type`: the deepest part of it that exists."""
        node, mark = self._node, self._node.start_mark
        for step in where.strip("/").split("/"):
            found = _step(node, step)
            if found is None:
                break
            node, mark = found
        return Problem(self.shown, mark.line + 1, mark.column + 1, text, where)


def _step(node: yaml.Node, step: str) -> tuple[yaml.Node, Any] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            # A number may be written otherwise than it is counted: 0xd6 is 214.
            if step in (key.value, str(yaml.safe_load(key.value))):
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


def read_specs(folders: list[Path]) -> dict[str, SpecFile]:
    """All specs of some formats folders by place, the first folder first.

    A place in an earlier folder hides the same place in a later one. Raises SpecError for
    text that is no YAML.
    """
    specs: dict[str, SpecFile] = {}
    problems: list[Problem] = []
    for folder in folders:
        for path in sorted(folder.glob("*/*.ksy")):
            place = path.relative_to(folder).with_suffix("").as_posix()
            if place in specs:
                continue
            text = path.read_text(encoding="utf-8")
            try:
                tree = yaml.safe_load(text)
            except yaml.MarkedYAMLError as error:
                mark = error.problem_mark or yaml.Mark("", 0, 0, 0, "", 0)
                problems.append(Problem(shown(path), mark.line + 1, mark.column + 1, str(error.problem)))
                continue
            if not isinstance(tree, dict):
                problems.append(Problem(shown(path), 1, 1, "a spec is a mapping of keys"))
                continue
            specs[place] = SpecFile(place, path, text, tree)
    if problems:
        raise SpecError(problems)
    return specs


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
