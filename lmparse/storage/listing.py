"""Listing: the files that paths, folders and patterns name, those that Spark's source `binaryFile` reads under them.

- A folder has the files in it, with `recursive` those at any depth. Names that begin with `_` or `.` are left out.
- A pattern names files and folders; a folder has the files in it. `*` is any characters, `?` one, `[ab]`, `[a-c]` one
  of some, `[^a]` and `[!a]` one that is none of them, `{a,b*}` one of several patterns, and a backslash makes the next
  character stand for itself. It means what it does to Hadoop, which takes a backslash and a letter or a digit for an
  expression (`\\d` is any digit), and `[*]` for other characters than the one in it: these are refused, with all
  classes that have a backslash or one of `[*?{,}`.
- Where a folder has folders `k=v`, all files at any depth are read, and have columns: see `partition_folders`.

A file that is named itself is read, whatever its name; Spark reads none then whose name is one of those left out.
Unlike Spark, an empty file is one too, a file has one place in the list, and what would be missing unsaid is an error:
a folder that cannot be read, a link that leads nowhere, a path without a file.
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
"""Errors of a link that leads nowhere."""
_LOST = "a link that leads nowhere"
_MAGIC = re.compile(r"[*?\[{\\]")
_TOKEN = re.compile(r"\[[!^]?+.[^\]]*\]|\\.|.", re.DOTALL)
"""A class of characters, a character behind a backslash, or one that is not."""
_ENDS = {"{": "{ has no }", "[": "[ has no ]", "\\": "\\ has nothing behind it"}
_MOST = 1000
"""Patterns without groups that one with groups may stand for."""
_MOST_GROUPS = 50


class FileList(NamedTuple):
    """The files of some paths."""

    files: list[str]
    columns: tuple[PartitionColumn, ...]
    """Those that folders of `k=v` make."""


def list_files(paths: Sequence[str], *, name_filter: str | None = None, recursive: bool = False) -> list[str]:
    """The files of `list_folders` alone."""
    return list_folders(paths, name_filter=name_filter, recursive=recursive).files


def list_folders(paths: Sequence[str], *, name_filter: str | None = None, recursive: bool = False) -> FileList:
    """The files that paths, addresses, folders and patterns name, sorted within each, and the columns of their folders.

    `name_filter` is a pattern that the names of files must match. A name that would pass for an address, such as
    `file:x`, has `./` in front, so that it names the file in that folder and no other.

    Raises FramingError LMP-F001 for a path that names no file, LMP-F015 for folders of `k=v` that contradict each other
    or have a file beside them, OptionError LMP-S003 for a pattern that is none.
    """
    passes: Callable[[str], object] = name_pattern(name_filter).fullmatch if name_filter else lambda _: True
    found: dict[str, tuple[str, ...]] = {}
    """The folders of each file, from the root that was named down."""
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
    for path in files if columns else ():  # Spark passes over a file that is in no folder of `k=v` where others are
        if not any(pair_in(addresses.base_name(folder)) for folder in found[path][1:]):
            text = f"is beside folders of {columns[0].name}=..., and has no value of it"
            raise contradiction(path, text, "move it, or leave it out with pathGlobFilter")
    return FileList([path if addresses.is_remote(path) else name_of_local(path) for path in files], columns)


# -- roots --------------------------------------------------------------------------------


def _roots(path: str) -> list[Entry]:
    """What a path names: itself, or what a pattern matches. Folders that a pattern matches are read, as Spark does."""
    try:
        there = look_up(path)
    except FramingError:
        if not _is_pattern(path):
            raise
        there = None  # the folders of the pattern say what is wrong
    if there is not None and there.fault != _LOST:
        others: list[str] = []
        with suppress(OptionError):  # a name need not be a pattern too
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
    """The paths that a pattern matches, sorted; none for a path that is no pattern."""
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
    """What is below a folder and matches the patterns of names."""
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
    """The expression whose `fullmatch` takes the names that a pattern does.

    Whoever sends a file chooses its name, so the time of a match must not depend on it: behind a `*`, what follows is
    taken where it comes first, as fnmatch does. Raises OptionError LMP-S003 for a pattern that is not closed or means
    something else.
    """
    return re.compile("|".join(translate("".join(map(_plain, _TOKEN.findall(one)))) for one in alternatives(text)))


def _plain(token: str) -> str:
    """A token as fnmatch has it."""
    if len(token) == 1 or token[0] == "[":
        return token.replace("[^", "[!", 1)
    return f"[{token[1]}]" if token[1] in "*?[" else token[1]


def alternatives(text: str) -> list[str]:
    """The patterns without groups that a pattern stands for: `a/c` and `b/c/c` for `{a,b/c}/c`. Raises OptionError."""
    todo, found = [_tokens(text)], list[str]()
    if todo[0].count("{") > _MOST_GROUPS:
        raise _wrong(f"more than {_MOST_GROUPS} groups", text)
    while todo:
        tokens = todo.pop()
        if "{" not in tokens:
            found.append("".join(tokens))
            continue
        start = len(tokens) - tokens[::-1].index("{")  # the last group has no other one in it
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
    """Raises OptionError for a character or class that is something else to Spark."""
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
    """The only name that a pattern without groups takes; None if it takes several."""
    tokens = _TOKEN.findall(pattern)
    is_one = all(token not in "*?" and (len(token) == 1 or token[0] == "\\") for token in tokens)
    return "".join(token[-1] for token in tokens) if is_one else None


# -- folders ------------------------------------------------------------------------------


def is_hidden(name: str) -> bool:
    """Whether a name in a folder is left out, as Spark does: `_x`, `.x`, and a file that Hadoop is copying."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


def _below(
    folder: str,
    folders: tuple[str, ...],
    *,
    recursive: bool,
    passes: Callable[[str], object],
    above: tuple[str, ...] = (),
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The data files of a folder, each with the folders down to it; `above` are those that it is in, without links."""
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
    """Raise FramingError LMP-F001 for what is neither a file nor a folder, if its name is one of data."""
    if entry.fault and passes(entry.name) and not is_hidden(entry.name):
        hint = "a name that begins with _ or . is left out"
        raise FramingError(f"is {entry.fault}, not a file", code="LMP-F001", file=name_of_local(entry.path), hint=hint)


def children(folder: str, wanted: Callable[[str], object]) -> Iterator[Entry]:
    """What is in a folder and has a name that is wanted, sorted. Raises FramingError LMP-F001 if it cannot be read."""
    if addresses.is_remote(folder):
        yield from (entry for entry in stored.entries(folder) if wanted(entry.name))
        return
    for name in filter(wanted, names_in(folder or ".")):
        local = look_up(os.path.join(folder, name))
        if local is not None:  # it may be gone by now
            yield local


def names_in(folder: str | Path) -> list[str]:
    """The names in a local folder, sorted. Raises FramingError LMP-F001 if it cannot be read."""
    try:
        os.stat(os.path.join(folder, "."))  # a folder may be listed and its files not looked at
        return sorted(os.listdir(folder))
    except OSError as error:
        raise unreadable(str(folder), reason(error)) from None


def look_up(path: str) -> Entry | None:
    """What is at a path; None if nothing is."""
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
    """Whether something is at a path."""
    return look_up(local_path(path)) is not None


def names_one(path: str, names: Sequence[str]) -> bool:
    """Whether the files that a path named are the path itself: it is neither a folder nor a pattern."""
    place = local_path(path)
    return list(names) == [place if addresses.is_remote(place) else name_of_local(place)]


def names_several(path: str) -> bool:
    """Whether a path names a folder, or is a pattern and not the name of a file. Raises as `list_files`."""
    if is_joined(path):
        return False
    place = local_path(path)
    entry = look_up(place)
    return _is_pattern(place) if entry is None else entry.is_folder
