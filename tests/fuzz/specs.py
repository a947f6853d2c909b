"""Layouts that hold nothing but data, and stubs, or a SpecError, from a .ksy of any text, in bounded memory.

An input changes the lines of a spec. What lmparse itself makes of it is checked: reading within limits, shape,
refusals, lint, layouts, stubs. The compiler takes seconds and is left out: `tests/spec/test_foreign_code.py` covers it.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from functools import cache
from pathlib import Path

from fuzz.edits import Source, edited_lines, inputs
from lmparse.spec.build import lint, products
from lmparse.spec.build.layouts import Layouts
from lmparse.spec.build.specs import FORMATS, SpecError, SpecFile, closure, missing_imports, parsed, wrong_ids
from lmparse.spec.build.stubs import stub

FAULTY = Path(__file__).parents[1] / "cases_bad_specs"
CASES = [
    path for path in (*sorted(FORMATS.rglob("*.ksy")), *sorted(FAULTY.rglob("*.ksy"))) if path.stat().st_size < 60_000
]
SEEDS = inputs(len(CASES))
_VALUES = (
    "u1",
    "u2",
    "u4",
    "u8",
    "s2",
    "f8",
    "b1",
    "b3",
    "b31",
    "b64",
    "u2le",
    "str",
    "strz",
    "common_rid",
    "2",
    "0",
    "-1",
    "65536",
    "a + 1",
    "length - 4",
    "eos",
    "expr",
    "until",
    "true",
    "false",
    "be",
    "le",
    "cp037",
    "UTF-8",
    "_root",
    "_parent.a",
    "zlib",
    "ebcdic",
    "zoned",
    "[1, 2]",
    "{min: 1}",
    "{switch-on: a, cases: {1: u2, _: u4}}",
    "[]",
    "{}",
    "null",
    "x",
    "''",
    '"\\"',
)
_TEXTS = (
    *_VALUES,
    "id: a", "type: u2", "type: u2le", "type: b3", "type: strz", "type: a::b", "size: 4", "size: -1", "size: a + 1",
    "size-eos: true", "repeat: eos", "repeat: expr", "repeat-expr: 2", "repeat: until", "repeat-until: _ == 0",
    "if: a > 1", "enum: e", "contents: [1, 2]", "terminator: 0", "process: zlib", "process: xor(1)",
    "encoding: UTF-8", "valid: 3", "valid: {min: 1}", "valid: {any-of: [1, 2]}", "switch-on: a",
    "cases: {1: u2, _: u4}", "params:", "seq:", "instances:", "types:", "enums:", "meta:", "endian: be",
    "imports: [/common/common_rid]", "doc: x", 'doc: "\\"\\"\\""', "doc-ref: x", "-orig-id: X", "-codec: ebcdic",
    "-lm-type: zoned", "-scale: 2", "-unit: x", "value: 1 / 0", "pos: 1", "io: _root._io", "consume: false",
    "include: true", "eos-error: false", "pad-right: 0", "byte_order", "self", "import", "__class__", "\n", "  ",
    "    ", "- ", "&a", "*a", "<<: *a", "!!python/name:x", "? ", "[", "]", "{", "}", "|", "'", '"', "\\", "\x00",
    "0x10", "9" * 30, "1.5", "true", "~", "#", ":", ",", "_", "$", "\u2028", "\ufeff",
)  # fmt: skip
WORDS = [text.encode() for text in _TEXTS] + [b"\xff", b"\xed\xa0\x80"]


def target(data: bytes) -> None:
    source = Source(data)
    path = source.pick(CASES, 2)
    place = path.relative_to(FORMATS if FORMATS in path.parents else path.parents[1]).with_suffix("").as_posix()
    with suppress(SpecError):
        _build(place, path, b"".join(edited_lines(path.read_bytes().splitlines(keepends=True), source, WORDS, b": ")))


@cache
def _known() -> dict[str, SpecFile]:
    """The specs of lmparse by place, for imports."""
    places = {path.relative_to(FORMATS).with_suffix("").as_posix(): path for path in sorted(FORMATS.rglob("*.ksy"))}
    return {place: parsed(place, path, path.read_bytes()) for place, path in places.items()}


def _build(place: str, path: Path, text: bytes) -> None:
    spec = parsed(place, path, text)
    known = _known() | {place: spec}
    specs = closure(known, [place])
    if problems := [one for found in wrong_ids(specs).values() for one in found] + missing_imports(spec, known):
        raise SpecError(problems)
    named = {one.id: one for one in specs}
    if problems := [spec.problem(*finding) for finding in lint.wrong(spec, named)]:
        raise SpecError(problems)
    found = Layouts(specs).by_id
    layouts = products._layouts_text(
        {name: f"    {name!r}: {products._construct(layout, 1)}," for name, layout in found.items()}
    )
    ast.parse(layouts)
    ast.parse(stub(spec, named))
