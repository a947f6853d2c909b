"""Addresses of files: local paths, and addresses on remote or virtual file systems. Nothing is opened here."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lmparse.errors import FramingError, OptionError
from lmparse.spelling import has_half_character

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*::)*[A-Za-z][A-Za-z0-9+.-]*://")
"""The beginning of an address. `::` chains several file systems; such addresses are refused."""
_PARTS = re.compile(
    r"(?P<front>.*?://(?:[^/*?{\[\\]*(?=/|$|\?\w+=))?)(?P<path>.*?)(?P<behind>(?:\?\w+=[^/]*)?)", re.DOTALL
)
"""The parts of an address: scheme with host or bucket, path, and settings."""
_SECRET = re.compile(
    r"://[^/]*:[^/]*@|[?&][^=&]*(passw|secret|token|signature|credential|(access|account|api)_?key)[^=&]*=|[?&]sig=",
    re.IGNORECASE,
)


def path_of(name: str, given: Any) -> str:
    """The text of a path or address that a program passes as argument `name`.

    Raises TypeError for other values than texts and paths, such as bytes or open files. Raises OptionError for a text
    that no file system accepts.
    """
    if isinstance(given, os.PathLike):
        given = os.fspath(given)
    if not isinstance(given, str):
        raise TypeError(f"{name} is a text or a Path, and {type(given).__name__} is given")
    if has_half_character(given):
        raise OptionError(f"{name} has no value {given[:60]!a}", hint="a text that has no half of a character")
    return given


def paths_of(name: str, given: Any) -> list[str]:
    """The texts of one path or of a sequence of paths. Raises as `path_of`, and OptionError for an empty sequence."""
    if isinstance(given, str | os.PathLike):
        return [path_of(name, given)]
    if not isinstance(given, Sequence) or isinstance(given, bytes | bytearray | memoryview):
        raise TypeError(f"{name} is a text, a Path, or a list of these, and {type(given).__name__} is given")
    if not given:
        raise OptionError(f"{name} has no value []", hint="one file at least")
    return [path_of(name, one) for one in given]


def is_remote(path: str) -> bool:
    """Whether a path is an address on a remote or virtual file system."""
    return not path.startswith("file:") and _ADDRESS.match(path) is not None


def local_path(path: str) -> str:
    """A path for the operating system, also from a `file:` address. Raises FramingError LMP-F001 without a path."""
    if not path.startswith("file:"):
        return path
    found = unquote(re.sub("^file:(//[^/]*)?", "", path))  # `?` and `#` belong to a name or a pattern
    if not found or "\0" in found:  # `file://folder` has a host and no path; no path would mean the current folder
        raise FramingError("is not the address of a file", code="LMP-F001", file=path, hint="file:///folder/name")
    return found


def name_of_local(path: str) -> str:
    """A local name that cannot be taken for an address: `./file:x` for `file:x`.

    For paths composed of names of files; pathlib would drop the `./`.
    """
    return path if not is_remote(path) and not path.startswith("file:") else f"./{path}"


def base_name(path: str) -> str:
    """The last part of a path or address."""
    return os.path.basename(split(path)[1])


def in_utf8(name: str) -> str:
    """A name as valid UTF-8, with `\\udcXX` in place of each invalid byte."""
    return name.encode("utf-8", "backslashreplace").decode()


def child(folder: str, name: str) -> str:
    """The path or address of an entry of a folder."""
    if not is_remote(folder):
        return os.path.join(folder, name)
    front, path, behind = split(folder)
    path = f"{front}{path}".rstrip("/") + "/" if path or not front.endswith("://") else front
    return f"{path}{name}{behind}"


def folder_of(address: str) -> str:
    """The path or address of the folder of an entry, by the text alone."""
    if not is_remote(address):
        return os.path.dirname(address)
    front, path, behind = split(address)
    return f"{front}{path.rstrip('/').rpartition('/')[0]}{behind}"


def holds_credential(address: str) -> bool:
    """Whether an address contains a password, a key or a signature."""
    return _SECRET.search(address) is not None


def split(address: str) -> tuple[str, str, str]:
    """Scheme with host or bucket, path, and the part behind the path; of a local path, only the path is not empty."""
    if not is_remote(address):
        return "", address, ""
    found = _PARTS.fullmatch(address)
    assert found is not None
    return found["front"], found["path"], found["behind"]


def user_cache() -> Path:
    """The cache folder of lmparse: `$XDG_CACHE_HOME/lmparse`, else `~/.cache/lmparse`; it may be missing."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lmparse"
