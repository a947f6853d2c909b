"""A parser that makes another class of a field than the layouts say is not taken, however the compiler came to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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
