"""Hints name only options that the command takes which prints them."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import lmparse
from lmparse.cli.command_line import build_parser
from lmparse.options import Options
from lmparse.spelling import camel

HERE = Path(lmparse.__file__).parent
FIELDS = {camel(entry.name): entry.metadata["of"].split() for entry in dataclasses.fields(Options)}
READERS = ("records", "changes", "tables", "check", "convert", "coverage", "explain")
"""Commands that read a file with options; `sniff` tells them."""
OF_PACKAGE = {
    "framing": (*READERS, "sniff"), "records": READERS, "storage": (*READERS, "sniff"), "logs": (*READERS, "sniff"),
}  # fmt: skip
"""Commands that may print the hints of a package. Those of `bmc` and `db2` are for options of their own logs."""
OF_MODULE = {"framing/framings": READERS,
             "records/settings": (*READERS, "sniff"), "logs/sniff": ("sniff", "explain", "coverage"),
             "logs/envelopes": ("changes", "convert"), "logs/families": ("changes", "convert")}  # fmt: skip


def texts(node: ast.expr) -> Iterator[str]:
    """The constant parts of a text."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def ends_with_hint(target: ast.expr) -> bool:
    return isinstance(target, ast.Name | ast.Attribute) and ast.unparse(target).endswith("hint")


def hints() -> Iterator[tuple[str, str]]:
    """Module and text of every hint."""
    for path in sorted(HERE.rglob("*.py")):
        if "_generated" in path.parts:
            continue
        module = path.relative_to(HERE).with_suffix("").as_posix()
        source = path.read_text()
        for node in ast.walk(ast.parse(source)) if "hint" in source else ():
            named: list[ast.expr] = []
            if (isinstance(node, ast.keyword) and node.arg == "hint") or (
                isinstance(node, ast.Assign) and any(ends_with_hint(target) for target in node.targets)
            ):
                named = [node.value]
            yield from ((module, text) for value in named for text in texts(value))


HINTS = sorted(set(hints()))


def commands() -> dict[str, argparse.ArgumentParser]:
    found = next(action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


def test_hints_are_found() -> None:
    assert len(HINTS) > 60
    assert any("recordLengthField" in text for _, text in HINTS)


def test_a_hint_names_options_that_its_commands_take() -> None:
    parsers = commands()
    for module, text in HINTS:
        look_at(module, text, parsers)


def look_at(module: str, text: str, parsers: dict[str, argparse.ArgumentParser]) -> None:
    package = module.split("/")[0]
    users = OF_MODULE.get(module, OF_PACKAGE.get(package, ()))
    if package == "cli":
        users = tuple(name for name in parsers if name == module.split("/")[1])
    for name in re.findall(r"(?<![\w-])--([a-z][a-z-]+)(?![\w=-])", text):
        whole = re.search(r"lmparse ([a-z]+) ", text)
        allowed = (whole[1],) if whole else users
        assert all("--" + name in parsers[command]._option_string_actions for command in allowed), (module, text)
        assert any("--" + name in parser._option_string_actions for parser in parsers.values()), (module, text)
    for name in re.findall(r"\b[a-z]+[A-Z]\w+\b", text):
        if name in FIELDS and package != "bmc":
            assert all(command in FIELDS[name] for command in users), (module, name, text)
    for name in re.findall(r"\blmparse ([a-z]+)\b", text):
        assert name in parsers or name == "build", (module, text)
