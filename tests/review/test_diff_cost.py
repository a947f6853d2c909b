"""`lmparse diff` takes time in proportion to the specs, counted in steps of the interpreter, not in seconds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from counted import growth, operations

from lmparse.review.diff import reports
from lmparse.review.diff.compare import compare
from lmparse.spec.ksy import read_specs

Fields = list[dict[str, Any]]
States = tuple[dict[str, Any], dict[str, Any]]
SIZE = 20
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def fields(name: str, number: int, **keys: Any) -> Fields:
    return [{"id": f"{name}{at}", "type": "u2", **keys} for at in range(number)]


def texts(name: str, number: int) -> Fields:
    return fields(name, number, type="strz", encoding="ASCII")


def types(name: str, inside: str, number: int, **keys: Any) -> dict[str, Any]:
    """Types, each with a field whose name has the number of the type."""
    return {f"{name}{at}": {"seq": fields(f"{inside}{at}_", 1), **keys} for at in range(number)}


def holding(name: str, number: int) -> Fields:
    return [{"id": f"q{at}", "type": f"{name}{at}"} for at in range(number)]


def switching(name: str, number: int) -> Fields:
    cases = {at: f"{name}{at}" for at in range(number)}
    return [*fields("k", 1), {"id": "body", "-lm-type": "body", "type": {"switch-on": "k0", "cases": cases}}]


def ring(number: int, width: str, **keys: Any) -> dict[str, Any]:
    """Types that hold each other, each some of them, the last with a field of its own."""

    def held(at: int) -> Fields:
        others = sorted({(at + step) % number for step in (1, 3, 8)})
        return [{"id": f"f{at}_{other}", "type": f"t{other}", **keys} for other in others]

    inner = {f"t{at}": {"seq": [*fields(f"k{at}_", 1), *held(at)]} for at in range(number)}
    inner[f"t{number - 1}"]["seq"] += fields("last", 1, type=width)
    return {"seq": [{"id": "in", "type": "t0"}], "types": inner}


STATES: dict[str, Callable[[int], States]] = {
    "moved": lambda n: ({"seq": fields("a", n)}, {"seq": [*fields("x", 1), *fields("a", n)]}),
    "variable": lambda n: ({"seq": texts("a", n)}, {"seq": [*fields("x", 1), *texts("a", n)]}),
    "cases": lambda n: (
        {"seq": switching("t", n), "types": types("t", "a", n)},
        {"seq": switching("s", n), "types": types("s", "b", n)},
    ),
    "types of each other": lambda n: (ring(n, "u2", **{"if": "false"}), ring(n, "u4", **{"if": "false"})),
    "types that always hold each other": lambda n: (ring(n, "u2"), ring(n, "u4")),
}


def compare_and_report(old: Path, new: Path) -> None:
    diff = compare(read_specs(str(old)), read_specs(str(new)))
    for report in (reports.lines(diff), reports.markdown(diff)):
        assert [*report]
    assert reports.to_dict(diff)


def nested(number: int, last: str) -> dict[str, Any]:
    """Types in one another, the innermost with a field of a type."""
    inner = {f"t{at}": {"seq": [*fields("a", 1), {"id": "in", "type": f"t{at + 1}"}]} for at in range(number)}
    return {"seq": [{"id": "in", "type": "t0"}], "types": {**inner, f"t{number}": {"seq": fields("a", 1, type=last)}}}


def cost(states: Callable[[int], States], folder: Path) -> Callable[[int], int]:
    """What it costs to compare two states of some size."""

    def of(size: int) -> int:
        files = [folder / f"{size}" / state / "acme" / "acme_a.ksy" for state in ("old", "new")]
        for file, tree in zip(files, states(size), strict=True):
            file.parent.mkdir(parents=True)
            file.write_text(yaml.dump({"meta": {"id": "acme_a", "endian": "be"}, **tree}, Dumper=_DUMPER))
        return operations(lambda: compare_and_report(*(file.parent.parent for file in files)))

    return of


@pytest.mark.parametrize("kind", STATES)
def test_steps_are_in_proportion_to_the_specs(kind: str, tmp_path: Path) -> None:
    assert growth(cost(STATES[kind], tmp_path), SIZE) < 2.3


def test_types_in_one_another_are_looked_at_once_for_each_around_them(tmp_path: Path) -> None:
    # The column of the innermost field has a name with a part for each, so it is more than in proportion.
    assert growth(cost(lambda size: (nested(size, "u1"), nested(size, "u2")), tmp_path), SIZE) < 4
