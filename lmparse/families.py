"""Families: the specs whose files are known by more than that their records parse."""

from __future__ import annotations

from lmparse import control, lldf, luw
from lmparse.detection import Family


def known_families() -> dict[str, Family]:
    """What the files of some specs look like, by spec id."""
    return {control.SPEC: control.family(), lldf.SPEC: lldf.family(), luw.SPEC: luw.family()}
