"""What a spec names is the same to its parser and in its layouts, or the spec is refused."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from lmparse.spec import catalog
from lmparse.spec.build.products import Builder

_SHADOWED = """\
meta: {id: acme_s, endian: be}
seq: [{id: first, type: outer}]
enums: {color: {21: red}, tint: {11: red}}
types:
  outer:
    enums: {color: {2: red}}
    seq: [{id: first, type: inner}]
    types:
      inner:
        enums: {color: {3: red}}
        seq: [{id: first, type: deep}]
        types:
          inner: {enums: {color: {4: red}}, seq: [{id: x, type: u1}]}
          deep: {enums: {tint: {14: red}}, seq: [{id: x, type: u1}]}
  acme_s: {enums: {color: {5: red}, hue: {15: red}}, seq: [{id: x, type: u1}]}
  takes: {params: [{id: p, type: s4}], seq: [{id: x, type: u1}]}
"""
_WAYS = (
    "color", "tint", "inner::color", "outer::color", "outer::inner::color", "outer::inner::inner::color",
    "inner::inner::color", "acme_s::color", "acme_s::tint", "acme_s::hue", "acme_s::outer::color", "deep::tint",
    "acme_s::outer::inner::color", "inner::deep::tint", "outer::inner::deep::tint",
)  # fmt: skip
_WITH_MEMBER = {
    "if": "type: u1, if: 'x == M.to_i'",
    "size": "size: M.to_i",
    "repeat-expr": "type: u1, repeat: expr, repeat-expr: M.to_i",
    "repeat-until": "type: u1, repeat: until, repeat-until: '_ == M.to_i'",
    "switch-on": "type: {switch-on: 'x == 1 ? M.to_i : 1', cases: {1: u1, 2: u2}}",
    "cases": "type: {switch-on: x, cases: {'M.to_i': u1, _: u2}}",
    "arguments": "type: takes(M.to_i)",
    "arguments of a case": "type: {switch-on: x, cases: {1: takes(M.to_i), _: takes(x)}}",
    "valid": "type: u1, valid: M.to_i",
    "valid/expr": "type: u1, valid: {expr: '_ == M.to_i'}",
    "valid/any-of": "type: u1, valid: {any-of: [1, M.to_i]}",
    "process": "size: 1, process: xor(M.to_i)",
    "pos": "pos: M.to_i, type: u1",
    "value": "value: M.to_i + 0",
    "value by a condition": "value: 'x == 1 ? M.to_i : 1'",
}


def _holders(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for inner in tree.get("types", {}).values():
        yield from _holders(inner)


def _shadowed(number: int, where: int, way: str) -> tuple[str, dict[str, Any]]:
    """A spec that names one member in every form, in one of its types."""
    name = f"acme_s{number}"
    tree = yaml.safe_load(_SHADOWED.replace("acme_s", name))
    holder = [one for one in _holders(tree) if "params" not in one][where]
    seq, instances = [{"id": "x", "type": "u1"}], {}
    for place, form in enumerate(_WITH_MEMBER.values()):
        made = yaml.safe_load("{" + form.replace("M", f"{way.replace('acme_s', name)}::red") + "}")
        if "pos" in made or "value" in made:
            instances[f"f{place}"] = made
        else:
            seq.append({"id": f"f{place}", **made})
    holder["seq"], holder["instances"] = [*seq, *holder["seq"][holder["seq"][0]["id"] == "x" :]], instances
    return name, tree


def test_a_member_that_is_another_one_in_the_parser_is_refused(tmp_path: Path) -> None:
    """Whatever the compiler takes for a name: parser and layouts decide by the same number, or nothing is built."""
    for where in (0, 2, 5):
        for number, way in enumerate(_WAYS):
            name, tree = _shadowed(100 * where + number, where, way)
            (tmp_path / f"{name}.ksy").write_text(yaml.safe_dump(tree, sort_keys=False))
    made = Builder().make(tmp_path)
    refused = {problem.path for problem in made.problems if "there is no enumeration" in problem.text}
    alike = 0
    for path in tmp_path.glob("*.ksy"):
        if f"{path.stem}.py" in made.products:
            parser = ast.parse(made.products[f"{path.stem}.py"])
            found = _numbers_of_layouts(made.products["layouts.py"], path.stem)
            assert found in (_numbers(parser), set()), path  # none: it is left to the parser
            alike += bool(found)
    assert len(refused) >= 5
    assert alike >= 12


def _numbers(parser: ast.Module) -> set[int]:
    """The values of the members that a parser names."""
    found: dict[str, int] = {}
    left: list[tuple[str, ast.stmt]] = [("", node) for node in parser.body]
    while left:
        around, node = left.pop()
        if isinstance(node, ast.ClassDef):
            left += [(f"{around}{node.name}.", inner) for inner in node.body]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            found[f"{around}{ast.unparse(node.targets[0])}"] = int(node.value.value)
    nodes = [node for node in ast.walk(parser) if isinstance(node, ast.Attribute)]
    return {found[text] for text in map(ast.unparse, nodes) if text in found}


def _numbers_of_layouts(text: str, name: str) -> set[int]:
    """The numbers with which the conditions of some layouts compare."""
    pairs = re.findall(
        r"\('==', \('name', 'x'\), (\d+)\)", "".join(re.findall(rf"(?s)\n    '{name}[.'].*?\n    \)", text))
    )
    return {*map(int, pairs)} - {1}


TYPES = """\
meta: {id: acme_t, endian: be}
seq: [{id: a, type: PATH}]
types:
  outer:
    seq: [{id: x, type: u1}]
    types: {inner: {seq: [{id: y, type: u2}]}, other: {seq: [{id: z, type: u4}]}}
  held: {seq: [{id: b, type: outer}], types: {outer: {seq: [{id: p, type: u8}]}}}
  inner: {seq: [{id: q, type: u4}]}
"""


def test_a_type_is_the_same_to_the_parser_and_in_the_layouts_or_is_refused(tmp_path: Path) -> None:
    for path, width in (
        ("outer", 1),
        ("outer::inner", 2),
        ("outer::other", 4),
        ("inner", 4),
        ("held", 8),
        ("held::outer", 8),
    ):
        (tmp_path / "acme_t.ksy").write_text(TYPES.replace("PATH", path))
        made = Builder().make(tmp_path)
        assert not made.problems
        written = tmp_path / path.replace(":", "")
        for name, text in made.products.items():
            (written / name).parent.mkdir(parents=True, exist_ok=True)
            (written / name).write_text(text)
        spec = catalog.load(str(written / "acme_t"))
        assert spec.layout.width == width
        assert spec.parser.from_bytes(bytes(9))._io.pos() == width
    for path in ("acme_t::outer", "acme_t::outer::inner"):
        (tmp_path / "acme_t.ksy").write_text(TYPES.replace("PATH", path))
        (problem,) = Builder().make(tmp_path).problems
        assert "there is no type acme_t::" in problem.text
