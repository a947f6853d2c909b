"""Cases: what stands beside a log of a test: how it is read, and where its bytes come from.

A case comes with its log, so it is data: it names no code to run, no file elsewhere, and no limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmparse.errors import ControlError
from lmparse.options import FILE_OPTIONS
from lmparse.spec.documents import DocumentError, file_bytes, read_yaml
from lmparse.spelling import plain
from lmparse.storage.addresses import is_remote, name_of_local

GIVEN, PRINTED, SYNTHETIC = "given", "printed", "synthetic"
PROVENANCES = {
    GIVEN: "files given on the command line; lmparse does not know whether a product wrote them",
    PRINTED: "bytes that a vendor printed, in a manual or in the output of a sample program",
    SYNTHETIC: "bytes that were made after the same manuals as the specs; no product wrote them",
}
"""Where the bytes of a file come from, and what that means."""
_LOG, _CASE = ".bin", ".yaml"
_BESIDE = {"control": ".ctl", "tables": ".tables"}
"""Endings of the other files of a case, by the option that names them."""
_OF_CALLER = tuple(map(plain, ("spec", "limits", *FILE_OPTIONS)))


@dataclass(frozen=True, slots=True)
class LogCase:
    """What the YAML file of a case says."""

    log: Path
    command: str
    options: Mapping[str, Any]
    provenance: str
    """One of PROVENANCES."""

    def options_of_log(self, specs: str | None) -> dict[str, Any]:
        """The options to read its log with, a tables file or a control file beside the log among them.

        The spec of records is that of the folder; it is taken from the folder `specs` if that has it. Raises
        ControlError LMP-C012 for options that a case cannot give.
        """
        places = {option: self.log.with_suffix(end) for option, end in _BESIDE.items()}
        found = {option: name_of_local(str(place)) for option, place in places.items() if place.is_file()}
        given = dict(self.options)
        name = str(given.pop("spec", self.log.parent.name if self.command == "records" else ""))
        if name:
            if not name.isidentifier():
                raise self.unusable(f"its spec is {name[:60]!r}, which is not the id of a spec")
            is_own = specs is not None and Path(specs, f"{name}.py").is_file()
            found["spec"] = str(Path(specs or "", name).absolute()) if is_own else name
        if refused := [name for name in given if plain(name) in _OF_CALLER]:
            raise self.unusable(f"it gives {refused[0]}, which only the caller gives")
        return found | given

    def unusable(self, why: str) -> ControlError:
        """The error of a log whose case cannot be used."""
        return ControlError(f"its case cannot be used: {why}", code="LMP-C012", file=str(self.log))


def case_of(path: str) -> LogCase | None:
    """The case that a file belongs to: a log, or a control file, a tables file or the YAML file beside it."""
    log, text = Path(path).with_suffix(_LOG), Path(path).with_suffix(_CASE)
    is_of_case = Path(path).suffix in (_LOG, _CASE, *_BESIDE.values())
    if is_remote(path) or not is_of_case or not text.is_file():
        return None
    try:
        tree = read_yaml(file_bytes(text)).tree
    except (DocumentError, OSError):
        return None
    if not isinstance(tree, dict) or not isinstance(tree.get("options"), dict) or "command" not in tree:
        return None
    stated = str(tree.get("provenance") or "").rpartition(";")[2].strip().lower()
    options = {str(name): value for name, value in tree["options"].items()}
    return LogCase(log, str(tree["command"]), options, stated if stated in PROVENANCES else GIVEN)


def is_only_described(path: str) -> bool:
    """Whether a file belongs to a case and has no records."""
    return Path(path).suffix in (_CASE, _BESIDE["tables"]) and case_of(path) is not None
