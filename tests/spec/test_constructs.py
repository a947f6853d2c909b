"""The table of constructs is what the compiler takes, and what the build step and lint take."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from lmparse.spec.build import products
from lmparse.spec.build.compiler import Compiler
from lmparse.spec.build.constructs import CONSTRUCTS, Level, misshapen, type_word, unknown, words
from lmparse.spec.build.specs import FORMATS, SpecFile, on_disk, parsed, read_all
from lmparse.spec.kind_words import KIND_WORDS
from lmparse.values.kinds import KINDS

BOGUS = "no_such_key"
_READ = (
    "size: 1", "type: u1", "type: u1, enum: e", "type: b3", "type: str, size: 1, encoding: ASCII", "type: inner",
    "type: strz, encoding: ASCII", "contents: a", "type: {switch-on: 1, cases: {1: inner}}", "type: inner, size: 1",
    "type: {switch-on: 1, cases: {1: inner}}, size: 1", "size: 1, repeat: eos", "size: 1, repeat: expr, repeat-expr: 1",
    "size: 1, repeat: until, repeat-until: 'true'", "size: 1, process: zlib", "size-eos: true", "terminator: 0",
)  # fmt: skip
"""Attributes of which each makes the compiler expect other keys."""
PROBES: dict[Level, list[str]] = {
    Level.TYPE: [f"{BOGUS}: 1", f"types: {{inner: {{{BOGUS}: 1}}}}"],
    Level.META: [f"meta: {{id: acme_a, {BOGUS}: 1}}"],
    Level.ENDIAN: [f"meta: {{id: acme_a, endian: {{switch-on: 1, cases: {{1: le}}, {BOGUS}: 1}}}}"],
    Level.FIELD: [f"seq: [{{id: x, {BOGUS}: 1, {read}}}]" for read in _READ],
    Level.INSTANCE: [f"instances: {{x: {{pos: 0, io: _io, {BOGUS}: 1, {read}}}}}" for read in _READ],
    Level.VALUE_INSTANCE: [f"instances: {{x: {{value: 1, {BOGUS}: 1}}}}"],
    Level.PARAM: [f"params: [{{id: x, type: u1, {BOGUS}: 1}}]"],
    Level.SWITCH: [f"seq: [{{id: x, type: {{switch-on: 1, cases: {{1: u1}}, {BOGUS}: 1}}}}]"],
    Level.MEMBER: [f"enums: {{e: {{1: {{id: x, {BOGUS}: 1}}}}}}"],
    Level.VALID: [f"seq: [{{id: x, type: u1, valid: {{{BOGUS}: 1}}}}]"],
    Level.REPEAT_WORD: [f"seq: [{{id: x, type: u1, repeat: {BOGUS}}}]"],
}
"""Specs with a key that does not exist, by the level of this key."""


@cache
def compiler() -> Compiler:
    return Compiler()


def compiled(texts: list[str]) -> list[str]:
    """What the compiler says of some specs: its errors, or nothing."""
    specs: dict[str, SpecFile] = {}
    for number, text in enumerate(texts):
        tree: dict[str, Any] = {"meta": {"id": f"acme_{number}"}, "types": {"inner": {}}, "enums": {"e": {1: "one"}}}
        tree |= yaml.safe_load(text)
        tree["meta"] = {**tree["meta"], "id": f"acme_{number}"}
        specs[f"acme_{number}"] = parsed(f"acme_{number}", Path(f"acme_{number}.ksy"), yaml.safe_dump(tree).encode())
    faults = compiler().compile(list(specs.values()), specs)[1]
    return [" ".join(problem.text for problem in faults.get(place, [])) for place in specs]


@pytest.mark.parametrize("level", PROBES, ids=lambda level: level.name)
def test_the_table_has_the_keys_that_the_compiler_knows(level: Level) -> None:
    """A release of the compiler that knows another key fails here: it needs an entry, and a reading in both engines."""
    known: set[str] = set()
    for said in compiled(PROBES[level]):
        found = re.search(r"(?:expected:?|allowed:) (.*?)(?:, got .*)?$", said)
        assert found, said
        known |= set(re.split(r", | / ", found[1]))
    # The compiler takes these two of instances before it looks at the other keys.
    known |= {"pos", "io"} if level is Level.INSTANCE else set()
    known -= {"id"} if level is Level.INSTANCE else set()
    assert known == words(level, ours=False)


def test_the_words_of_types_and_processes_are_those_of_the_compiler() -> None:
    numbers = [f"{kind}{width}le" for kind in "us" for width in (2, 4, 8)] + ["f4be", "f8be", "u1", "s1", "b5", "b5le"]
    fields = [f"seq: [{{id: x, type: {name}}}]" for name in numbers]
    fields += [f"seq: [{{id: x, type: {name}, size: 1, encoding: ASCII}}]" for name in ("str", "strz")]
    fields += [f"params: [{{id: x, type: {name}}}]" for name in ("bool", "bytes", "io", "any", "struct")]
    fields += [f"seq: [{{id: x, size: 1, process: '{word}'}}]" for word in ("xor(1)", "rol(1)", "ror(1)", "zlib")]
    assert [said for said in compiled(fields) if said] == []
    assert {type_word(name) for name in numbers} == {"u", "s", "f", "b"}
    assert {type_word(name) for name in ("u3", "f2", "u16", "inner", "b", "u", "strings")} == {None}
    assert all(compiled([f"seq: [{{id: x, type: {name}}}]" for name in ("u3", "f2", "s16", "string", "void")]))


def test_each_construct_is_once_in_the_table_and_described() -> None:
    names = [entry.name for entry in CONSTRUCTS]
    assert len(names) == len(set(names))
    assert all(entry.doc for entry in CONSTRUCTS)


def test_our_specs_have_only_what_is_in_the_table() -> None:
    shelf, places = on_disk(FORMATS)
    specs, faults = read_all(shelf, places)
    assert not faults
    assert [finding for spec in specs for finding in unknown(spec.tree)] == []


@pytest.mark.parametrize("level", [*PROBES][:-1], ids=lambda level: level.name)
def test_a_key_that_is_not_in_the_table_is_refused(level: Level, tmp_path: Path) -> None:
    """By lint and by the build step, without the compiler, with file, line and column."""
    path = tmp_path / "acme_a.ksy"
    for text in PROBES[level]:
        path.write_text(text if "meta" in text else f"meta: {{id: acme_a}}\n{text}")
        made = products.Builder().make(path)
        (problem,) = (problem for problem in made.problems if BOGUS in problem.text)
        line = path.read_text().splitlines()[problem.line - 1]
        assert line[problem.column - 1 :].startswith(BOGUS)
        assert problem.text.startswith(f"there is no key {BOGUS} in {level.value}")


def test_keys_of_others_are_taken() -> None:
    others = "-webide-representation: x\nmeta: {id: acme_a, -vendor: 1}\nseq: [{id: x, type: u1, -affected-by: 15}]\n"
    assert [*misshapen(tree := yaml.safe_load(others)), *unknown(tree)] == []


def test_kinds_of_values_have_a_word_each() -> None:
    assert set(KIND_WORDS) == {*KINDS, "struct", "body"} - {"str", "boolean"}
