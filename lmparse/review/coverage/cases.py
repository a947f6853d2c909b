"""Cases: what stands beside a log of a test: how it is read, and where its bytes come from.

A case comes with its log, so it is data: it names no code to run, no file elsewhere, and no limits.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any

from lmparse.errors import ControlError
from lmparse.options import FILE_OPTIONS
from lmparse.spec.documents import DocumentError, file_bytes, read_yaml
from lmparse.spelling import plain
from lmparse.storage import addresses
from lmparse.storage.addresses import name_of_local

DEMO_MARK, DEMO_TEXT = "lmparse-demo.txt", b"lmparse demo replaces what is in this folder\n"
"""The file by which the folder of a demo is recognised; its logs are in folders beside the file."""


_LOG, CASE = ".bin", ".yaml"
"""Endings of the files of a case: the log, and the description of how it is read."""
BESIDE = {"control": ".ctl", "tables": ".tables"}
"""Endings of the other files of a case, by the option that names them."""
_OF_CALLER = tuple(map(plain, ("spec", "limits", *FILE_OPTIONS)))
"""Options that a case does not set as it likes, in one spelling."""


class Provenance(Enum):
    """Where the bytes of a file come from, the strongest evidence first."""

    GIVEN = "given"
    """A file of the caller, with nothing beside it that says where it comes from."""
    PRINTED = "printed"
    """Bytes that a vendor printed."""
    SYNTHETIC = "synthetic"
    """Bytes that were made after the manuals; they agree with the spec as far as both understood them alike."""

    @property
    def about(self) -> str:
        """What it means, as the end of a sentence."""
        return _ABOUT[self]


_ABOUT = {
    Provenance.GIVEN: "files given on the command line; lmparse does not know whether a product wrote them",
    Provenance.PRINTED: "bytes that a vendor printed, in a manual or in the output of a sample program",
    Provenance.SYNTHETIC: "bytes that were made after the same manuals as the specs; no product wrote them",
}


def case_options(path: str, specs: str | None = None) -> dict[str, Any] | None:
    """Options that the YAML file of a case gives for its log; None for a log that is not of a case.

    A tables file or a control file beside the log is used as well. The spec of records is named by the folder of the
    case; it is taken from the folder `specs` if that has it. Raises ControlError LMP-C012 for options that a case
    cannot give: it comes with the log, so it names no code to run, no file elsewhere, and no limits.
    """
    said = case_of(path)
    if said is None:
        return None
    log, given = Path(path), {str(name): value for name, value in said["options"].items()}
    places = {option: log.with_suffix(end) for option, end in BESIDE.items()}
    found = {option: name_of_local(str(place)) for option, place in places.items() if place.is_file()}
    name = str(given.pop("spec", log.parent.name if said["command"] == "records" else ""))
    if name:
        found["spec"] = _spec_of_case(log, name, specs)
    refused = [name for name in given if plain(name) in _OF_CALLER]
    if refused:
        raise unusable(log, f"it gives {refused[0]}, which only the caller gives")
    return found | given


def case_of(path: str) -> dict[str, Any] | None:
    """What the YAML file beside a log says, if it is that of a case."""
    log = Path(path)
    text = log.with_suffix(CASE)
    if addresses.is_remote(path) or log.suffix != _LOG or not text.is_file():
        return None
    try:
        said = read_yaml(file_bytes(text)).tree
    except (DocumentError, OSError):
        return None
    is_case = isinstance(said, dict) and isinstance(said.get("options"), dict) and "command" in said
    return said if is_case else None


def stated_provenance(path: str) -> Provenance:
    """What is known of the bytes of a file: the case of a log says it, also for the control file of the case, and
    what `lmparse demo` makes is synthetic."""
    if not addresses.is_remote(path) and (Path(path).absolute().parent.parent / DEMO_MARK).is_file():
        return Provenance.SYNTHETIC
    stated = case_of(str(Path(path).with_suffix(_LOG))) or {}
    last = str(stated.get("provenance") or "").rpartition(";")[2].strip().lower()
    return next((one for one in Provenance if one.value == last), Provenance.GIVEN)


def _spec_of_case(log: Path, name: str, specs: str | None) -> str:
    """The argument of `catalog.load` for the spec that a case names: of lmparse, or in the folder of the caller."""
    if not name.isidentifier():
        raise unusable(log, f"its spec is {name[:60]!r}, which is not the id of a spec")
    is_own = specs is not None and Path(specs, f"{name}.py").is_file()
    return str(Path(specs or "", name).absolute()) if is_own else name


def unusable(log: Path, why: str) -> ControlError:
    """The error of a log whose case cannot be used."""
    return ControlError(f"its case cannot be used: {why}", code="LMP-C012", file=str(log))
