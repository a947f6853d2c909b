"""`lmparse build`: parsers and layouts of specs of one's own, from the wheel as from the checkout."""

from __future__ import annotations

import argparse
from pathlib import Path

from lmparse.cli.arguments import Commands, add_command

_COMMANDS = {
    "generate": "compile the specs (the default)",
    "lint": "hold them against the house style",
    "new": "begin a spec, with a good and a bad case",
    "check": "compile them aside and fail where the products differ",
}


def add(commands: Commands) -> None:
    """Add the command."""
    add_arguments(add_command(commands, "build", run, "make parsers and layouts from specs of one's own"))


def add_arguments(parser: argparse.ArgumentParser, *, formats: Path | None = None, out: Path | None = None) -> None:
    """The arguments of the build step, for `build.py` too; `formats` and `out` are taken where none are given."""
    about = "; ".join(f"{name}: {text}" for name, text in _COMMANDS.items())
    parser.add_argument("command", nargs="?", default="generate", choices=_COMMANDS, help=about)
    parser.add_argument("id", nargs="?", metavar="ID", help="of the spec to begin, <family>_<thing>")
    parser.add_argument("--check", action="store_true", help="the same as check")
    which = "a .ksy file, or a folder with such files at any depth"
    parser.add_argument("--formats", type=Path, default=formats, metavar="DIR", help=which)
    parser.add_argument("--out", type=Path, default=out, metavar="DIR", help="folder for the products")
    parser.add_argument("--compiler", type=Path, metavar="PATH", help="a kaitai-struct-compiler.js of one's own")
    parser.add_argument("--engine", choices=("dukpy", "node"), default="dukpy", help="what runs the compiler")


def run(parsed: argparse.Namespace) -> int:
    """Run one command of the build step."""
    from lmparse.spec.build import front

    return front.run(parsed, "lmparse build")
