"""`lmparse formats`: lists the specs, or the fields of one."""

from __future__ import annotations

import argparse
import dataclasses

from lmparse.cli.arguments import Commands, add_command
from lmparse.cli.messages import GOOD, print_json, print_lines


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "formats", run, "list the specs, or the fields of one")
    command.add_argument("spec", nargs="?", help="spec id, for its fields")
    command.add_argument("--json", action="store_true", help="one JSON object")


def run(parsed: argparse.Namespace) -> int:
    """List them."""
    from lmparse.spec import catalog

    if parsed.spec is not None:
        return _fields(parsed.spec, parsed.json)
    layouts = {name: catalog.load(name).layout for name in catalog.spec_ids()}
    if parsed.json:
        print_json({name: {"title": layout.title, "sha256": layout.sha256} for name, layout in layouts.items()})
        return GOOD
    width = max(map(len, layouts))
    for name, layout in layouts.items():
        print_lines([f"{name:{width}}  {layout.title}"])
    return GOOD


def _fields(name: str, as_json: bool) -> int:
    from lmparse.logs.families import spec_name
    from lmparse.spec import catalog

    spec = catalog.load(spec_name(name))
    layout = spec.layout
    if as_json:
        fields = [dataclasses.asdict(entry) for entry in layout]
        print_json({"spec": spec.id, "title": layout.title, "fields": fields})
        return GOOD
    print_lines([f"{spec.id}: {layout.title}", ""])
    for entry in layout:
        place = "" if entry.offset is None else str(entry.offset)
        size = "" if entry.width is None else str(entry.width)
        status = entry.status or "not stated"
        print_lines([f"{place:>6} {size:>5}  {entry.id:24} {entry.orig_id or '':20} {entry.kind:12} {status}"])
    return GOOD
