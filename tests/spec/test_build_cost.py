"""What building takes grows with the specs, whatever their types hold: counted in steps, not in seconds.

Types hold each other, so that the ways through them are more than can be followed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from counted import growth, operations

from lmparse import cli
from lmparse.spec.ksy import read_specs

HEAD = "meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}\n"
SIZE = 8


def _types(number: int, item: Callable[[int, list[int]], str]) -> str:
    """Types, each with what `item` makes of its number and of those that it holds."""
    held = {at: sorted({(at + step) % number for step in (1, 3, 7)}) for at in range(number)}
    return "types:\n" + "".join(f"  t{at}: {{{item(at, others)}}}\n" for at, others in held.items())


def _fields(first: str, keys: str) -> Callable[[int, list[int]], str]:
    def item(at: int, others: list[int]) -> str:
        fields = [f"{{id: f{at}_{other}, type: t{other}, {keys}}}" for other in others]
        return f"seq: [{', '.join(([first] if first else []) + fields)}]"

    return item


def _switch(keys: str) -> Callable[[int, list[int]], str]:
    def item(at: int, others: list[int]) -> str:
        cases = ", ".join(f"{other}: t{other}" for other in others)
        body = f"{{id: b{at}, {keys}type: {{switch-on: k{at}, cases: {{{cases}}}}}}}"
        return f"seq: [{{id: k{at}, type: u1}}, {{id: x{at}, type: u1}}, {body}]"

    return item


def _instances(at: int, others: list[int]) -> str:
    found = ", ".join(f"i{at}_{other}: {{pos: 0, type: t{other}}}" for other in others)
    return f"seq: [{{id: k, type: u1}}], instances: {{{found}}}"


SHAPES: dict[str, Callable[[int, list[int]], str]] = {
    "sometimes": _fields("{id: k, type: u1}", "if: k == 1"),
    "sometimes, first": _fields("", "if: _io.size == 9"),
    "lists": _fields("", "repeat: expr, repeat-expr: 0"),
    "parts": _fields("", "size: 1"),
    "cases": _switch(""),
    "bodies": _switch("-lm-type: body, "),
    "instances": _instances,
}


@pytest.mark.parametrize(("shape", "first"), [*((shape, "u1") for shape in SHAPES), ("sometimes", "b1")])
def test_types_that_hold_each_other(shape: str, first: str, tmp_path: Path) -> None:
    def cost(size: int) -> int:
        folder = tmp_path / f"{size}"
        folder.mkdir()
        text = f"seq: [{{id: n, type: {first}}}, {{id: a, type: t0}}]\n{_types(size, SHAPES[shape])}"
        (folder / "acme_a.ksy").write_text(HEAD + text)
        return operations(lambda: _look_at(folder))

    # A body has the fields of all that is in it, and each type that has one is asked for them.
    assert growth(cost, SIZE) < (4.5 if shape == "bodies" else 2.5)


def _look_at(folder: Path) -> None:
    # Fields of a body inside itself have one name, and many types inside types are refused; what counts is when.
    assert cli.main(["build", "lint", "--formats", str(folder)]) in (0, 1)
    assert read_specs(str(folder / "acme_a.ksy")).layouts
