"""Every framing by its name."""

from __future__ import annotations

from lmparse.errors import OptionError
from lmparse.framing.base import Framing
from lmparse.framing.blocks import Blocks
from lmparse.framing.fixed import Fixed
from lmparse.framing.glued import Cutter, Glued
from lmparse.framing.spanned import Spanned, SpannedBlocks
from lmparse.framing.words import Counted, Prefixed

PREFIXED = ("bare", "lsn6", "lsn8", "filter", "filter97")
"""Framings of records that begin with their own length, by what an API puts in front of them."""
_DESCRIBED: dict[str, Framing] = {
    "rdw": Counted("rdw"),
    "bdw": Blocks(),
    "vbs": Spanned(),
    "bdw-vbs": SpannedBlocks(),
    "zosmf": Counted("zosmf", "zos_zosmf", counts_itself=False),
}
"""Framings by the descriptor words of z/OS, which need to know nothing else."""
FRAMINGS = (*_DESCRIBED, "glued", "fixed", *PREFIXED)
"""Every framing; `auto` stands for the one that the bytes prove."""


def framing_of(
    name: str, record_length: int | None = None, cutter: Cutter | None = None, byte_order: str | None = None
) -> Framing:
    """The framing of a name.

    `fixed` needs the length of its records in bytes, `glued` what a record says of its own length, and
    those of Db2 LUW log records their byte order, `little` or `big`. Raises OptionError without it.
    """
    if name in _DESCRIBED:
        return _DESCRIBED[name]
    if name == "fixed":
        if not (record_length and record_length > 0):
            raise OptionError("framing fixed needs a record length above zero", hint="give recordLength in bytes")
        return Fixed(record_length)
    if name == "glued":
        if cutter is None:
            raise OptionError("framing glued is for records that tell their own length; those of this spec do not")
        return Glued(cutter)
    if name in PREFIXED:
        if byte_order is None:
            raise OptionError(f"framing {name} is for Db2 LUW log records", hint="spec db2_log")
        return Prefixed(name, byte_order)
    raise OptionError(f"framing has no value {name!r}", hint="one of " + ", ".join(("auto", *FRAMINGS)))
