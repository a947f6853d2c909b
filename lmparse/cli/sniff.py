"""`lmparse sniff`: shows what a file is, its first records, and the options that read it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any

from lmparse.cli.arguments import given_options
from lmparse.cli.messages import DATA, GOOD, print_json, print_lines, report
from lmparse.errors import DataError, FramingError
from lmparse.options import Options
from lmparse.spelling import camel
from lmparse.terminal import json_text

if TYPE_CHECKING:
    from lmparse.logs.framing_search import FramingSearch
    from lmparse.logs.open import Beside
    from lmparse.logs.sniff import Sniffed

_SHOWN = 10
"""Ways to cut a file that are printed; JSON has all."""


def run(parsed: argparse.Namespace) -> int:
    """Print what each file is; a file that is not recognised is reported, and the next ones are still read."""
    from lmparse.logs.families import read_options, spec_name
    from lmparse.logs.framing_search import FramingSearch
    from lmparse.logs.open import Beside, look_beside

    given = given_options(parsed)
    options = read_options(given)
    code = GOOD
    for path in parsed.files:
        try:
            found = _found(path, options, given)
            beside = Beside(options)
            if not isinstance(found, FramingSearch):  # a log that has been recognised
                beside = look_beside(path, replace(options, spec=spec_name(found.spec)))
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


def _found(path: str, options: Options, given: dict[str, Any]) -> Sniffed | FramingSearch:
    """What a file is: a log, or records that are cut as options, or the bytes, say."""
    from lmparse.logs.framing_search import search
    from lmparse.logs.sniff import sniff, sniff_spec

    unknown: FramingError | None = None
    if "spec" in given:
        return sniff_spec(path, options)
    if not set(given) - {"limits"}:
        try:
            sniffed = sniff(path, options.bounds)
            if sniffed.trial.is_proven:
                return sniffed
            # What is damaged as z/OS writes it may have words that something else wrote.
            searched = search(path, options)
            is_whole = searched.spec == sniffed.spec and searched.framings[0].fault is None
            return searched if is_whole else sniffed
        except FramingError as error:
            if error.code != "LMP-F003":
                raise
            unknown = error
    searched = search(path, options)
    if not searched.framings:
        raise unknown or FramingError(
            "no framing cuts it into records", code="LMP-F003", file=path, expected="two records that fill the file",
            found="none that does, with the options that are given",
        )  # fmt: skip
    return searched


def _lines(path: str, found: Sniffed | FramingSearch, beside: Beside) -> list[str]:
    from lmparse.logs.framing_search import FramingSearch

    if isinstance(found, FramingSearch):
        return _ways(path, found)
    sure = "" if found.trial.is_proven else ", but it is damaged"
    return [
        f"{path}: {found.kind} ({found.spec}), framing {found.trial.framing.name}{sure}",
        *(f"  record {index} at {offset:#x}, {length} bytes" for index, offset, length in found.records),
        *([] if found.trial.fault is None else [f"  {found.trial.fault}"]),
        *([] if beside.decision is None else [f"  {beside.decision}"]),
        *_said(found.options | beside.found),
    ]


def _ways(path: str, found: FramingSearch) -> list[str]:
    count = len(found.framings)
    is_damaged = any(one.fault is not None for one in found.framings)
    ways = "one framing fits" if count == 1 else f"{count} framings fit"
    ways = "no framing fits all of it, and it is damaged" if is_damaged else ways
    ways += f", the first {_SHOWN}:" if count > _SHOWN else ""
    lines = [f"{path}: {found.title}, {found.size} bytes; {ways}"]
    for one in found.framings[:_SHOWN]:
        sizes = f"{one.shortest} to {one.longest} bytes"
        lines.append(f" framing {one.options['framing']}: {one.records} records of {sizes}")
        lines += [f"  record {index} at {offset:#x}, {length} bytes" for index, offset, length in one.first]
        lines += [] if one.fault is None else [f"  then {one.fault}"]
        lines += _said({"spec": found.spec} | one.options)
    return lines


def _said(options: Mapping[str, str]) -> list[str]:
    """The options as the shell and Spark take them."""
    return [
        "  shell  " + " ".join(f"--{name.replace('_', '-')} {quote(value)}" for name, value in options.items()),
        "  Spark  " + "".join(f'.option("{camel(name)}", {json_text(value)})' for name, value in options.items()),
    ]
