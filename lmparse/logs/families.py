"""Families: the specs whose files are known by more than that their records parse."""

from __future__ import annotations

from lmparse.bmc import change_record, control_file
from lmparse.db2 import log_record
from lmparse.framing.detection import Family


def known_families() -> dict[str, Family]:
    """What the files of some specs look like, by spec id."""
    return {found.SPEC: found.family() for found in (control_file, change_record, log_record)}
