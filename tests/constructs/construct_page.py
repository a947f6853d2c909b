"""Writes docs/constructs.md: how each construct of Kaitai Struct is read. `make pages` runs this file.

The page shows the results of the specs of the matrix: a construct is decoded column-wise if a spec with it is. It ends
with the words of `-lm-type`.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from lmparse.columnar.record_plan import RecordPlan
from lmparse.spec import catalog
from lmparse.spec.build.constructs import CONSTRUCTS, Construct, Level
from lmparse.spec.build.products import Builder
from lmparse.spec.kind_words import KIND_WORDS

PAGE = Path(__file__).parents[2] / "docs" / "constructs.md"
MATRIX: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("matrix.yaml").read_text(encoding="utf-8"))
COLUMN, PARSER, REFUSED, SILENT = "column-wise", "row by row", "refused", "does not change values"
_SILENT_LEVELS = (Level.MEMBER,)
_SILENT_WORDS = frozenset((
    "id", "doc", "doc-ref", "meta", "to-string", "title", "application", "file-extension", "xref", "tags", "license",
    "ks-version", "ks-zero-copy-substream", "imports", "-orig-id", "-unit", "-lm-status", "-lm-valid-status",
    "-lm-source",
))  # fmt: skip
"""Words that say nothing about bytes, or, as `imports`, where something else is that does."""
_AS_FIELDS = "as in a field"
_BODY = ("seq", "instances", "types", "enums", "params")
_INTRODUCTION = """# Constructs: what of Kaitai Struct is read, and how

Written by `make pages` from the small specs of `tests/constructs/matrix.yaml`, which have good and bad bytes. Both
engines and the generated parser alone give the same values and errors for them.

- **column-wise**: the columnar engine reads it, many records at a time, if nothing else in the record needs the parser.
  `lmparse formats SPEC` says so for each field.
- **row by row**: the generated parser reads the whole record. Its columns have types all the same. Cases that are all
  numbers, or all text, are one number or one text. A type that contains itself, or that has no fields, is JSON text.
- **refused**: the build step says file, line and reason.

| What becomes of … | In a row |
|---|---|
| a field, an instance at a position | a column by its id: `seq` first, then the instances, as in the spec |
| a calculated value (`value`) | a column; whole numbers have 64 bits, and `/` of these rounds down |
| one that stands for another object | no column, since that object is one where it stands |
| one that is an object in some records only | null in these; else JSON text |
| one that has no value (a division by zero, no such item) | null, and listed in `_corrupt_fields` (LMP-R012) |
| an `if` that does not hold | null |
| a number with an enumeration | the word of the spec, or the digits of an unlisted one; or `--enums numbers` |
| a code of letters (`-codec` with `enum`) | the vendor's letters |
| one bit (`b1`) | true or false |
| a nested type, a list | a struct, a list |
| a switch | a struct with one member for each choice, of which one has the value |
| a helper (`-lm-column: false`), a parameter (`params`) | no column |
| a terminator, padding | no part of the value; `lmparse explain` lists its bytes |
| bytes that no field has | in no column; counted and said (LMP-R003), and refused with `--mode failfast` |
| an instance whose type contains the type that it is in | not read: it may be a circle; `lmparse formats` lists it |

In a spec with fields at positions only `check` counts bytes that no field has. The build checks names and types in all
expressions. In the lists below, what is not marked is read column-wise.
"""
_VALUES = "a field, an instance, an instance with a value, a parameter"


def ksy(name: str, entry: dict[str, Any]) -> str:
    """The text of a spec of the matrix."""
    meta = {"id": f"m_{name}", "endian": "be", "encoding": "UTF-8"} | entry.get("meta", {})
    meta = {key: value for key, value in meta.items() if value is not None}
    body = {key: entry[key] for key in _BODY if key in entry}
    return yaml.safe_dump({"meta": meta} | body, sort_keys=False, allow_unicode=True)


def build(folder: Path, names: Iterable[str] = MATRIX) -> Path:
    """Build the specs of the matrix, or some of them, that are not refused; returns the folder of the products."""
    (folder / "m").mkdir()
    for name in names:
        if "refused" not in MATRIX[name]:
            (folder / "m" / f"m_{name}.ksy").write_text(ksy(name, MATRIX[name]), encoding="utf-8")
    made = Builder().make(folder)
    assert not made.problems, made.problems
    out = folder / "of_the_matrix"
    for name, text in made.products.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, encoding="utf-8")
    return out


def used(tree: dict[str, Any]) -> Iterator[str]:
    """The names of the constructs in a spec."""
    yield from (f"TYPE.{key}" for key in tree)
    meta = tree.get("meta", {})
    yield from (f"META.{key}" for key in meta)
    for order in (meta.get("endian"), meta.get("bit-endian")):
        if isinstance(order, dict):
            yield from (f"ENDIAN.{key}" for key in order)
        elif order:
            yield f"ORDER_WORD.{order}"
    for attribute in tree.get("seq", []):
        yield from _of_attribute("FIELD", attribute)
    for instance in tree.get("instances", {}).values():
        yield from _of_attribute("VALUE_INSTANCE" if "value" in instance else "INSTANCE", instance)
    for parameter in tree.get("params", []):
        yield from _of_attribute("PARAM", parameter)
    for inner in tree.get("types", {}).values():
        yield from used(inner)


def _of_attribute(level: str, attribute: dict[str, Any]) -> Iterator[str]:
    yield from (f"{level}.{key}" for key in attribute)
    type_ = attribute.get("type")
    if isinstance(type_, dict):
        yield from (f"SWITCH.{key}" for key in type_)
    for name in type_["cases"].values() if isinstance(type_, dict) else [type_]:
        number = re.fullmatch(r"([usfb])\d+(le|be)?", str(name))
        yield f"TYPE_WORD.{number[1] if number else name}"
        if number and number[2]:
            yield f"ORDER_WORD.{number[2]}"
    valid = attribute.get("valid", {})
    yield from (f"VALID.{key}" for key in valid) if isinstance(valid, dict) else ()
    yield f"REPEAT_WORD.{attribute.get('repeat')}"
    yield f"PROCESS_WORD.{str(attribute.get('process')).partition('(')[0]}"


def ways(out: Path) -> dict[str, str]:
    """How each construct is read, by its name."""
    found: dict[str, str] = {}
    for name, entry in MATRIX.items():
        if "circles" in entry:
            continue  # its instance is not read
        way = REFUSED
        if "refused" not in entry:
            plan = RecordPlan(catalog.load(str(out / f"m_{name}")))
            way = PARSER if plan.refusal([*plan.types]) else COLUMN
        for construct in used(yaml.safe_load(ksy(name, entry))):
            known = found.get(construct, REFUSED)
            found[construct] = min(known, way, key=(COLUMN, PARSER, REFUSED).index)
    return {entry.name: way for entry in CONSTRUCTS if (way := _way(entry, found))}


def _way(entry: Construct, found: dict[str, str]) -> str:
    is_idle = entry.is_ours and entry.level in (Level.VALUE_INSTANCE, Level.PARAM)
    if entry.level in _SILENT_LEVELS or entry.word in _SILENT_WORDS or is_idle:
        return SILENT
    if entry.level is Level.INSTANCE and entry.word not in ("pos", "io", "-lm-column"):
        return _AS_FIELDS
    return found.get(entry.name, "")


def page(out: Path) -> str:
    """The page: what each level has, then in one list what changes no values, and the words of `-lm-type`."""
    said = ways(out)
    parts = [_INTRODUCTION]
    for level in Level:
        entries = [entry for entry in CONSTRUCTS if entry.level is level and said[entry.name] != SILENT]
        own = [_line(entry, said[entry.name]) for entry in entries if said[entry.name] != _AS_FIELDS]
        if own:
            parts.append("\n".join([f"## In {level.value}", "", *own, ""]))
        if alike := [f"`{entry.word}`" for entry in entries if said[entry.name] == _AS_FIELDS]:
            parts.append(f"Other keys are those of a field, and are read as there: {', '.join(alike)}.\n")
    silent = [entry for entry in CONSTRUCTS if said[entry.name] == SILENT]
    return "\n".join([*parts, _without_effect(silent), _kinds()])


def _line(entry: Construct, way: str) -> str:
    return f"- `{entry.word}`: {_about(entry)}{f' (**{way}**)' if way != COLUMN else ''}"


def _about(entry: Construct) -> str:
    return f"{entry.doc} (of lmparse)" if entry.is_ours else entry.doc


def _without_effect(entries: list[Construct]) -> str:
    """What does not change values: one line for a word that means the same in several places."""
    places: dict[tuple[str, str], list[Construct]] = {}
    for entry in entries:
        places.setdefault((entry.word, entry.doc), []).append(entry)
    lines = ["| word | what it is | where |", "| --- | --- | --- |"]
    for alike in places.values():
        where = ", ".join(entry.level.value for entry in alike).replace(_VALUES, "whatever has a value")
        lines.append(f"| `{alike[0].word}` | {_about(alike[0])} | {where} |")
    return "\n".join(["## What does not change values", "", *lines, ""])


def _kinds() -> str:
    words = (f"- `{word}`: {about}" for word, about in KIND_WORDS.items())
    return "\n".join(["## Words of -lm-type", "", *words, ""])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(page(build(Path(folder))), encoding="utf-8")
