"""Arguments that commands share: those that are fields of `Options`, and those of a page that is written."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from lmparse.errors import OptionError
from lmparse.options import Options

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], summary: str
) -> argparse.ArgumentParser:
    """A command without arguments; `run` gets them parsed and returns the exit code."""
    about = summary[0].upper() + summary[1:] + "."
    command = commands.add_parser(name, help=summary, description=about, allow_abbrev=False)
    command.set_defaults(run=run)
    return command


def add_options(command: argparse.ArgumentParser, name: str) -> None:
    """The fields of Options that are of the command `name`."""
    for entry in dataclasses.fields(Options):
        meta = entry.metadata
        if name not in meta["of"].split():
            continue
        doc = meta["doc"]
        if meta["values"]:
            default = "" if meta["kind"] is tuple else f"; default: {entry.default}"
            doc += f" ({', '.join(meta['values'])}{default})"
        given: dict[str, Any] = {"dest": entry.name, "default": None, "help": doc}
        if meta["kind"] is bool:
            # `--header` alone says true; `--trim false` is how Spark says it too.
            given |= {"nargs": "?", "const": "true", "metavar": "true|false"}
        command.add_argument("--" + entry.name.replace("_", "-"), **given)


def given_options(parsed: argparse.Namespace) -> dict[str, Any]:
    """The options that were given, as text."""
    names = [entry.name for entry in dataclasses.fields(Options)]
    return {name: value for name in names if (value := getattr(parsed, name, None)) is not None}


def options_of(parsed: argparse.Namespace) -> Options:
    """The same, parsed. Raises OptionError."""
    from lmparse.logs.families import read_options

    return read_options(given_options(parsed))


def add_page(command: argparse.ArgumentParser, about: str) -> None:
    """The arguments of a command that can write a page."""
    command.add_argument("--html", metavar="OUT", help=about)
    command.add_argument("--overwrite", action="store_true", help="replace OUT")


def page_place(parsed: argparse.Namespace, *sources: str | None) -> Path | None:
    """Where the page goes, None without one. Raises OptionError where it would replace one of the `sources`."""
    from lmparse.storage.atomic_output import check_place

    if parsed.html:
        return check_place(parsed.html, filter(None, sources), is_folder=False, overwrite=parsed.overwrite)
    if parsed.overwrite:
        raise OptionError("--overwrite is for a page", hint="give --html too")
    return None


def not_installed(error: ImportError) -> OptionError:
    """The error of a command whose package is missing."""
    return OptionError(f"{error.name} is not installed", code="LMP-S005", hint="pip install 'lmparse[arrow]'")
