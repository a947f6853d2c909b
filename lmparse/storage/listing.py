"""Listing: the files that paths, folders and patterns name, as for Spark's source `binaryFile`.

- A folder stands for the files in it; with `recursive`, for files at any depth. Names that begin with `_` or `.` are
  left out.
- A pattern names files and folders; a folder stands for its files. `*` matches any characters, `?` one character,
  `[ab]` and `[a-c]` one of some characters, `[^a]` and `[!a]` one other character, `{a,b*}` one of several patterns. A
  backslash makes the next character literal. Some patterns mean something else to Hadoop, and are refused: a backslash
  in front of a letter or digit (`\\d` is any digit), and classes with a backslash or one of `[*?{,}`.
- Folders `k=v` inside a folder: all files at any depth are read, and get columns; see `partition_folders`.

A file named by its own path is read, whatever its name; Spark skips it if such names are left out. Unlike in Spark, an
empty file is listed, no file is listed twice, and files cannot go missing in silence: an unreadable folder, a dead link
and a path without a file are errors.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fnmatch import translate
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lmparse.errors import FramingError, OptionError
from lmparse.storage import addresses, stored
from lmparse.storage.addresses import local_path, name_of_local
from lmparse.storage.joined import is_joined
from lmparse.storage.partition_folders import PartitionColumn, contradiction, pair_in, partition_columns
from lmparse.storage.stored import Entry, reason, unreadable

_NO_ENTRY = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Errors of a link to nothing."""
_LOST = "a link that leads nowhere"
_MAGIC = re.compile(r"[*?\[{\\]")
_TOKEN = re.compile(r"\[[!^]?+.[^\]]*\]|\\.|.", re.DOTALL)
"""A class of characters, an escaped character, or a plain character."""
_ENDS = {"{": "{ has no }", "[": "[ has no ]", "\\": "\\ has nothing behind it"}
_MOST = 1000
"""Most patterns without groups that a pattern with groups may stand for."""
_MOST_GROUPS = 50


class FileList(NamedTuple):
    """The files of some paths."""

    files: list[str]
    columns: tuple[PartitionColumn, ...]
    """Columns made by folders of `k=v`."""


def list_files(paths: Sequence[str], *, name_filter: str | None = None, recursive: bool = False) -> list[str]:
    """The files of `list_folders` alone."""
    return list_folders(paths, name_filter=name_filter, recursive=recursive).files


def list_folders(paths: Sequence[str], *, name_filter: str | None = None, recursive: bool = False) -> FileList:
    """The files that paths, addresses, folders and patterns name, sorted within each, and the columns of their folders.

    `name_filter` is a pattern for the names of files. A file whose name looks like an address, such as `file:x`, is
    listed as `./file:x`.

    Raises FramingError LMP-F001 for a path that names no file. Raises FramingError LMP-F015 for folders of `k=v` that
    contradict each other or stand beside a file, and OptionError LMP-S003 for a wrong pattern.
    """
    passes: Callable[[str], object] = name_pattern(name_filter).fullmatch if name_filter else lambda _: True
    found: dict[str, tuple[str, ...]] = {}
    """The folders of each file, from the root down."""
    roots: dict[str, None] = {}
    for path in map(local_path, paths):
        for root in [Entry(path, is_folder=False)] if is_joined(path) else _roots(path):
            folder = root.path if root.is_folder else addresses.folder_of(root.path)
            roots[folder] = None
            if root.is_folder:
                inside = _below(root.path, (root.path,), recursive=recursive, passes=passes)
                found |= sorted(inside, key=lambda one: one[0].split("/"))
            else:
                found[root.path] = (folder,)
    columns = () if recursive else partition_columns(list(dict.fromkeys(found.values())), roots)
    files = [path for path in found if is_joined(path) or passes(addresses.base_name(path))]
    if not files:
        hint = None if name_filter is None else f"no name of {len(found)} matches {name_filter}"
        raise FramingError("has no file that could be a log", code="LMP-F001", file=", ".join(paths), hint=hint)
    for path in files if columns else ():  # Spark skips a file outside of folders of `k=v` if other files are inside
        if not any(pair_in(addresses.base_name(folder)) for folder in found[path][1:]):
            text = f"is beside folders of {columns[0].name}=..., and has no value of it"
            raise contradiction(path, text, "move it, or leave it out with pathGlobFilter")
    return FileList([path if addresses.is_remote(path) else name_of_local(path) for path in files], columns)


# -- roots --------------------------------------------------------------------------------


def _roots(path: str) -> list[Entry]:
    """The entries that a path names: itself, or the matches of a pattern, folders included (as in Spark)."""
    try:
        there = look_up(path)
    except FramingError:
        if not _is_pattern(path):
            raise
        there = None  # a folder of the pattern raises the error
    if there is not None and there.fault != _LOST:
        others: list[str] = []
        with suppress(OptionError):  # a name need not be a valid pattern
            others = [other for other in matches(path) if other != path]
        if others:
            text = f"{path} is the name of a file, and a pattern of others, as {others[0]}"
            raise OptionError(text, code="LMP-S003", hint="a backslash in front of [ ] { } * ? and \\ makes it a name")
        return [there]
    found = _matched(path) if _is_pattern(path) else []
    if not found:
        raise unreadable(path)
    return [entry for entry in found if entry.is_folder or not is_hidden(entry.name)]


def matches(pattern: str) -> list[str]:
    """The paths that a pattern matches, sorted; none if the path is no pattern."""
    return [entry.path for entry in _matched(pattern)] if _is_pattern(pattern) else []


def _is_pattern(path: str) -> bool:
    return _MAGIC.search(addresses.split(path)[1]) is not None


def _matched(path: str) -> list[Entry]:
    front, names, behind = addresses.split(path)
    found: dict[str, Entry] = {}
    for alternative in alternatives(names):
        parts = [part for part in alternative.split("/") if part]
        top = f"{front}{'/' if alternative.startswith('/') else ''}{behind}"
        found |= {entry.path: entry for entry in _walk(top, parts)}
    return sorted(found.values())


def _walk(folder: str, parts: Sequence[str]) -> Iterator[Entry]:
    """Yield the entries below a folder that match the patterns of names."""
    first, *rest = parts
    if (name := literal(first)) is not None:
        found = [look_up(addresses.child(folder, name))]
    else:
        at = look_up(folder) if folder else Entry("", is_folder=True)
        matched = name_pattern(first).fullmatch
        found = list(children(folder, matched)) if at is not None and at.is_folder else []
    for entry in found:
        if entry is None:
            continue
        if not rest:
            _check(entry, lambda _: True)
            yield entry
        elif entry.is_folder:
            yield from _walk(entry.path, rest)


# -- patterns of names ----------------------------------------------------------------------


@cache
def name_pattern(text: str) -> re.Pattern[str]:
    """A regular expression whose `fullmatch` accepts the names of a pattern.

    Strangers may choose the names of files, so no name may slow a match down. Behind a `*`, the first occurrence of the
    following text is taken, as fnmatch does. Raises OptionError LMP-S003 for an unclosed pattern, or a pattern with
    another meaning in Spark.
    """
    return re.compile("|".join(translate("".join(map(_plain, _TOKEN.findall(one)))) for one in alternatives(text)))


def _plain(token: str) -> str:
    """A token in the syntax of fnmatch."""
    if len(token) == 1 or token[0] == "[":
        return token.replace("[^", "[!", 1)
    return f"[{token[1]}]" if token[1] in "*?[" else token[1]


def alternatives(text: str) -> list[str]:
    """The patterns without groups in a pattern: `{a,b/c}/c` gives `a/c` and `b/c/c`. Raises OptionError."""
    todo, found = [_tokens(text)], list[str]()
    if todo[0].count("{") > _MOST_GROUPS:
        raise _wrong(f"more than {_MOST_GROUPS} groups", text)
    while todo:
        tokens = todo.pop()
        if "{" not in tokens:
            found.append("".join(tokens))
            continue
        start = len(tokens) - tokens[::-1].index("{")  # the last group contains no other group
        if "}" not in tokens[start:]:
            raise _wrong(_ENDS["{"], text)
        end, choices = tokens.index("}", start), [list[str]()]
        for token in tokens[start:end]:
            if token == ",":
                choices.append([])
            else:
                choices[-1].append(token)
        todo += [tokens[: start - 1] + choice + tokens[end + 1 :] for choice in choices]
        if len(todo) + len(found) > _MOST:
            raise _wrong(f"groups that stand for more than {_MOST} patterns", text)
    return list(dict.fromkeys(found))


def _tokens(text: str) -> list[str]:
    """The tokens of a pattern. Raises OptionError for a character or class with another meaning in Spark."""
    tokens = _TOKEN.findall(text)
    for token in tokens:
        if token in ("[", "\\"):
            raise _wrong(_ENDS[token], text)
        if token[0] == "\\" and token[1].isascii() and token[1].isalnum():
            raise _wrong(f"{token} is an expression to Spark", text)
        if len(token) > 1 and token[0] == "[":
            if special := re.search(r"[\[*?{,}\\]", token[1:-1]):
                raise _wrong(f"{special[0]} in [ ] is something else to Spark", text)
            for low, high in re.findall("(.)-(.)", token[1:-1], re.DOTALL):
                if low > high:
                    raise _wrong(f"the range {low}-{high} has no character", text)
    return tokens


def _wrong(what: str, text: str) -> OptionError:
    shown = text if len(text) <= 100 else f"{text[:100]}..."
    hint = "a backslash in front of [ ] { } * ? and \\ makes it stand for itself"
    return OptionError(f"no pattern of names: {what} in {shown}", code="LMP-S003", hint=hint)


def literal(pattern: str) -> str | None:
    """The only name that a pattern without groups matches; None if it matches several names."""
    tokens = _TOKEN.findall(pattern)
    is_one = all(token not in "*?" and (len(token) == 1 or token[0] == "\\") for token in tokens)
    return "".join(token[-1] for token in tokens) if is_one else None


# -- folders ------------------------------------------------------------------------------


def is_hidden(name: str) -> bool:
    """Whether a name in a folder is left out, as in Spark: `_x`, `.x`, and files that Hadoop is copying."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


def _below(
    folder: str,
    folders: tuple[str, ...],
    *,
    recursive: bool,
    passes: Callable[[str], object],
    above: tuple[str, ...] = (),
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the data files of a folder with the folders down to each; `above` are real paths of outer folders."""
    real = folder if addresses.is_remote(folder) else os.path.realpath(folder)
    if real in above:
        raise FramingError("is a link to a folder that it is in", code="LMP-F001", file=folder)
    entries = list(children(folder, lambda name: not is_hidden(name)))
    is_entered = recursive or len(folders) > 1 or any(entry.is_folder and pair_in(entry.name) for entry in entries)
    for entry in entries:
        if not entry.is_folder:
            _check(entry, passes)
            if not entry.fault:
                yield entry.path, folders
        elif is_entered:
            inner = (*folders, entry.path)
            yield from _below(entry.path, inner, recursive=recursive, passes=passes, above=(*above, real))


def _check(entry: Entry, passes: Callable[[str], object]) -> None:
    """Raise FramingError LMP-F001 for an entry that is neither file nor folder, unless its name is left out."""
    if entry.fault and passes(entry.name) and not is_hidden(entry.name):
        hint = "a name that begins with _ or . is left out"
        raise FramingError(f"is {entry.fault}, not a file", code="LMP-F001", file=name_of_local(entry.path), hint=hint)


def children(folder: str, wanted: Callable[[str], object]) -> Iterator[Entry]:
    """Yield the entries of a folder with wanted names, sorted. Raises FramingError LMP-F001 if unreadable."""
    if addresses.is_remote(folder):
        yield from (entry for entry in stored.entries(folder) if wanted(entry.name))
        return
    for name in filter(wanted, names_in(folder or ".")):
        local = look_up(os.path.join(folder, name))
        if local is not None:  # the file may be gone by now
            yield local


def names_in(folder: str | Path) -> list[str]:
    """The names in a local folder, sorted. Raises FramingError LMP-F001 if the folder is unreadable."""
    try:
        os.stat(os.path.join(folder, "."))  # a listable folder may forbid access to its files
        return sorted(os.listdir(folder))
    except OSError as error:
        raise unreadable(str(folder), reason(error)) from None


def look_up(path: str) -> Entry | None:
    """The entry at a path; None if nothing is there. Raises FramingError LMP-F001."""
    if addresses.is_remote(path):
        return stored.look_up(path)
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno not in _NO_ENTRY:
            raise unreadable(path, reason(error)) from None
        return Entry(path, is_folder=False, fault=_LOST) if os.path.islink(path) else None
    is_other = not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
    return Entry(path, stat.S_ISDIR(mode), "a pipe, socket or device" if is_other else "")


# -- one path -----------------------------------------------------------------------------


def is_there(path: str) -> bool:
    """Whether a path exists."""
    return look_up(local_path(path)) is not None


def names_one(path: str, names: Sequence[str]) -> bool:
    """Whether a path names itself alone, and is neither a folder nor a pattern; `names` are the files listed for it."""
    place = local_path(path)
    return list(names) == [place if addresses.is_remote(place) else name_of_local(place)]


def names_several(path: str) -> bool:
    """Whether a path names a folder, or is a pattern and no existing file. Raises as `list_files`."""
    if is_joined(path):
        return False
    place = local_path(path)
    entry = look_up(place)
    return _is_pattern(place) if entry is None else entry.is_folder
