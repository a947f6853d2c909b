"""docs/commands.md and docs/options.md, from the parsers of the commands and the table of options.

python tests/laws/reference_pages.py    write them anew
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path

from lmparse.cli.command_line import build_parser
from lmparse.errors import LmparseError
from lmparse.options import Options
from lmparse.spark.requests import SPARK_OPTIONS, request_of
from lmparse.spelling import camel

DOCS = Path(__file__).parents[2] / "docs"
FIELDS = dataclasses.fields(Options)
HIDDEN = ("help",)
OF_SPARK = ("means nothing in Spark", "no meaning in a DataFrame")
"""Words of the errors for what Spark has no place for."""
COMMANDS_BEGIN = """\
# Commands

Written by `make pages` from the parsers of the commands; `lmparse COMMAND --help` says the same. Data go to stdout, all
else to stderr, where a terminal shows how far the reading is once it takes a second. Exit codes: 0 good, 1 a spec was
not built, 2 usage, 20 data error, 24 a check failed, 31 whole records followed by bytes that are not a record, 130
interrupted, 141 nobody reads stdout any more (`| head`).

"""
OPTIONS_BEGIN = """\
# Options

Written by `make pages` from the table of options. An option has one name everywhere: `--byte-order` in the shell,
`byte_order` in Python, `byteOrder` in Spark. Letter case, hyphens and underscores make no difference in Spark and in
Python's texts. An unknown option is an error that names the nearest one, and an option that would be ignored is refused
([LMP-S002, LMP-S003](errors.md#lmp-s002)). [Commands](commands.md) lists which command takes which option.

"""
SPARK_BEGIN = """\
## Options of the data source only

In Spark, as `spark.read.format("lmparse").option(NAME, VALUE)`. [Spark](spark.md) describes them. `path`
and what Spark itself adds are taken too.

| Spark | meaning |
| --- | --- |
"""


def commands_page() -> str:
    """The page on commands."""
    (commands,) = _children(build_parser())
    listed = ",\n".join(f"[`{name}`](#lmparse-{name})" for name in commands.choices)
    parts = [part for name, parser in commands.choices.items() for part in _command(f"lmparse {name}", parser, 2)]
    return COMMANDS_BEGIN + listed + "\n\n" + "\n".join(parts)


def _children(parser: argparse.ArgumentParser) -> list[argparse._SubParsersAction[argparse.ArgumentParser]]:
    return [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]


def _command(name: str, parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    """The section of a command, and those of its uses."""
    yield f"{'#' * level} {name}\n\n{_sentence(parser.description or '')}\n"
    if children := _children(parser):
        for use, one in children[0].choices.items():
            yield from _command(f"{name} {use}", one, level + 1)
        return
    own = [action for action in parser._actions if action.dest not in HIDDEN and action.help != argparse.SUPPRESS]
    known = {entry.name: entry.metadata["doc"] for entry in FIELDS}
    # An option of a command's own may have such a name, and another meaning.
    shared = [action.dest for action in own if (action.help or "").startswith(known.get(action.dest, "\0"))]
    rest = [action for action in own if action.dest not in shared]
    if rest:
        yield "| argument | meaning |\n| --- | --- |\n" + "".join(f"{_argument(action)}\n" for action in rest)
    if shared:
        yield "[Options](options.md): " + ", ".join(f"`{_flag(name)}`" for name in shared) + "\n"


def _argument(action: argparse.Action) -> str:
    """The line of one argument."""
    values = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else ""
    word = str(action.metavar or values or action.dest.upper())
    if not action.option_strings:
        many = {"?": f"[{word}]", "*": f"[{word}...]", "+": f"{word}..."}
        shown = many.get(str(action.nargs), word)
    else:
        shown = action.option_strings[-1] + ("" if action.nargs == 0 else f" {word}")
    about = (action.help or "") % {"default": action.default} if action.help else ""
    return f"| `{_cell(shown)}` | {_cell(about)} |"


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _cell(text: str) -> str:
    """A text for one cell: no bars, and nothing that Markdown would take for a tag."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "\\<")


def options_page() -> str:
    """The page on options."""
    lines = ["| shell | Python | Spark | values, the default first | meaning |", "| --- | --- | --- | --- | --- |"]
    lines += [_option(entry) for entry in FIELDS]
    spark = [f"| `{name}` | {_cell(about)} |" for name, about in SPARK_OPTIONS.items()]
    table = "\n".join(lines)
    return f"{OPTIONS_BEGIN}{table}\n\n{SPARK_BEGIN}{_joined(spark)}"


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _option(entry: dataclasses.Field[object]) -> str:
    """The line of one option."""
    refused = refused_by_spark(entry)
    spark = f"`{camel(entry.name)}`" + "".join(f", not `{value}`" for value in refused) if refused is not None else "no"
    names = f"| `{_flag(entry.name)}` | `{entry.name}` | {spark} "
    return f"{names}| {_values(entry)} | {_cell(entry.metadata['doc'])} |"


def _values(entry: dataclasses.Field[object]) -> str:
    allowed, kind = list(entry.metadata["values"]), entry.metadata["kind"]
    defaults = entry.default if isinstance(entry.default, tuple) else (entry.default,)
    first = [str(value).lower() if kind is bool else str(value) for value in defaults if value not in (None, "")]
    if kind is bool:
        allowed = ["true", "false"]
    if allowed:
        several = "one or several of " if kind is tuple else ""
        return several + ", ".join(f"`{value}`" for value in dict.fromkeys([*first, *allowed]))
    about = {int: "a number", tuple: "a list"}.get(kind, "a text")
    return f"`{first[0]}`, or {about}" if first else about


def refused_by_spark(entry: dataclasses.Field[object]) -> list[str] | None:
    """The values of an option that the data source refuses, by its own errors; None if it takes no other than the
    default."""
    named = {"path": "a.dat", "control": "a.ctl", "table": "A.B"}
    if entry.name == "source_time_zone":
        named["envelope"] = "debezium"
    if entry.name == "enums":
        named = {"path": "a.dat", "spec": "zos_sdw"}
    values = [value for value in entry.metadata["values"] if value != entry.default] or [_example(entry)]
    refused = []
    for value in values:
        try:
            request_of({**named, entry.name: value})
        except LmparseError as error:
            if not any(words in str(error) for words in OF_SPARK):
                raise
            refused.append(value)
    return None if refused == values else refused


def _example(entry: dataclasses.Field[object]) -> str:
    """A value for an option without a list of values."""
    special = {
        "spec": "bmc_lldf",
        "limits": "recordBytes=1M",
        "decisions": "null_bytes=absent",
        "control": "a.ctl",
        "source_time_zone": "+01:00",
    }
    if entry.name.endswith(("_seq", "_after")):
        return "0" * 72
    if entry.name.endswith("_timestamp"):
        return "2026-03-14T10:11:12"
    return special.get(entry.name, "true" if entry.metadata["kind"] is bool else "1")


PAGES = {"commands.md": commands_page, "options.md": options_page}

if __name__ == "__main__":
    for file, written in PAGES.items():
        (DOCS / file).write_text(written(), "utf-8")
