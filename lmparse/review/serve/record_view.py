"""Record view: one explained record as data for the front-end.

All texts are printable, and the front-end writes them as text: nothing of a file or a spec becomes a part of a page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from lmparse.review.explain.explanation import (
    ExplainedSection,
    Explanation,
    FieldLine,
    characters,
    one_line,
    pages_beside,
    printable,
    value_text,
)
from lmparse.spec.layout import Field
from lmparse.values.codepages import CodePage

_MOST_BYTES = 1 << 16
"""Most bytes of a section that a view has; the number of those left out is said."""
_MOST_VALUE, _SHOWN_VALUE = 2000, 1200
_ROLE = re.compile(r"(?:(.+)\.)?(before|after)\.([^.]+?)(?:\.value)?").fullmatch


@dataclass
class FieldTexts:
    """What specs say about fields, each once, since many records have the same fields."""

    texts: list[dict[str, Any]] = field(default_factory=list)
    _numbers: dict[tuple[str, ...], int] = field(default_factory=dict)

    def number(self, entry: Field, *, is_item: bool) -> int:
        """The number of the texts of a field; an item of a list has those of the list only at the list."""
        told = ("", "", "") if is_item else (one_line(entry.doc), one_line(entry.source or ""), one_line(entry.doc_ref))
        unit, status = entry.unit or "", entry.status
        key = (one_line(entry.id), one_line(entry.orig_id or ""), *told, unit, status)
        if key not in self._numbers:
            self._numbers[key] = len(self.texts)
            names = ("id", "orig", "doc", "source", "ref", "unit", "status")
            self.texts.append({name: text for name, text in zip(names, key, strict=True) if text})
        return self._numbers[key]


def view(found: Explanation, texts: FieldTexts) -> dict[str, Any]:
    """A record for the front-end; the texts of its fields are added to `texts`."""
    return {
        "record": found.record,
        "spec": found.main.layout.id,
        "offset": found.offset,
        "length": found.length,
        "place": printable(found.place),
        "kind": printable(found.kind),
        "found_by": printable(found.found_by),
        "notes": list(map(printable, found.notes)),
        "faults": [{"text": printable(str(fault)), "hint": printable(fault.hint or "")} for fault in found.faults],
        "pages": [page.name for page in pages_beside(found.page)],
        "sections": [_section(section, texts, section is found.main) for section in found.sections],
        "pairs": _pairs(found),
    }


def character_tables(page: CodePage | None) -> dict[str, str]:
    """For each code page of a view its 256 characters, one for each byte."""
    return {page.name: "".join(characters(page)) for page in pages_beside(page)}


def _section(section: ExplainedSection, texts: FieldTexts, is_main: bool) -> dict[str, Any]:
    raw = section.dissection.raw
    return {
        "id": section.layout.id,
        "title": one_line(section.layout.title or section.layout.id),
        "main": is_main,
        "words": section.place,
        "ref": one_line(section.layout.doc_ref),
        "places": [list(place) for place in section.places],
        "hex": raw[:_MOST_BYTES].hex(),
        "cut": max(0, len(raw) - _MOST_BYTES),
        "lines": [_field_line(line, section, texts) for line in section.lines],
    }


def _field_line(line: FieldLine, section: ExplainedSection, texts: FieldTexts) -> dict[str, Any]:
    """A field: `t` number of its texts, `p` path, `s` and `e` its bytes, `h` shared bytes, `v` value, `m` meaning,
    `x` fault, `c` parts. What is empty is left out."""
    node = line.node
    shown: dict[str, Any] = {"s": line.start, "e": line.end}
    if node is None:
        return shown
    shown |= {
        "t": texts.number(node.field, is_item=line.is_item),
        "p": printable(node.path),
        "h": line.shared,
        "v": value_text(line, section.bytes_of(line), _MOST_VALUE, _SHOWN_VALUE),
        "m": printable(node.meaning),
        "x": "" if node.fault is None else printable(f"{node.fault.says()} [{node.fault.code}]"),
        "c": [_field_line(child, section, texts) for child in line.children],
    }
    return {name: value for name, value in shown.items() if value not in (None, "", []) and (name, value) != ("h", 0)}


def _pairs(found: Explanation) -> list[dict[str, Any]]:
    """The columns of an update: each with its values before and after, and whether they differ."""
    sides: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for line in (line for top in found.main.lines for line in top.walk()):
        role = _ROLE(line.node.path) if line.node is not None and line.node.is_column else None
        if role is None or line.node is None:
            continue
        text = value_text(line, b"", _MOST_VALUE, _SHOWN_VALUE)
        shown = text if text not in (None, "null") else printable(line.node.meaning) or text or ""
        side = sides.setdefault((role[1] or "", role[3]), {}).setdefault(role[2], {})
        if not side or line.node.path.endswith(".value"):
            value = line.node.value if line.node.value is not None else line.node.meaning
            side |= {"text": shown, "path": line.node.path, "value": value}
    return [
        {
            "name": printable(name),
            **{role: side[role]["text"] for role in ("before", "after")},
            **{f"{role}_path": printable(side[role]["path"]) for role in ("before", "after")},
            "differs": side["before"]["value"] != side["after"]["value"],
        }
        for (_, name), side in sides.items()
        if len(side) == 2
    ]
