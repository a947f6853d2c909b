"""Completion: what a shell offers behind Tab, by argcomplete. It is loaded only when a shell asks.

Beside commands, options and choices these are the words that an option may have, ids of specs, and files.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from lmparse.errors import not_installed
from lmparse.options import Options
from lmparse.spec import catalog

_FILES = ("FILE", "OUT", "OUTDIR", "DIR", "PATH", "OLD", "NEW")
"""Names of values, as the help has them, that are files or folders."""


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell, and end the process. Raises NotInstalledError without argcomplete."""
    try:
        import argcomplete
    except ImportError as error:
        raise not_installed(error, "completion") from None
    files = argcomplete.completers.FilesCompleter()
    entries = {entry.name: entry for entry in dataclasses.fields(Options)}
    for command in parser._subparsers._group_actions[0].choices.values():  # type: ignore[union-attr]
        for action in command._actions:
            if action.choices is None:
                action.completer = _words(action, entries.get(action.dest), files)
    # Options are many, and files are asked for more often: options are offered behind a hyphen.
    argcomplete.autocomplete(parser, always_complete_options=False)


def _words(
    action: argparse.Action, entry: dataclasses.Field[Any] | None, files: Callable[[str], Iterable[str]]
) -> Callable[..., Iterable[str]]:
    """What gives the words that may follow what is typed of a value."""
    if action.dest == "spec":
        return lambda prefix, **_: [name for name in catalog.spec_ids() if name.startswith(prefix)] or files(prefix)
    if action.metavar in _FILES or action.dest == "checkpoint":
        return lambda prefix, **_: files(prefix)
    values = ("true", "false") if action.metavar == "true|false" else entry.metadata["values"] if entry else ()
    if entry is not None and entry.metadata["kind"] is tuple:
        return lambda prefix, **_: [prefix[: prefix.rfind(",") + 1] + value for value in values]
    return lambda **_: values
