"""What is beside a log: its control file, where no option names one. Nothing is taken that is not said."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lmparse.errors import DataError
from lmparse.logs.families import family_of
from lmparse.options import Options
from lmparse.records.settings import Decision
from lmparse.spec import catalog
from lmparse.storage.joined import joined_of

CONTROL_FILE = "control file"
"""Name of the decision."""


@dataclass(frozen=True)
class Beside:
    """The result of looking beside a log."""

    options: Options
    """With the path of the control file, if there is one to take: also where the options name a folder or a pattern."""
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
    """Find the control file of a log: in its folder, unless the options say where it is or the log needs none.

    Of joined files it is the address of the control files of each. Raises ControlError LMP-C007 if there is none where
    the options say.
    """
    family = family_of(catalog.load(options.spec))
    if family is None or family.control is None:
        return Beside(options)
    control, joined = family.control, joined_of(path)
    if options.control is not None:
        return Beside(replace(options, control=control.find(path, options.control, options.bounds)))
    try:
        if joined is None:
            found = control.beside(path, options.bounds)
            taken, decision = found.path, Decision(CONTROL_FILE, found.path, found.evidence)
        else:
            taken = control.find(path, None, options.bounds)
            each = joined_of(taken)
            assert each is not None
            evidence = "beside each file: it names the file, or has the same stem"
            decision = Decision(CONTROL_FILE, each.shown, evidence)
    except DataError as error:
        is_none = error.found in (None, "none")
        why = None if is_none else Decision(CONTROL_FILE, "none", f"{error.message}: {error.found}")
        return Beside(options, why, error)
    return Beside(replace(options, control=taken), decision)
