"""A parser that makes another class of a field than the layouts say is not taken, however the compiler came to it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lmparse.spec.build.products import Builder
from lmparse.spec.build.references import misread
from lmparse.spec.build.selection import selected
from lmparse.spec.build.specs import Parsed

pytestmark = pytest.mark.usefixtures("started_once")

OTHER = """\
meta: {id: acme_b, endian: be}
seq: [{id: b, type: u1}]
types: {part: {seq: [{id: c, type: u1}]}}
enums: {color: {5: blue}}
"""
RICH = """\
meta: {id: acme_a, endian: {switch-on: order, cases: {1: be, _: le}}, imports: [acme_b]}
params: [{id: order, type: u1}]
seq:
  - {id: one, type: u1, enum: color}
  - {id: first, type: inner}
  - {id: append, type: inner, if: one == color::not}
  - {id: listed, type: inner, repeat: expr, repeat-expr: 2}
  - {id: closed, type: 'inner::inside(1)', repeat: until, repeat-until: _.x.to_i == 1}
  - {id: sized, size: 4, repeat: eos, type: {switch-on: order, cases: {1: inner, 2: acme_b, 3: 'acme_b::part', 4: u2}}}
  - {type: acme_b}
instances:
  ahead: {pos: 0, type: inner, if: order == 2}
  all: {pos: 0, repeat: eos, type: {switch-on: order, cases: {1: inner, _: 'inner::inside(2)'}}}
  tint: {pos: 2, type: u2, enum: inner::color}
  said: {value: 1, enum: color}
types:
  inner:
    seq:
      - {id: z, type: 'inside(3)'}
      - {id: kind, type: u2, enum: color}
      - {id: whole, type: acme_a(1), if: z.x.to_i == 9}
    instances: {back: {pos: 1, type: acme_b, size: 1}, far: {pos: 0, type: inner, if: z.x.to_i == 9}}
    types: {inside: {params: [{id: p, type: u1}], seq: [{id: x, type: u1, enum: color}]}}
    enums: {color: {1: red}}
enums: {color: {1: red, 2: not}}
"""
_CLASS = r"(?:acme_b\.AcmeB(?:\.Part)?|AcmeA(?:\.Inner(?:\.Inside)?)?)"
_MADE = re.compile(rf"(?<![\w.])(?<!class ){_CLASS}(?=\()|(?<=resolve_enum\(){_CLASS}\.Color")
"""A class of which a parser makes an object, or an enumeration of which it makes a member."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both specs."""
    folder = tmp_path_factory.mktemp("specs")
    (folder / "acme_a.ksy").write_text(RICH)
    (folder / "acme_b.ksy").write_text(OTHER)
    return folder


def test_whatever_else_a_parser_makes_is_found(source: Path) -> None:
    made = Builder().make(source)
    assert not made.problems  # nothing that is named right is refused
    named = {spec.id: spec for spec in selected(source, Parsed()).specs}
    for name in ("acme_a.py", "debug/acme_a.py"):
        text = made.products[name]
        places = [*_MADE.finditer(text)]
        assert len(places) >= 20
        for place in places:
            others = ("AcmeA.Color", "AcmeA.Inner.Color") if "Color" in place[0] else ("AcmeA", "AcmeA.Inner", "None")
            for other in {*others} - {place[0]}:
                changed = text[: place.start()] + other + text[place.end() :]
                assert [*misread(named["acme_a"], named, [changed])], (
                    name,
                    place[0],
                    other,
                    text[: place.start()][-80:],
                )


_NAMES = (
    "i", "io", "on", "pos", "begin", "root", "parent", "is_le", "debug", "self", "read", "len", "range", "t_i", "t_l",
    "raw_i", "raw_l", "m_i", "io_raw_l", "inner", "color", "acme_1", "kaitai_stream", "resolve_enum", "seek",
)  # fmt: skip
"""Names that the parser uses itself, alone or as parts of its own, and those of other things in the spec."""
_FORMS = (
    "type: inner", "type: u1, enum: color", "type: inner, repeat: eos", "type: inner, repeat: expr, repeat-expr: 2",
    "type: inner, repeat: until, repeat-until: _.x == 0", "type: u1, enum: color, repeat: expr, repeat-expr: 2",
    "type: u1, enum: color, repeat: until, repeat-until: '_ == color::red'", "type: inner, size: 2, if: number == 1",
    "type: inner, size: 2, process: xor(1), repeat: eos", "type: b3, enum: color", "type: inner, terminator: 0",
    "size: 2, type: {switch-on: number, cases: {1: inner, _: other}}",
    "type: {switch-on: number, cases: {1: inner, 2: u1, _: other}}, repeat: expr, repeat-expr: 2",
)  # fmt: skip
_AROUND = (
    "meta: {{id: ID, endian: be}}\nseq:\n  - {{id: number, type: u1}}\n{seq}\ninstances: {instances}\n"
    "types: {{inner: {{seq: [{{id: x, type: u1}}]}}, other: {{seq: [{{id: y, type: u2}}]}}}}\n"
    "enums: {{color: {{1: red}}}}\n"
)


def _problems(folder: Path, *specs: str) -> list[str]:
    for number, text in enumerate(specs):
        (folder / f"acme_{number}.ksy").write_text(text.replace("ID", f"acme_{number}"))
    return [*map(str, Builder().make(folder).problems)]


def test_a_field_may_have_a_name_that_the_parser_uses_itself(tmp_path: Path) -> None:
    """Every name in every form, with fields of all forms in front of it and behind it."""
    others = [f"  - {{id: other_{number}, {form}}}" for number, form in enumerate(_FORMS)]
    specs = []
    for first in range(len(_FORMS)):
        seq = []
        for number, name in enumerate(_NAMES):
            form = _FORMS[(first + number) % len(_FORMS)]
            seq += [f"  - {{id: {name}, {form}}}", others[number % len(others)].replace("other_", f"other{number}_")]
        specs.append(_AROUND.format(seq="\n".join(seq), instances="{}"))
        placed = [f"{name}: {{pos: 0, {_FORMS[(first + n) % len(_FORMS)]}}}" for n, name in enumerate(_NAMES)]
        specs.append(_AROUND.format(seq="\n".join(others), instances=f"{{{', '.join(placed)}}}"))
    assert not _problems(tmp_path, *specs)


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
    "valid/min": "type: u1, valid: {min: M.to_i}",
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


def test_a_member_that_is_another_one_in_the_parser_is_refused_in_every_form(tmp_path: Path) -> None:
    """Whatever the compiler takes for a name: parser and layouts decide by the same number, or nothing is built."""
    for where in (0, 2, 5):
        for number, way in enumerate(_WAYS):
            name, tree = _shadowed(100 * where + number, where, way)
            (tmp_path / f"{name}.ksy").write_text(yaml.safe_dump(tree, sort_keys=False))
    made = Builder().make(tmp_path)
    refused, alike = Counter[str](), 0
    for problem in made.problems:
        if "several levels" in problem.text:
            refused[problem.path] += 1
    for path in tmp_path.glob("*.ksy"):
        if f"{path.stem}.py" in made.products:
            parser = ast.parse(made.products[f"{path.stem}.py"])
            found = _numbers_of_layouts(made.products["layouts.py"], path.stem)
            assert found in (_numbers(parser), set()), path  # none: it is left to the parser
            alike += bool(found)
    assert set(refused.values()) == {len(_WITH_MEMBER)}  # in every form where in one
    assert len(refused) >= 5
    assert alike >= 15


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


MEMBERS = """\
meta: {id: acme_m, endian: {switch-on: order, cases: {color::red.to_i: be, _: le}}}
params: [{id: order, type: u1}]
seq:
  - {id: i, type: u1, enum: color}
  - {id: on, type: 'inner(color::red)', repeat: expr, repeat-expr: color::red.to_i, if: i == color::red, size: 4}
  - {id: until, type: inner(color::red), repeat: until, repeat-until: '_.z == color::red.to_i'}
  - id: switches
    size: color::red.to_i + 1
    process: xor(color::red.to_i)
    type: {switch-on: 'i == color::red ? 1 : 2', cases: {color::red.to_i: inner(color::red), 2: inner(i), _: other}}
  - {id: listed, type: u1, enum: color, valid: {any-of: [color::red, color::not]}, if: i == color::red and true}
  - {id: least, type: u1, valid: {min: color::red.to_i}}
  - {id: exact, type: u1, valid: color::red.to_i}
  - {id: checked, type: u1, valid: {expr: '_ == color::red.to_i'}}
instances:
  ahead: {pos: color::red.to_i, type: inner(color::red), if: order == color::red.to_i}
  chosen: {value: 'order == 1 ? color::red : color::not'}
  chosen_too: {value: 'order == 1 ? color::not.to_i : tint::red.to_i'}
types:
  inner: {params: [{id: c, type: u1, enum: color}], seq: [{id: z, type: u2}]}
  other: {seq: [{id: x, type: u1, if: 'true or acme_m::tint::red.to_i == 9'}]}
enums: {color: {1: red, 2: not}, tint: {1: red, 2: not}}
"""
_MEMBER = re.compile(r'AcmeM\.(?:Color|Tint)(?:\.red|\["not"\])')


def test_whatever_other_member_a_parser_has_is_found(tmp_path: Path) -> None:
    (tmp_path / "acme_m.ksy").write_text(MEMBERS)
    made = Builder().make(tmp_path)
    assert not made.problems
    named = {spec.id: spec for spec in selected(tmp_path, Parsed()).specs}
    for name in ("acme_m.py", "debug/acme_m.py"):
        text = made.products[name]
        read = re.sub(
            r"(?s)    def _fetch_instances.*?(?=\n +(?:@property|def|class)|\Z)|raise [^\n]*",
            lambda found: " " * len(found[0]),
            text,
        )
        places = [*_MEMBER.finditer(read)]
        assert len(places) >= 40
        for place in places:
            for other in {"AcmeM.Color.red", 'AcmeM.Color["not"]', "AcmeM.Tint.red"} - {place[0]}:
                changed = text[: place.start()] + other + text[place.end() :]
                assert [*misread(named["acme_m"], named, [changed])], (name, other, text[: place.start()][-80:])
        first, second = "AcmeM.Color.red if self.order == 1 else ", 'AcmeM.Color["not"])'
        assert f"({first}{second}" in text
        changed = text.replace(f"({first}{second}", '(AcmeM.Color["not"] if self.order == 1 else AcmeM.Color.red)')
        assert [*misread(named["acme_m"], named, [changed])]  # the same members the other way round
