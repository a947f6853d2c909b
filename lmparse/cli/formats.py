"""`lmparse formats`: lists the specs, or the fields of one with how they are decoded."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lmparse.cli.messages import GOOD, print_json, print_lines
from lmparse.errors import OptionError

if TYPE_CHECKING:
    from lmparse.columnar.decoding import DecodedColumn, Decoding
    from lmparse.spec.catalog import Spec
    from lmparse.spec.layout import Field


def run(parsed: argparse.Namespace) -> int:
    """List them."""
    from lmparse.spec import catalog

    if parsed.spec is not None:
        return _fields(parsed.spec, parsed.rows, parsed.json)
    if parsed.rows is not None:
        raise OptionError("--rows is for the fields of a spec", hint="name the spec too")
    layouts = {name: catalog.load(name).layout for name in catalog.spec_ids()}
    if parsed.json:
        print_json({name: {"title": layout.title, "sha256": layout.sha256} for name, layout in layouts.items()})
        return GOOD
    width = max(map(len, layouts))
    for name, layout in layouts.items():
        print_lines([f"{name:{width}}  {layout.title}"])
    return GOOD


def _fields(name: str, rows: str | None, as_json: bool) -> int:
    from lmparse.logs.families import spec_name
    from lmparse.spec import catalog
    from lmparse.values.json_form import to_json

    spec = catalog.load(spec_name(name), rows)
    try:
        from lmparse.columnar.decoding import decoding_of
    except ImportError:
        decoding = None  # without Arrow nothing is decoded column-wise
    else:
        decoding = decoding_of(spec)
    if as_json:
        fields = to_json([dataclasses.asdict(entry) for entry in spec.layout])
        decoded = None if decoding is None else decoding.to_dict()
        print_json({"spec": spec.id, "title": spec.layout.title, "fields": fields, "decoded": decoded})
    else:
        print_lines(_lines(spec, decoding))
    return GOOD


def _lines(spec: Spec, decoding: Decoding | None) -> Iterator[str]:
    """One line a column: offset, bytes, name, the vendor's name, kind, status, how it is decoded and why."""
    from lmparse.spec.nesting import flat

    fields: dict[str, Field] = {}
    for field in flat(spec.layouts, spec.layout):
        fields.setdefault(field.id, field)
    kinds = max((12, *(len(field.kind) for field in fields.values())))
    yield f"{spec.id}: {spec.layout.title}"
    if decoding is not None:
        yield f"decoded {decoding.how}"
    yield ""
    shown: list[tuple[str, Field | DecodedColumn, str]]
    if decoding is None:
        shown = [(name, entry, "") for name, entry in fields.items()]
    else:
        shown = [(column.name, column, _decoded(column, decoding)) for column in decoding.columns]
    for name, column, decoded in shown:
        place, size = ("" if number is None else str(number) for number in (column.offset, column.width))
        entry = fields.get(name)
        names, status = ("", "") if entry is None else (entry.orig_id or "", entry.status or "not stated")
        yield f"{place:>6} {size:>5}  {name:24} {names:20} {column.kind:{kinds}} {status:11} {decoded}".rstrip()
    if decoding is not None and decoding.one_by_one:
        yield ""
        yield "records with these parts are read one by one:"
        yield from (f"  {name}: {why}" for name, why in decoding.one_by_one.items())


def _decoded(column: DecodedColumn, decoding: Decoding) -> str:
    return column.how if column.why in ("", decoding.why) else f"{column.how}: {column.why}"
