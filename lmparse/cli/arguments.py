"""Arguments: the options among those that were given to a command."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from lmparse.options import Options


def given_options(parsed: argparse.Namespace) -> dict[str, Any]:
    """The options in the arguments, as text."""
    names = [entry.name for entry in dataclasses.fields(Options)]
    return {name: value for name in names if (value := getattr(parsed, name, None)) is not None}


def options_of(parsed: argparse.Namespace) -> Options:
    """The options in the arguments, parsed. Raises OptionError."""
    from lmparse.logs.families import read_options

    return read_options(given_options(parsed))
