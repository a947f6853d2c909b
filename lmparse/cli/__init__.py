"""The command line: options in, JSON lines out. It names no format.

The table of the commands is `commands.toml`; each has a module with `run` for its work. Begin with `command_line.main`.
"""

from lmparse.cli.command_line import main

__all__ = ["main"]
