"""The command line: options in, JSON lines out. It names no format.

Each command is a module with `add` for its arguments and `run` for its work; heavy modules are imported when a command
runs. Begin with `command_line.main`.
"""

from lmparse.cli.command_line import main

__all__ = ["main"]
