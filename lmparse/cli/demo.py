"""`lmparse demo`: a small synthetic log, read every way."""

from __future__ import annotations

import argparse

from lmparse.cli.arguments import Commands, add_command


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "demo", run, "make a small synthetic log and read it every way")
    command.add_argument("--out", default="demo", metavar="DIR", help="folder for everything made (default: demo)")
    command.add_argument("--no-spark", action="store_true", help="leave Spark out")


def run(parsed: argparse.Namespace) -> int:
    """Make it and read it."""
    from lmparse.cli import demo_steps

    return demo_steps.run(parsed.out, with_spark=not parsed.no_spark)
