"""No text of a spec becomes code: what is generated has the same structure whatever its texts are, or is refused."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from amounts import amount
from hypothesis import given, settings
from hypothesis import strategies as st
from spec.build_step import make

from lmparse.spec.build.parsers import foreign_in_parser
from lmparse.spec.build.specs import SpecError
from lmparse.spec.catalog import class_name

OTHER = "meta: {id: acme_b, title: t, license: CC0-1.0, ks-version: '0.11'}\ndoc: d\nseq: [{id: b, size-eos: true}]\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the spec that the others import."""
    folder = tmp_path_factory.mktemp("specs") / "acme"
    folder.mkdir()
    (folder / "acme_b.ksy").write_text(OTHER)
    return folder


@cache
def made(folder: Path, text: str) -> dict[str, str]:
    """The products of a spec in a folder. Raises SpecError."""
    (folder / "acme_a.ksy").write_text(text, encoding="utf-8")
    found = make(folder / "acme_a.ksy")
    return {name: module for name, module in found.items() if name.endswith((".py", ".pyi"))}


def structure(text: str) -> list[str]:
    """The kinds of all nodes of a module but docstrings."""
    tree = ast.parse(text)
    docs = {id(node) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    docs |= {id(node.value) for node in ast.walk(tree) if id(node) in docs and isinstance(node, ast.Expr)}
    return [type(node).__name__ for node in ast.walk(tree) if id(node) not in docs]


def used(text: str) -> set[str]:
    """What a module imports and calls."""
    nodes = [*ast.walk(ast.parse(text))]
    imports = {ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)}
    functions = [node.func for node in nodes if isinstance(node, ast.Call)]
    return imports | {
        function.attr if isinstance(function, ast.Attribute) else ast.unparse(function) for function in functions
    }


def places(tree: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all texts of a spec."""
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from places(value, (*where, key))
    elif isinstance(tree, str):
        yield where


def replaced(where: tuple[Any, ...], text: str) -> str:
    """SMALL with another text at one place."""
    tree = copy.deepcopy(TREE)
    holder = tree
    for key in where[:-1]:
        holder = holder[key]
    holder[where[-1]] = text
    return yaml.safe_dump(tree, sort_keys=False, width=10_000)


SMALL = """\
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be, imports: [acme_b]}
doc: of all
doc-ref: a manual
seq:
  - {id: one, type: u1, doc: d, doc-ref: r, enum: e, -orig-id: ONE, -unit: bytes}
  - {id: two, type: str, size: '4', encoding: UTF-8}
  - {id: three, size: 4, process: xor(0x55), if: two == "abc"}
  - {id: four, contents: abc}
  - {id: five, type: inner, repeat: until, repeat-until: _.x == 1}
types: {inner: {doc: of inner, seq: [{id: x, type: u1}]}}
enums: {e: {1: a, 2: {id: b, doc: of b}}}
instances: {v1: {value: two + "x", doc: of v1}}
"""
TREE = yaml.safe_load(SMALL)
TEXTS = [where for where in places(TREE) if where != ("meta", "id")]
INERT = {"title", "license", "-orig-id", "-unit", "-lm-source", "doc", "doc-ref", "encoding"}
"""Keys of texts that change no code; of others a text that is taken may be another expression."""
BREAKING = [
    "subprocess.popen('id')",
    'x"""\nopen("there","w")\n"""y', 'x"\nopen("there","w")\ny"', "x'\nopen('there')\n'", "x\\", 'x\\"""', 'x"',
    '"""', 'x"""+open("there")+"""y', "x\n    open('there')", "\x00", "\u2028open()", "x\ropen()", "x\x0copen()",
    "# coding: utf-7", "open", "__import__", '__import__("os").system("id")', "os", "self",
    'utf-8"),open("there","w"),("', "_root.__class__", "one.__class__", "/../../x", "acme_b\nimport os", "\\N{DASH}",
    '"a" + open("there")', "kaitaistruct", "import os", "../acme_b", "acme_b;os", "true", "opaque_type", "any",
]  # fmt: skip
HOSTILE = st.sampled_from(BREAKING) | st.text(
    st.sampled_from("\"'\\\n\r\t #()[]{};:=+.,_ax0") | st.characters(), max_size=16
)


@settings(max_examples=amount(12, 1000), deadline=None)
@given(where=st.sampled_from(TEXTS), text=HOSTILE)
def test_no_text_breaks_out(where: tuple[Any, ...], text: str, folder: Path) -> None:
    stays(where, text, folder)


def stays(where: tuple[Any, ...], text: str, folder: Path) -> bool:
    """Check that a text at one place is refused, or changes nothing but names and constants; whether it is taken."""
    sound = made(folder, SMALL)
    try:
        found = made(folder, replaced(where, text))
    except (SpecError, UnicodeEncodeError):
        return False
    for name in sound:
        # Expressions may read fields and convert their values, in one of these ways.
        harmless = used(sound[name]) | {class_name(text), "len", "int", "str", "pos", "size", "is_eof"}
        assert used(found[name]) <= harmless
        if INERT & set(where) and text.strip():  # a layout leaves out what is empty
            assert structure(found[name]) == structure(sound[name])
    return True


@pytest.mark.parametrize("text", BREAKING[:4])
@pytest.mark.parametrize(
    "where", [("doc",), ("seq", 0, "doc"), ("doc-ref",), ("seq", 1, "encoding"), ("seq", 2, "process")]
)
def test_known_ways_out_are_shut(where: tuple[Any, ...], text: str, folder: Path) -> None:
    stays(where, text, folder)


@pytest.mark.parametrize(
    "line",
    [
        "open('x')", "import os", "from os import path", "from . import other", "x = open", "lambda: 0",
        "class Other(KaitaiStruct): pass", "def run(self): pass", "len = 1", "range = 1", "@property", "eval('1')",
        "from kaitaistruct import KaitaiStruct", "from lmparse.spec.step_budget import sys",
        "x.__class__", "x.system()",
        "AcmeA.run()", "[x for x in ()]", "print(1)", "kaitaistruct.os.system('id')",
        "getattr(kaitaistruct, '__builtins__')", "import struct, os",
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", ["", "    ", "        "])
def test_another_line_in_a_parser_is_found(line: str, indent: str) -> None:
    text = PARSER.format(f"{indent}{line}")
    assert foreign_in_parser(PARSER.format(""), ("acme_b",), ("AcmeA",)) is None
    assert foreign_in_parser(text, ("acme_b",), ("AcmeA",))


@pytest.mark.parametrize("line", ['vars()["not"] = open("x")', "vars(1)['not'] = 1", 'y["not"] = 1'])
def test_members_of_an_enumeration_are_names(line: str) -> None:
    head = "import kaitaistruct\nfrom enum import IntEnum\nclass AcmeA(IntEnum):\n"
    assert foreign_in_parser(f'{head}    one = 1\n    vars()["not"] = -1\n', (), ("AcmeA",)) is None
    assert foreign_in_parser(f"{head}    one = 1\n    {line}\n", (), ("AcmeA",))


@pytest.mark.parametrize(
    "call", ["struct.pack('3s', 1)", "struct.pack(one, 1)", "struct.unpack('3B', 1)", "struct.pack()"]
)
def test_bytes_are_packed_and_nothing_else(call: str) -> None:
    parser = PARSER.replace("import kaitaistruct\n", "import kaitaistruct\nimport struct\n", 1)
    line = "        self.two = {}"
    assert foreign_in_parser(parser.format(line.format("struct.pack('2B', 1, 2)")), ("acme_b",), ("AcmeA",)) is None
    assert foreign_in_parser(parser.format(line.format(call)), ("acme_b",), ("AcmeA",))


PARSER = """\
import kaitaistruct
from lmparse.spec.step_budget import KaitaiStruct, KaitaiStream, BytesIO
from . import acme_b

class AcmeA(KaitaiStruct):
    \"\"\"Doc.\"\"\"
    def _read(self):
        self.one = self._io.read_u1()
{}
"""


@pytest.mark.parametrize("name", ["a\nimport os", "a#\n", "coding: utf-7", "coding=utf-7", 'a"b', "a\\b"])
def test_the_name_of_a_folder_is_no_code(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "acme_b.ksy").write_text(OTHER)
    for source in (tmp_path, tmp_path / name / "acme_b.ksy"):
        with pytest.raises(SpecError, match="has a name of more than letters"):
            make(source)
