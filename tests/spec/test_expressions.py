"""Expressions of specs as data: what is kept of them, and what is left to the parser."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml

from lmparse.spec.build.constructs import misshapen
from lmparse.spec.build.expressions import checks, expression, switch
from lmparse.spec.build.products import Builder
from lmparse.spec.build.scopes import Scope
from lmparse.spec.build.specs import SpecFile

ONE, FLAG = ("name", "one"), ("name", "flag")
KEPT: list[tuple[Any, Any]] = [
    (7, 7),
    ("0x1f", 31),
    ("one", ONE),
    ("true", True),
    ("one == kind::second", ("==", ONE, 2)),
    ("kind::second.to_i", 2),
    ("_root.one & 3 != 0", ("!=", ("&", ("get", ("name", "_root"), "one"), 3), 0)),
    ("not _io.eof and flag", ("and", ("not", ("get", ("name", "_io"), "eof")), FLAG)),
    ("one == 1 or one == 2 or flag", ("or", ("or", ("==", ONE, 1), ("==", ONE, 2)), FLAG)),
    ("flag ? kind::first : one", ("?", FLAG, 1, ONE)),
    ("-one + 2 * 3 / 4", ("+", ("neg", ONE), ("/", ("*", 2, 3), 4))),
    ("one[0] - 1", ("-", ("at", ONE, 0), 1)),
    ("(flag ? 1 : 2) + 1", ("+", ("?", ("name", "flag"), 1, 2), 1)),
    ("one ? one ? 1 : 2 : 3", ("?", ONE, ("?", ONE, 1, 2), 3)),
    ("1.5", 1.5),
    ("'text' + \"s\"", ("+", "text", "s")),
    ("[1, 2]", b"\1\2"),
    ("one << 2", ("<<", ONE, 2)),
    ("one.as<u1>", ("as", ONE, "u1")),
    ("one.to_i + one.substring(0, 1)", ("+", ("get", ONE, "to_i"), ("call", ONE, "substring", 0, 1))),
]
LEFT = [
    '"\\n"', "one < flag < 3", "kind::third", "+".join(["one"] * 200),
    "(" * 300 + "one" + ")" * 300, "one" + " " * 25_000, "", "lambda: 1",
    "one if flag else 2", "one ** 2", "f'{one}'", "one(2)", "sizeof<u1>",
]  # fmt: skip


@pytest.fixture
def scope() -> Scope:
    tree: dict[str, Any] = {"meta": {"id": "e"}, "enums": {"kind": {1: "first", 2: {"id": "second"}}}}
    return Scope({}, cast(SpecFile, SimpleNamespace(tree=tree, id="e")))


@pytest.mark.parametrize(("text", "data"), KEPT, ids=str)
def test_what_is_kept(scope: Scope, text: Any, data: Any) -> None:
    assert expression(scope, text) == data


@pytest.mark.parametrize("text", LEFT, ids=lambda text: text[:20])
def test_what_is_left_to_the_parser(scope: Scope, text: str) -> None:
    found = expression(scope, text)
    assert isinstance(found, tuple)
    assert found[0] == "unread"
    assert len(found[1]) <= 60


def test_the_default_is_the_last_case(scope: Scope) -> None:
    on, cases = switch(scope, {"type": {"switch-on": "one", "cases": {"_": "u1", "kind::first": "u2", 7: "u4"}}})
    assert on == ONE
    assert [case.key for case in cases] == [1, 7, None]
    assert [case.plain.width for case in cases if case.plain] == [2, 4, 1]


def test_what_is_demanded(scope: Scope) -> None:
    value = ("name", "_")
    found = checks(scope, {"valid": {"any-of": [*range(300)]}})
    assert found == (("in", value, *range(300)),)
    assert checks(scope, {"valid": 3}) == (("==", value, 3),)
    assert checks(scope, {"valid": {"in-enum": True}, "enum": "kind"}) == (("in", value, 1, 2),)
    assert checks(scope, {"contents": [1, "a"]}) == (("==", value, b"\1a"),)


def test_deep_expressions_are_built(tmp_path: Path) -> None:
    """Python reads no more than 200 parentheses in one another."""
    terms = " + ".join(["code"] * 60)
    cases = {number: "be" if number % 2 else "le" for number in range(60)} | {"_": "be"}
    inner = {"meta": {"endian": {"switch-on": "_root.code", "cases": cases}}, "seq": [{"id": "b", "type": "u2"}]}
    spec = {
        "meta": {"id": "deep", "endian": "be"},
        "seq": [{"id": "code", "type": "u1"}, {"id": "a", "size": terms}, {"id": "rest", "type": "inner"}],
        "types": {"inner": inner},
    }
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "deep.ksy").write_text(yaml.safe_dump(spec, sort_keys=False))
    made = Builder().make(tmp_path)
    assert not made.problems, made.problems
    assert "what is nested so deeply" in made.products["layouts.py"]
    ast.parse(made.products["layouts.py"])


@pytest.mark.parametrize("half", [{"switch-on": 5}, {"cases": {1: "le"}}, {"switch-on": 5, "cases": 7}, {}])
def test_what_switches_is_refused_if_it_is_half_described(half: Any) -> None:
    """A byte order and a type alike, so that whatever reads expressions has both keys."""
    assert [*misshapen({"meta": {"id": "a", "endian": half}})]
    assert [*misshapen({"meta": {"id": "a"}, "seq": [{"id": "one", "type": half}]})]


def test_a_type_that_does_not_switch(scope: Scope) -> None:
    assert switch(scope, {"type": "u1"}) == switch(scope, {}) == (None, ())
