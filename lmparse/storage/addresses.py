"""Addresses of files: of a local path, or of a file on a remote or virtual file system. Nothing is opened here."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlparse

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*::)*[A-Za-z][A-Za-z0-9+.-]*://")
"""How an address begins. `::` leads from one file system into another, as fsspec spells it."""
_PARTS = re.compile(
    r"(?P<front>.*?://(?:(?:(?!::)[^/*?\[])*(?=/|$|::|\?\w+=))?)(?P<path>.*?)(?P<behind>(?:\?\w+=[^/]*|::.*)?)",
    re.DOTALL,
)
"""An address: scheme and host or bucket, path, and settings or the address of what holds the file system."""
_SECRET = re.compile(
    r"://[^/]*:[^/]*@|[?&][^=&]*(passw|secret|token|signature|credential|(access|account|api)_?key)[^=&]*=|[?&]sig=",
    re.IGNORECASE,
)


def is_remote(path: str) -> bool:
    """Whether a path is the address of a file on a remote or virtual file system."""
    return not path.startswith("file:") and _ADDRESS.match(path) is not None


def local_path(path: str) -> str:
    """A path as the operating system wants it; `file:` addresses are taken apart."""
    if path.startswith("file:"):
        return unquote(urlparse(path).path)
    return path


def base_name(path: str) -> str:
    """The last part of a path or address."""
    return os.path.basename(split(path)[1] if is_remote(path) else path)


def child(folder: str, name: str) -> str:
    """The address of something in the folder at an address."""
    front, path, behind = split(folder)
    path = f"{front}{path}".rstrip("/") + "/" if path or not front.endswith("://") else front
    return f"{path}{name}{behind}"


def folder_of(address: str) -> str:
    """The address of the folder in which something is."""
    front, path, behind = split(address)
    return f"{front}{path.rstrip('/').rpartition('/')[0]}{behind}"


def split_pattern(address: str) -> tuple[str, list[str]]:
    """The folder at which the patterns of an address begin, and what the names below it must match."""
    front, path, behind = split(address)
    names = path.split("/")
    first = next((place for place, name in enumerate(names) if re.search(r"[*?\[]", name)), len(names))
    return f"{front}{'/'.join(names[:first])}{behind}", names[first:]


def holds_credential(address: str) -> bool:
    """Whether an address holds a password, a key or a signature."""
    return _SECRET.search(address) is not None


def split(address: str) -> tuple[str, str, str]:
    """Scheme with host or bucket, path, and what stands behind the path."""
    if re.match("https?:", address):
        front, mark, rest = address.partition("://")
        path, query, behind = rest.partition("?")  # which is no pattern there
        return front + mark, path, query + behind
    found = _PARTS.fullmatch(address)
    assert found is not None
    return found["front"], found["path"], found["behind"]
