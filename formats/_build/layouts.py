"""Layouts: the fields of each spec with their places, for `generated/layouts.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lmparse.layout import Code, Field, Layout

from _build.specs import SpecFile

_NUMBER = re.compile(r"([usfb])(\d+)(le|be)?$")
_MAY_END_BEFORE = re.compile(r"not _io\.eof$|_io\.pos < ")
"""Conditions of a field that a shorter record ends before; any other decides by the data."""
_BOOTSTRAP = "cp037"
"""Codes are letters and digits, which all EBCDIC pages have at the same places."""


@dataclass(frozen=True)
class _Place:
    """Where the walk through a record stands: bytes, and bits in the byte; None behind variable parts."""

    offset: int | None = 0
    bits: int = 0


class Layouts:
    """Layouts of a set of specs; `by_id` has those of their types too."""

    def __init__(self, specs: list[SpecFile]) -> None:
        self._specs = {spec.id: spec for spec in specs}
        self.by_id: dict[str, Layout] = {}
        for spec in specs:
            self._add(spec, spec.id, spec.tree)
            for name, tree in self._types(spec.tree):
                self._add(spec, f"{spec.id}.{name}", tree)

    def _types(self, tree: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        yield from sorted(tree.get("types", {}).items())

    def _add(self, spec: SpecFile, layout_id: str, tree: dict[str, Any]) -> Layout:
        if layout_id in self.by_id:
            return self.by_id[layout_id]
        fields: list[Field] = []
        place = _Place()
        for attribute in tree.get("seq", []):
            field, place = self._field(spec, attribute, place)
            fields.append(field)
        is_fixed = place.offset is not None and not any(field.optional or field.kind == "rest" for field in fields)
        meta = tree.get("meta", {})
        endian = meta.get("endian", spec.tree["meta"].get("endian"))
        layout = self.by_id[layout_id] = Layout(
            id=layout_id,
            fields=tuple(fields),
            width=place.offset if is_fixed else None,
            endian=endian if isinstance(endian, str) else None,
            params=tuple(entry["id"] for entry in tree.get("params", [])),
            kind=tree.get("-lm-type"),
            title=meta.get("title", ""),
            doc=_flat(tree.get("doc")),
            doc_ref=_flat(tree.get("doc-ref")),
            path=f"{spec.place}.ksy",
            sha256=spec.sha256,
            enums={name: _codes(entries, None) for name, entries in tree.get("enums", {}).items()},
        )
        return layout

    def _field(self, spec: SpecFile, attribute: dict[str, Any], place: _Place) -> tuple[Field, _Place]:
        width, bits = self._width(spec, attribute)
        kind = self._kind(spec, attribute)
        condition = str(attribute.get("if", ""))
        is_optional = bool(_MAY_END_BEFORE.match(condition))
        is_repeated = "repeat" in attribute
        valid = attribute.get("valid")
        bounds = valid if isinstance(valid, dict) else {"min": valid, "max": valid}
        type_ = attribute.get("type")
        field = Field(
            id=attribute["id"],
            offset=place.offset,
            width=None if is_repeated or bits else width,
            kind=kind,
            orig_id=attribute.get("-orig-id"),
            type=self._type_id(spec, type_) if isinstance(type_, str) else None,
            codec=attribute.get("-codec"),
            unit=attribute.get("-unit"),
            scale=attribute.get("-scale"),
            enum=attribute.get("enum"),
            codes=self._field_codes(spec, attribute, width),
            minimum=_whole(bounds.get("min")),
            maximum=_whole(bounds.get("max")),
            optional=is_optional,
            repeated=is_repeated,
            cases=self._cases(spec, type_),
            doc=_flat(attribute.get("doc")),
            doc_ref=_flat(attribute.get("doc-ref")),
            status=attribute.get("-lm-status", "documented"),
            source=_flat(attribute.get("-lm-source")) or None,
        )
        if kind == "rest":
            return field, place
        if place.offset is None or is_repeated or (condition and not is_optional):
            return field, _Place(None)
        if bits:
            total = place.bits + bits
            return field, _Place(place.offset + total // 8, total % 8)
        return field, _Place(None if width is None else place.offset + width)

    def _width(self, spec: SpecFile, attribute: dict[str, Any]) -> tuple[int | None, int]:
        """Bytes of a field, None when the data decides; and its bits when it is made of bits."""
        type_, size = attribute.get("type"), attribute.get("size")
        if isinstance(size, int):
            return size, 0
        if isinstance(type_, str) and (match := _NUMBER.match(type_)):
            number = int(match.group(2))
            return (None, number) if match.group(1) == "b" else (number, 0)
        if size is not None or attribute.get("size-eos") or not isinstance(type_, str):
            contents = attribute.get("contents")
            return (len(contents), 0) if isinstance(contents, list) else (None, 0)
        return self._nested(spec, type_).width, 0

    def _nested(self, spec: SpecFile, type_: str) -> Layout:
        layout_id = self._type_id(spec, type_)
        assert layout_id is not None
        owner, _, name = layout_id.partition(".")
        tree = self._specs[owner].tree
        return self._add(self._specs[owner], layout_id, tree["types"][name] if name else tree)

    def _type_id(self, spec: SpecFile, type_: str) -> str | None:
        name = type_.split("(")[0].replace("::", ".")
        if _NUMBER.match(name) or name in ("str", "strz"):
            return None
        return name if name in self._specs or "." in name else f"{spec.id}.{name}"

    def _kind(self, spec: SpecFile, attribute: dict[str, Any]) -> str:
        if "-lm-type" in attribute:
            return str(attribute["-lm-type"])
        type_, is_text = attribute.get("type"), "-codec" in attribute
        if isinstance(type_, str) and (match := _NUMBER.match(type_)):
            if is_text and "enum" in attribute:
                return "code"
            return {"u": "uint", "b": "uint", "s": "int", "f": "float"}[match.group(1)]
        if isinstance(type_, str):
            return self._nested(spec, type_).kind or "struct"
        if type_ is not None:
            return "struct"
        if is_text:
            return "char"
        return "bytes" if isinstance(attribute.get("size"), int) else "variable"

    def _cases(self, spec: SpecFile, type_: Any) -> tuple[str, ...]:
        if not isinstance(type_, dict):
            return ()
        found = (self._type_id(spec, case) for case in type_["cases"].values())
        return tuple(dict.fromkeys(case for case in found if case))

    def _field_codes(self, spec: SpecFile, attribute: dict[str, Any], width: int | None) -> tuple[Code, ...]:
        name = attribute.get("enum")
        if name is None:
            return ()
        owner, _, inner = name.rpartition("::")
        entries = self._specs[owner or spec.id].tree["enums"][inner]
        return _codes(entries, width if "-codec" in attribute else None)


def _codes(entries: dict[int, Any], width: int | None) -> tuple[Code, ...]:
    codes = []
    for value, entry in entries.items():
        named = entry if isinstance(entry, dict) else {"id": entry}
        text = None if width is None else code_text(value, width)
        codes.append(Code(value, text, str(named["id"]), _flat(named.get("doc"))))
    return tuple(codes)


def code_text(value: int, width: int) -> str:
    """What is shown for a code: its characters, without trailing blanks; one blank for blanks only."""
    return value.to_bytes(width, "big").decode(_BOOTSTRAP).rstrip() or " "


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _flat(text: Any) -> str:
    parts = text if isinstance(text, list) else [text or ""]
    return "; ".join(" ".join(str(part).split()) for part in parts)
