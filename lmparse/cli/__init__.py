"""The command line.

Begin with `command_line.main`.
"""

from lmparse.cli.command_line import main

__all__ = ["main"]
