"""What commands share before they read: the options among their arguments, and Arrow."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lmparse.errors import not_installed
from lmparse.options import Options
from lmparse.storage.arrow_alone import load_arrow


def given_options(parsed: argparse.Namespace) -> dict[str, Any]:
    """The options in the arguments, as text."""
    names = [entry.name for entry in dataclasses.fields(Options)]
    return {name: value for name in names if (value := getattr(parsed, name, None)) is not None}


def options_of(parsed: argparse.Namespace) -> Options:
    """The options in the arguments, parsed. Raises OptionError."""
    from lmparse.logs.families import read_options

    return read_options(given_options(parsed))


@contextmanager
def with_arrow(extra: str = "arrow") -> Iterator[None]:
    """Load Arrow, without pandas, before what is imported inside. Raises NotInstalledError, which names the extra."""
    try:
        load_arrow()
        yield
    except ImportError as error:
        raise not_installed(error, extra) from None
