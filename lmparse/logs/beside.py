"""What is beside a log: its control file, where no option names one. Nothing is taken that is not said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lmparse.errors import DataError
from lmparse.logs.families import family_of
from lmparse.options import Options
from lmparse.records.settings import Decision
from lmparse.spec import catalog
from lmparse.storage.joined import Joined, JoinedPiece, is_joined, names_in

Say = Callable[[str], None]
"""Tells the user, before the log is read, which control file was taken."""
CONTROL_FILE = "control file"
"""Name of the decision."""


@dataclass(frozen=True)
class Beside:
    """The result of looking beside a log."""

    options: Options
    """With the control file, if there is one to take."""
    decision: Decision | None = None
    """What was taken, or why nothing of what is there; None if there is nothing, or if nothing was looked for."""
    fault: DataError | None = None
    """Why there is none; for those who cannot do without."""

    @property
    def found(self) -> dict[str, str]:
        """The option that names what was taken; empty if nothing was."""
        control = self.options.control
        return {"control": control} if control is not None and self.decision is not None else {}


def look_beside(path: str, options: Options) -> Beside:
    """Look for the control file of a log in its folder, unless the options name one or it needs none.

    Of the log that joined files are, for that of each file in its folder.
    """
    family = family_of(catalog.load(options.spec))
    if options.control is not None or family is None or family.control is None:
        return Beside(options)
    try:
        if is_joined(path):
            return _beside_each(path, options, family.control.search(options.bounds))
        found = family.control.beside(path, options.bounds)
    except DataError as error:
        is_none = error.found in (None, "none")
        return Beside(options, None if is_none else _none_taken(f"{error.message}: {error.found}"), error)
    return Beside(replace(options, control=found.path), Decision(CONTROL_FILE, found.path, found.evidence))


def _beside_each(path: str, options: Options, search: Callable[[str, str | None], str]) -> Beside:
    """The control files of joined files. A folder is looked through once for all files in it."""
    found = Joined(tuple(JoinedPiece(search(name, None), 0, 0) for name in names_in(path)))
    evidence = "beside each file: it names the file, or has the same stem"
    return Beside(replace(options, control=found.address), Decision(CONTROL_FILE, found.shown, evidence))


def unusable(beside: Beside, error: DataError, options: Options) -> Beside | None:
    """The log without the control file that was taken, if that cannot be read; None if the error is of another file."""
    if error.file not in [name for control in beside.found.values() for name in names_in(control)]:
        return None
    return Beside(options, _none_taken(f"beside the log, but unusable: {error}"), error)


def _none_taken(why: str) -> Decision:
    return Decision(CONTROL_FILE, "none", why)
