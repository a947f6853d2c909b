"""Page files: a page goes to its place whole, and never over what it was made from."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress

from lmparse.errors import OptionError


def check_page(out: str, read: Iterable[str], *, overwrite: bool) -> None:
    """Raise OptionError where a page must not go: into no folder, over what is read, over a file that is there."""
    folder = os.path.dirname(os.path.realpath(out))
    if not os.path.isdir(folder):
        raise OptionError(f"{out}: there is no folder {folder}", hint="make it first")
    if os.path.isdir(out):
        raise OptionError(f"{out} is a folder, and a page is a file", hint="name another place")
    if os.path.realpath(out) in map(os.path.realpath, read):
        raise OptionError(f"{out} is what is read", hint="name another place")
    if os.path.lexists(out) and not overwrite:
        raise OptionError(f"{out} is there already", hint="give --overwrite to replace it")


def write_page(text: str, out: str) -> None:
    """Put a page in its place; what stood there stays until all of the new one is written. Raises OSError."""
    place = os.path.realpath(out)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", errors="backslashreplace", dir=os.path.dirname(place), prefix=".", suffix=".partial",
        delete=False,
    ) as file:  # fmt: skip
        try:
            file.write(text)
            file.flush()
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(file.name, 0o666 & ~mask)  # a temporary file is for its owner only
            os.replace(file.name, place)
        except BaseException:
            with suppress(OSError):
                os.unlink(file.name)
            raise
