"""The framings by their names."""

from __future__ import annotations

from lmparse.errors import OptionError
from lmparse.framing.base import Framing
from lmparse.framing.blocks import Blocks
from lmparse.framing.spanned import Spanned, SpannedBlocks
from lmparse.framing.undelimited import Cutter, Fixed, Glued
from lmparse.framing.words import Counted, Prefixed
from lmparse.limits import DEFAULT, Limits
from lmparse.options import DB2_FRAMINGS, FRAMINGS

_DESCRIBED: dict[str, Framing] = {
    "rdw": Counted("rdw"),
    "bdw": Blocks(),
    "vbs": Spanned(),
    "bdw-vbs": SpannedBlocks(),
    "zosmf": Counted("zosmf", "zos_zosmf", counts_itself=False),
}
"""Framings by the descriptor words of z/OS, which need no further facts."""


def framing_of(
    name: str,
    record_length: int | None = None,
    cutter: Cutter | None = None,
    byte_order: str | None = None,
    limits: Limits = DEFAULT,
) -> Framing:
    """The framing with a name, for records within limits.

    `fixed` needs the length of a record in bytes, `glued` a function that reads the length of a record, and the
    framings of Db2 LUW log records the byte order, `little` or `big`. Raises OptionError if that is missing.
    """
    return _named(name, record_length, cutter, byte_order).within(limits)


def _named(name: str, record_length: int | None, cutter: Cutter | None, byte_order: str | None) -> Framing:
    if name in _DESCRIBED:
        return _DESCRIBED[name]
    if name == "fixed":
        if not (record_length and record_length > 0):
            raise OptionError("framing fixed needs a record length above zero", hint="give recordLength in bytes")
        return Fixed(record_length)
    if name == "glued":
        if cutter is None:
            raise OptionError("framing glued is for records that contain their own length; those of this spec do not")
        return Glued(cutter)
    if name in DB2_FRAMINGS:
        if byte_order is None:
            raise OptionError(f"framing {name} is for Db2 LUW log records", hint="spec db2_log")
        return Prefixed(name, byte_order)
    raise OptionError(f"framing has no value {name!r}", hint="one of " + ", ".join(("auto", *FRAMINGS, *DB2_FRAMINGS)))
