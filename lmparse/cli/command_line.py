"""The command `lmparse`: from its arguments to an exit code.

The commands with their arguments are in `commands.toml`; the module of a command is imported when it runs.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import os
import sys
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from lmparse import __version__
from lmparse.cli.messages import USAGE, exit_code, fail
from lmparse.errors import FramingError, LmparseError, OptionError
from lmparse.options import NEAR, Options
from lmparse.spelling import quoted, shortened
from lmparse.storage.addresses import local_path

_BEGIN = """\
Begin with `lmparse sniff FILE`, which says what a file is and prints the options that read it, or with `lmparse demo`,
which makes small logs and reads them. `lmparse COMMAND --help` lists what a command takes.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    return exit_code(lambda: _run(arguments))


def _run(arguments: list[str] | None) -> int:
    parser = build_parser()
    try:
        if "_ARGCOMPLETE" in os.environ:  # a shell asks for what may follow
            from lmparse.cli.completion import complete

            complete(parser)
        parsed, unknown = parser.parse_known_args(arguments)
        if "run" not in parsed:
            parser.print_help(sys.stderr)
            return USAGE
        if unknown:
            near = difflib.get_close_matches(unknown[0].split("=")[0], parsed.flags, n=1, cutoff=NEAR)
            hint = f"did you mean {near[0]}?" if near else "see --help"
            raise OptionError(f"there is no option {quoted(unknown[0])}; {hint}", code="LMP-S002", hint=hint)
        parsed.main = main  # for the demo, whose steps are commands
        module, _, function = parsed.run.partition(".")
        return int(getattr(import_module(f"lmparse.cli.{module}"), function)(parsed))
    except LmparseError as error:
        return fail(error)


def build_parser() -> argparse.ArgumentParser:
    """The commands with their options."""
    parser = _Parser(
        prog="lmparse", description="Read database change logs.", epilog=_BEGIN, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"lmparse {__version__}")
    parser.color = False  # type: ignore[attr-defined]  # from Python 3.14 on, help would have escapes
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    entries = {entry.name: entry for entry in dataclasses.fields(Options)}
    for name, stated in command_table().items():
        summary = stated["summary"]
        command = commands.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + ".", allow_abbrev=False,
            epilog=f"example:\n  {stated['example']}", formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        command.color = False  # type: ignore[attr-defined]
        command.register("action", None, _Once)
        command.register("action", "store", _Once)
        add_arguments(command, stated["arguments"])
        for question, names in groups().items():
            group = command.add_argument_group(question)
            for entry in map(entries.__getitem__, names):
                is_taken = not {*stated.get("options", "").split()}.isdisjoint(entry.metadata["of"].split())
                if is_taken and entry.name not in stated.get("without", ()):
                    group.add_argument("--" + entry.name.replace("_", "-"), **_of_option(entry))
        command.usage = _usage(command)
        flags = [flag for flag in command._option_string_actions if flag.startswith("--")]
        command.set_defaults(run=stated.get("run", f"{name}.run"), flags=flags)
    return parser


def _usage(command: argparse.ArgumentParser) -> str:
    """The first line of the help: what must be given. All else is listed below it."""
    many = {"?": "[{}]", "*": "[{} ...]", "+": "{0} [{0} ...]"}
    words = [
        many.get(str(action.nargs), "{}").format(action.metavar or action.dest.upper())
        for action in command._get_positional_actions()
    ]
    options = [f"{one.option_strings[-1]} {one.metavar}" for one in command._get_optional_actions() if one.required]
    either = [group for group in command._mutually_exclusive_groups if group.required]
    options += ["(" + " | ".join(one.option_strings[-1] for one in group._group_actions) + ")" for group in either]
    return " ".join([command.prog, *options, "[OPTION ...]", *words])


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))


def groups() -> dict[str, list[str]]:
    """The names of the fields of `Options` by the question that they answer, in the order of the help."""
    found: dict[str, list[str]] = _tables()["groups"]
    return found


@cache
def command_table() -> dict[str, dict[str, Any]]:
    """The commands by name, as `commands.toml` says, each with its arguments."""
    table = {name: stated for name, stated in _tables().items() if name not in ("shared", "groups")}
    shared = _tables()["shared"]
    for stated in table.values():
        stated["arguments"] = [shared.get(one, one) if isinstance(one, str) else one for one in stated["arguments"]]
    return table


def add_arguments(parser: argparse.ArgumentParser, arguments: list[dict[str, Any]]) -> None:
    """Add arguments of the table to a parser."""
    group: argparse._MutuallyExclusiveGroup | None = None
    for one in arguments:
        keywords = {key: value for key, value in one.items() if key not in ("name", "one_of", "type")}
        if one["help"] == argparse.SUPPRESS:
            keywords["help"] = argparse.SUPPRESS  # argparse asks for this very text
        if "type" in one:
            keywords["type"] = _TYPES[one["type"]]
        if one["name"].startswith("--") and {"metavar", "choices", "type"}.isdisjoint(one):
            keywords["action"] = "store_true"
        if "one_of" in one:
            group = group or parser.add_mutually_exclusive_group(required=one["one_of"] == "required")
            group.add_argument(one["name"], **keywords)
        else:
            parser.add_argument(one["name"], **keywords)


def _of_option(entry: dataclasses.Field[Any]) -> dict[str, Any]:
    meta = entry.metadata
    doc = meta["doc"]
    if meta["values"]:
        default = "" if meta["kind"] is tuple or entry.default is None else f"; default: {entry.default}"
        doc += f" ({', '.join(meta['values'])}{default})"
    word = "FILE" if meta["is_file"] else "N" if meta["kind"] is int else "VALUE"
    keywords: dict[str, Any] = {"dest": entry.name, "default": None, "help": doc, "metavar": word}
    if meta["kind"] is bool:
        # `--header` alone means true; a value, as in `--trim false`, is the form of Spark.
        keywords |= {"nargs": "?", "const": "true", "metavar": "true|false"}
    return keywords


class _Parser(argparse.ArgumentParser):
    """Quotes what was given as other errors do, and not whatever its length; what cannot be printed is an error."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            (sys.stderr if file is None else file).write(message)

    def error(self, message: str) -> NoReturn:
        super().error(shortened(message))


class _Once(argparse.Action):
    """Stores the value of an option that may be given once: of two, one would be ignored. A value is never empty, as
    that of a variable of the shell that is not set: as a path it would be the folder one is in.
    """

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        given: set[str] = namespace.__dict__.setdefault("given_once", set())
        if option is not None and self.dest in given:
            raise OptionError(f"{option} is given twice", code="LMP-S003", hint="leave one of them out")
        if values == "":
            name = option or self.metavar
            raise OptionError(f"{name} has no value ''", code="LMP-S003", hint="a text, or leave it out")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError("a whole number from 0, of at most 18 digits")
    return int(text)


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("a path, or leave it out")  # it would be the folder one is in
    try:
        return Path(local_path(text))
    except FramingError as error:
        raise argparse.ArgumentTypeError(error.message) from None


_TYPES = {"int": int, "float": float, "count": _count, "path": _path}
"""Types of arguments by their names in the table."""
