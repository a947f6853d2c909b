"""Revisions: specs as they are in a commit of the git repository of the current folder, which is only read."""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from lmparse.errors import OptionError
from lmparse.spec.build.specs import SUFFIX

_FILES = ("100644", "100755")
"""Modes of plain files, not of links and submodules."""


@dataclass(frozen=True)
class RevisionFolder:
    """A folder of a commit as a shelf of specs."""

    revision: str
    """The revision as the user named it, for messages."""
    path: str
    """Path from the top of the repository; empty for the top itself."""
    names: Mapping[str, str] = field(repr=False)
    """Objects of the files by their names from here: `bmc/bmc_lldf.ksy`."""

    def places(self) -> list[str]:
        """See `Shelf`."""
        names = [name for name in sorted(self.names) if name.endswith(SUFFIX)]
        return [name.removesuffix(SUFFIX) for name in names if not re.search(r"(^|/)\.", name)]

    def text(self, place: str) -> tuple[Path, bytes] | None:
        """See `Shelf`."""
        name = f"{place}{SUFFIX}"
        if name not in self.names:
            return None
        return Path(f"{self.revision}:{PurePosixPath(self.path, name)}"), self.read(name)

    def read(self, name: str) -> bytes:
        """The bytes of one of its files."""
        return _git("cat-file", "blob", self.names[name])


def commit_of(revision: str) -> str | None:
    """The commit that a branch, a tag or an expression such as `HEAD~1` names, or None."""
    if not revision or revision.startswith("-") or "\0" in revision:
        return None
    try:
        return _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    except OptionError:
        return None


def from_top(path: str) -> str:
    """A path of a revision from the top of the repository; as in git, `./` and `../` start at the current folder."""
    if path.split("/")[0] in (".", ".."):
        path = _git("rev-parse", "--show-prefix").decode().rstrip("\n") + path
    path = posixpath.normpath(path)
    return "" if path in (".", "/") else path


def kind_of(commit: str, path: str) -> str | None:
    """`blob` for a file, `tree` for a folder; None when the commit has no such path."""
    try:
        return _git("cat-file", "-t", f"{commit}:{path}").decode().strip()
    except OptionError:
        return None


def folder_of(revision: str, commit: str, path: str) -> RevisionFolder:
    """A folder of a commit. Raises OptionError (LMP-S009) when git cannot list it."""
    names = {}
    for entry in _git("ls-tree", "-r", "-z", "--full-tree", f"{commit}:{path}").split(b"\0")[:-1]:
        about, _, name = entry.partition(b"\t")
        mode, _, blob = about.decode().split()
        if mode in _FILES:
            names[os.fsdecode(name)] = blob
    return RevisionFolder(revision, path, names)


def _git(*arguments: str) -> bytes:
    # Without optional locks not even the index of the repository is refreshed; without protocols nothing is fetched
    # that a partial clone lacks, by a command that its own configuration names.
    environment = os.environ | {
        "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "LC_ALL": "C",
    }  # fmt: skip
    try:
        done = subprocess.run(["git", *arguments], env=environment, capture_output=True, check=False)
    except OSError:
        raise OptionError("git cannot be run", code="LMP-S009", hint="name files or folders") from None
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise OptionError(f"git: {message}", code="LMP-S009")
    return done.stdout
