"""`lmparse sniff`: shows what a file is, its first records, and the options that read it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any

from lmparse.cli.arguments import Commands, add_command, add_options, given_options
from lmparse.cli.messages import DATA, GOOD, print_json, print_lines, report
from lmparse.errors import DataError, FramingError
from lmparse.options import Options
from lmparse.spelling import camel
from lmparse.terminal import json_text

if TYPE_CHECKING:
    from lmparse.logs.beside import Beside
    from lmparse.logs.sniff import Sniffed
    from lmparse.logs.tilings import Tiled

_SHOWN = 10
"""Ways to cut a file that are printed; JSON has all."""


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(
        commands, "sniff", run, "show what a file is, its first records, and the options that read it"
    )
    command.add_argument("files", nargs="+", metavar="FILE", help="files of any kind")
    command.add_argument("--json", action="store_true", help="one JSON object a file")
    add_options(command, "sniff")


def run(parsed: argparse.Namespace) -> int:
    """Print what each file is; a file that is not recognised is reported, and the next ones are still read."""
    from lmparse.logs.families import read_options

    given = given_options(parsed)
    options = read_options(given)
    code = GOOD
    for path in parsed.files:
        try:
            found = _found(path, options, given)
            beside = _beside(path, found, options)
        except DataError as error:
            if parsed.json:
                print_json({"file": path, "kind": None, "error": error.to_dict()})
            report(error)
            code = DATA
            continue
        if parsed.json:
            print_json(found.to_dict() | beside.found)
        else:
            print_lines(_lines(path, found, beside))
    return code


def _beside(path: str, found: Sniffed | Tiled, options: Options) -> Beside:
    """What is beside a log that has been recognised, with which its changes are read."""
    from lmparse.logs.beside import Beside, look_beside
    from lmparse.logs.families import spec_name
    from lmparse.logs.tilings import Tiled

    if isinstance(found, Tiled):
        return Beside(options)
    return look_beside(path, replace(options, spec=spec_name(found.spec)))


def _found(path: str, options: Options, given: dict[str, Any]) -> Sniffed | Tiled:
    """What a file is: a log, or records that are cut as options, or the bytes, say."""
    from lmparse.logs.sniff import sniff
    from lmparse.logs.tilings import tile

    unknown: FramingError | None = None
    if not set(given) - {"limits"}:
        try:
            return sniff(path, options.bounds)
        except FramingError as error:
            if error.code != "LMP-F003":
                raise
            unknown = error
    tiled = tile(path, options, options.spec if "spec" in given else None)
    if not tiled.tilings:
        raise unknown or FramingError(
            "no framing cuts it into records", code="LMP-F003", file=path, expected="two records that fill the file",
            found="none that does, with the options that are given",
        )  # fmt: skip
    return tiled


def _lines(path: str, found: Sniffed | Tiled, beside: Beside) -> list[str]:
    from lmparse.logs.tilings import Tiled

    if isinstance(found, Tiled):
        return _ways(path, found)
    sure = "" if found.trial.is_proven else ", but it is damaged"
    return [
        f"{path}: {found.kind} ({found.spec}), framing {found.trial.framing.name}{sure}",
        *(f"  record {index} at {offset:#x}, {length} bytes" for index, offset, length in found.records),
        *([] if found.trial.fault is None else [f"  {found.trial.fault}"]),
        *([] if beside.decision is None else [f"  {beside.decision}"]),
        *_said(found.options | beside.found),
    ]


def _ways(path: str, found: Tiled) -> list[str]:
    what = f"records of {found.spec}" if found.spec else "records of an unknown kind"
    count = len(found.tilings)
    ways = (
        "one framing fits"
        if count == 1
        else f"{count} framings fit" + (f", the first {_SHOWN}:" if count > _SHOWN else "")
    )
    lines = [f"{path}: {what}, {found.size} bytes; {ways}"]
    for tiling in found.tilings[:_SHOWN]:
        sizes = f"{tiling.shortest} to {tiling.longest} bytes"
        lines.append(f" framing {tiling.options['framing']}: {tiling.records} records of {sizes}")
        if tiling.fitting is not None:
            lines.append(f"  {tiling.fitting} of the first {tiling.tried} are records of {found.spec}")
        lines += [f"  record {index} at {offset:#x}, {length} bytes" for index, offset, length in tiling.first]
        lines += [] if tiling.fault is None else [f"  then {tiling.fault}"]
        lines += _said(({"spec": found.spec} if found.spec else {}) | tiling.options)
    return lines


def _said(options: Mapping[str, str]) -> list[str]:
    """The options as the shell and Spark take them."""
    return [
        "  shell  " + " ".join(f"--{name.replace('_', '-')} {quote(value)}" for name, value in options.items()),
        "  Spark  " + "".join(f'.option("{camel(name)}", {json_text(value)})' for name, value in options.items()),
    ]
