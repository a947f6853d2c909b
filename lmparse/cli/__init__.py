"""The command line: options in, JSON lines out. No format's name stands here.

A module a command, each with `add` for its arguments and `run` for its work; what is heavy is imported when a command
runs. Begin with `command_line.main`.
"""

from lmparse.cli.command_line import main

__all__ = ["main"]
