"""The one reader of YAML and JSON of others: what it refuses, at once, and that it reads the rest as YAML does."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from lmparse.db2.tables.table import read_tables_file
from lmparse.errors import ControlError, LmparseError, OptionError
from lmparse.limits import Limits
from lmparse.options import Options
from lmparse.spec.documents import EXACT, FAST, DocumentError, file_bytes, read_json, read_yaml
from lmparse.spec.ksy import read_specs

LOADERS = pytest.mark.parametrize("loader", [EXACT, FAST], ids=["exact", "fast"])
COLUMN = "tables:\n  - {{tablespace_id: 2, table_id: 5, schema: HR, name: E, columns: [{{name: A, type: {}}}]}}\n"


def bomb(levels: int, item: str = "[x,x,x,x,x,x,x,x,x,x]") -> str:
    """Lists of ten of the list before: ten to the power of `levels` values in a few hundred bytes."""
    lists = [f"a0: &a0 {item}"]
    lists += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join([*lists, f"tables: *a{levels - 1}"])


def merged(levels: int) -> str:
    """The same by merge keys."""
    lists = ["a0: &a0 {x: 1}"]
    lists += [f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, levels)]
    return "\n".join([*lists, f"tables: *a{levels - 1}"])


REFUSED = {
    "tables: 2026-13-45": "is a timestamp in YAML; put it in quotes",
    "tables: 2001-12-14t21:59:43.10-99:99": "is a timestamp",
    'tables: !!binary "a"': "is a binary",
    'tables: !!bool "abc"': "a value cannot be read",
    'tables: !!int "abc"': "a value cannot be read",
    'tables: !!float "abc"': "a value cannot be read",
    "tables: !!set {a, b}": "a set is not taken here",
    "tables: !!omap [a, b]": "a omap is not taken here",
    'tables: !!python/object/apply:os.system ["touch ./there"]': "a os.system is not taken here",
    "tables: " + "1" * 5000: "above the limit numberDigits",
    "tables: {0x" + "f" * 20000 + ": 1}": "above the limit numberDigits",
    "tables: " + "[" * 3000 + "]" * 3000: "above the limit documentDepth",
    "- " * 3000: "above the limit documentDepth",
    bomb(10): "above the limit documentNodes",
    merged(10): "above the limit documentNodes",
    "tables: &a [*a]": "the alias is inside its own anchor",
    "&a {tables: [*a]}": "the alias is inside its own anchor",
    "tables: []\ntables: []": "the key tables occurs twice",
    "tables:\n  - {[a]: b}": "unhashable key",
    "tables:\n  - {<<: 5}": "for merging",
    "--- a\n--- b": "another document",
    'tables: "\\uD800"': "surrogate|Unicode",
    "tables: \x01": "a character that YAML does not allow",
    "".join(f"%TAG !a{number}! x\n" for number in range(40_000)) + "---\na": "line 1, column 1: names for tags",
    "%YAML " + "1" * 5000 + ".1\n--- a": "cannot be read|Exceeds|version",
}


@LOADERS
@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_is_hostile_is_refused_with_its_place(text: str, loader: Any, tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=REFUSED[text]):
        read_yaml(text.encode(), loader=loader)
    (tmp_path / "t.yaml").write_text(text)
    with pytest.raises(ControlError, match=REFUSED[text]) as caught:
        read_tables_file(str(tmp_path / "t.yaml"))
    assert caught.value.code == "LMP-C009"
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


@pytest.mark.parametrize("type_", ["VARCHAR(" + "9" * 5000 + ")", "CHAR(9999999999)", "CHAR(\u0663)", "DECIMAL(99,88)"])
def test_a_type_of_absurd_length_is_refused(type_: str, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(COLUMN.format(f'"{type_}"'), encoding="utf-8")
    with pytest.raises(ControlError) as caught:
        read_tables_file(str(tmp_path / "t.yaml"))
    assert (caught.value.code, caught.value.field) == ("LMP-C009", "tables[0].columns[0].type")
    assert len(str(caught.value)) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", ".", "missing", "a\0b"])
def test_only_regular_files_are_read_and_nothing_is_awaited(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ControlError) as caught:
        read_tables_file(str(tmp_path / name))
    assert caught.value.code == "LMP-C009"


@LOADERS
@settings(max_examples=150, deadline=None)
@given(text=st.text(st.sampled_from("[]{}:,&*a01-!<>\"'|\n #?%x.") | st.characters(), max_size=40))
def test_any_text_is_read_as_yaml_reads_it_or_refused(text: str, loader: Any) -> None:
    with contextlib.suppress(DocumentError, UnicodeEncodeError):
        found = read_yaml(text.encode(), loader=loader).tree
        assert repr(found) == repr(yaml.load(text, Loader=loader))


def test_an_alias_counts_as_often_as_it_is_used() -> None:
    def read(limit: int) -> Any:
        return read_yaml(b"a: &a [1, 2]\nb: [*a, *a]", Limits(document_nodes=limit)).tree

    # The root, two keys, [1, 2] and the outer list, each with what is in it, and [1, 2] twice more.
    assert read(13) == {"a": [1, 2], "b": [[1, 2], [1, 2]]}
    with pytest.raises(DocumentError, match="documentNodes: expected at most 12"):
        read(12)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"[" * 100_000, "documentDepth"), (b"1" * 5000, "numberDigits"), (b"1." + b"1" * 5000, "numberDigits"),
        (b'{"a": 1, "a": 2}', "occurs twice"), (b"{", "is not JSON"), (b"\xff", "not UTF-8"),
    ],
)  # fmt: skip
def test_json_has_the_same_limits(data: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        read_json(data)


@pytest.mark.parametrize("digits", ["0x" + "f" * 3_498, "9" * 3_500, "0b" + "1" * 3_498])
def test_a_number_is_read_as_long_as_it_can_be_shown(digits: str) -> None:
    """Python writes no number of more than 4,300 decimal digits."""
    limits = Limits(number_digits=1 << 20)
    assert str(read_yaml(f"a: {digits}".encode(), limits).tree["a"]).isdigit()
    with pytest.raises(DocumentError, match="a number of more than 3500 characters is not taken, whatever the limit"):
        read_yaml(f"a: {digits}{digits[-1]}".encode(), limits)


def test_a_limit_is_raised_by_the_option(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(COLUMN.format('"CHAR(6)"') + "# " + "x" * 100)
    options = Options.parse({"limits": "documentBytes=100"})
    with pytest.raises(ControlError, match="documentBytes: expected at most 100 bytes") as caught:
        read_tables_file(str(path), options.bounds)
    assert caught.value.hint == "raise it with the option limits, as documentBytes=200"
    assert read_tables_file(str(path), Options.parse({"limits": "document-bytes = 1k"}).bounds)
    with pytest.raises(DocumentError, match="documentBytes"):
        file_bytes(path, options.bounds)


@pytest.mark.parametrize(
    "text", ["documentBytes", "documentBytes=0", "documentBytes=1X", "none=1", "=", "a=" + "1" * 5000]
)
def test_an_unusable_limit_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="limits has no value") as caught:
        Options.parse({"limits": text})
    assert caught.value.code == "LMP-S003"


@pytest.mark.parametrize(
    ("text", "code"),
    [(bomb(10), "LMP-L001"), ("seq: " + "[" * 3000 + "]" * 3000, "LMP-L001"), ("seq: [2026-01-01]", "LMP-S008")],
)
def test_a_spec_has_the_same_limits(text: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "acme" / "acme_a.ksy"
    path.parent.mkdir()
    path.write_text(text)
    for source in (path, tmp_path):
        with pytest.raises(LmparseError, match=re.escape(str(path))) as caught:
            read_specs(str(source))
        assert caught.value.code == code
