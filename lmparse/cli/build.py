"""`lmparse build`: makes parsers and layouts from the specs of a user, in the wheel as in the checkout."""

from __future__ import annotations

import argparse
from pathlib import Path

from lmparse.cli.arguments import Commands, add_command
from lmparse.errors import FramingError
from lmparse.storage.addresses import local_path

_COMMANDS = {
    "generate": "compile the specs (the default)",
    "lint": "report what is wrong in them, without the compiler",
    "new": "create a spec, with a good and a bad case",
    "check": "compile them into memory and fail where the products differ",
}


def add(commands: Commands) -> None:
    """Add the command."""
    add_arguments(add_command(commands, "build", run, "make parsers and layouts from your own specs"))


def add_arguments(parser: argparse.ArgumentParser, *, formats: Path | None = None, out: Path | None = None) -> None:
    """The arguments of the build step, for `build.py` too; `formats` and `out` are the defaults."""
    about = "; ".join(f"{name}: {text}" for name, text in _COMMANDS.items())
    parser.add_argument("command", nargs="?", default="generate", choices=_COMMANDS, help=about)
    parser.add_argument("id", nargs="?", metavar="ID", help="id of the spec to create, <family>_<thing>")
    parser.set_defaults(usual_out=out)
    parser.add_argument("--check", action="store_true", help="the same as check")
    which = "a .ksy file, or a folder with such files at any depth"
    parser.add_argument("--formats", type=_path, default=formats, metavar="DIR", help=which)
    parser.add_argument("--out", type=_path, metavar="DIR", help="generate, check: folder for the products")
    compiler = "generate, check: another kaitai-struct-compiler.js"
    parser.add_argument("--compiler", type=_path, metavar="PATH", help=compiler)


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("a path, or leave it out")  # it would be the folder one is in
    try:
        return Path(local_path(text))
    except FramingError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def run(parsed: argparse.Namespace) -> int:
    """Run one command of the build step."""
    from lmparse.spec.build import commands

    return commands.run(parsed, "lmparse build")
