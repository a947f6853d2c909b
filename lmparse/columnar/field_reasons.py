"""Reasons: why the bytes of a field cannot be decoded column-wise, so that the parser reads the whole record."""

from __future__ import annotations

from collections.abc import Mapping

from lmparse.spec.layout import NESTED, Field, Layout

END = "_io"
"""The value of `Field.ends` for the end of the record."""
_ORDERED = ("uint", "int", "float", "code", "lsn")
"""Kinds whose bytes have an order."""


def reasons(layouts: Mapping[str, Layout], layout: Layout) -> dict[str, str]:
    """The reasons by the id of the field; fields that the columns can decode are left out."""
    ends = {entry.ends for entry in layout} - {None, END}
    found = {entry.id: _own(layouts, layout, entry) or _of_place(layout, entry, ends) for entry in layout}
    return {field_id: reason for field_id, reason in found.items() if reason}


def is_limited(entry: Field) -> bool:
    """Whether the spec limits the values of a field."""
    return entry.minimum is not None or entry.maximum is not None


def _own(layouts: Mapping[str, Layout], layout: Layout, entry: Field) -> str:
    """Why only the parser can turn the bytes of a field into its value, wherever they are."""
    if entry.by_parser:
        return f"only the parser can read {entry.by_parser}"
    if entry.bits:
        return "it is a bit field"
    if entry.repeated and entry.kind not in NESTED:
        return "it is a list"
    if entry.width is None and entry.kind not in ("variable", "rest", *NESTED):
        return f"its length depends on the data, and it is {entry.kind}"
    if entry.kind in _ORDERED and (entry.width or 0) > 1 and (entry.endian or layout.endian) is None:
        return "its byte order depends on the data"
    if is_limited(entry) and (entry.kind not in ("uint", "int") or (entry.kind == "uint" and entry.width == 8)):
        return "only the parser can check its value"
    for part in layouts[entry.type] if entry.type is not None and entry.kind not in NESTED else ():
        if part.checks or is_limited(part):
            return "only the parser can check its parts"
        if part.by_parser:
            return "only the parser can join its parts"
    return ""


def _of_place(layout: Layout, entry: Field, ends: set[str | None]) -> str:
    if entry.offset is None or entry.conditional or entry.repeated:
        return "its place depends on the data"
    if entry.kind in NESTED:
        return "only the parser can read what is nested in it"
    if entry.ends not in (None, END, *layout.by_id):
        return "its place depends on a parameter"
    if entry.width is None and not _fills_its_part(entry):
        return "its length depends on the data"
    if entry.checks and not (entry.id in ends and entry.checks == f"max: {END}.size"):
        return f"only the parser can check {entry.checks}"
    return ""


def _fills_its_part(entry: Field) -> bool:
    """Whether a field ends where the part ends that it may be missing from, if it may."""
    if entry.ends == END:
        return entry.size == ("rest",)
    return entry.size == ("-", ("name", entry.ends), ("get", ("name", END), "pos"))
