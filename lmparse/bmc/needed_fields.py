"""Needed fields: those that a header must have so that its records are changes."""

from __future__ import annotations

from lmparse.bmc.headers import Header
from lmparse.errors import ControlError
from lmparse.options import Options

NEEDED = ("system_id", "dbid", "psid", "tbobid", "change_type", "log_rba", "uor_id")
"""Header fields that identify a change and its table."""
OUTCOME = ("uor_disp", "log_rec_disp", "sql_type")
"""Header fields that say whether a change was committed; see `order.unit_state`."""


def check_header(header: Header, options: Options) -> None:
    """Raise ControlError LMP-C006 if a described header lacks a field that identifies a change, or that selects it."""
    needed = NEEDED if "all" in options.include else (*NEEDED, *OUTCOME)
    missing = [name for name in needed if name in header.absent]
    if missing:
        is_unknown = not set(missing) - {*OUTCOME}
        raise ControlError(
            "the header that XHDF describes cannot say what changed", code="LMP-C006", file=options.control,
            spec="bmc_xhdf", expected=", ".join(needed), found=f"no {', '.join(missing)}",
            hint="without them nothing says what was committed: include=all reads every change"
            if is_unknown else None,
        )  # fmt: skip
