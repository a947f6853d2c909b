"""Extracts: which of several data files are of one log, as their control files state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lmparse.bmc.control_file import read_control
from lmparse.bmc.control_search import ControlSearch
from lmparse.bmc.log import LogicalLog
from lmparse.bmc.needed_fields import check_header
from lmparse.bmc.open import open_logical_log
from lmparse.errors import DataError
from lmparse.options import Options
from lmparse.records.files import ignored
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import Joined, JoinedPiece


def logs_of(paths: Sequence[str], options: Options, faults: list[DataError] | None = None) -> list[Joined]:
    """The logs that data files are extracts of: one for each Db2 system that XTYP names.

    Files without a record are left out, unless a log has no others. Raises ControlError; with a list, errors of
    files are added to `faults`, and these files are left out.
    """
    systems: dict[str, list[JoinedPiece]] = {}
    search = ControlSearch(options.bounds)
    for path in dict.fromkeys(paths):
        try:
            place = search.find(path, options.control)
            control = read_control(place, framing=options.control_framing, limits=options.bounds)
            if faults is not None:
                _look_through(open_logical_log(path, replace(options, control=place), on_error=ignored))
        except DataError as error:
            # A control file that an option names and that is not there is not the fault of one log.
            if faults is None or (error.code == "LMP-F001" and error.file != path):
                raise
            faults.append(error.of_log(path))
            continue
        system = control.first("XTYP").get("cntl_file_sysid") or ""
        systems.setdefault(system, []).append(JoinedPiece(path, 0, len(open_buffer(path, options.bounds))))
    return [Joined(tuple(piece for piece in pieces if piece.size) or (pieces[0],)) for pieces in systems.values()]


def _look_through(log: LogicalLog) -> None:
    """Raise the errors of a control file that opening the log leaves for later: then all extracts would have them."""
    check_header(log.header, log.options)
    _ = log.tables
