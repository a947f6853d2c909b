"""The framings by their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lmparse.errors import OptionError
from lmparse.framing.base import Framing
from lmparse.framing.blocks import Blocks
from lmparse.framing.descriptors import WordRule
from lmparse.framing.fixed_length import Fixed
from lmparse.framing.length_field import Cutter, Glued, Measured, length_field
from lmparse.framing.parsed import Parsed
from lmparse.framing.rdw import Prefixed, Rdw
from lmparse.framing.spanned import Spanned, SpannedBlocks
from lmparse.framing.whole import Whole
from lmparse.limits import DEFAULT, Limits
from lmparse.options import DB2_FRAMINGS, FRAMING_OPTIONS, FRAMINGS, Options
from lmparse.spelling import camel, quoted

_DESCRIBED: dict[str, Rdw | Blocks | Spanned] = {
    "rdw": Rdw("rdw"),
    "bdw": Blocks(),
    "vbs": Spanned(),
    "bdw-vbs": SpannedBlocks(),
    "zosmf": Rdw("zosmf", "zos_zosmf"),
}
"""The framings by descriptor words of z/OS, with the rules of the specs."""


def framing_of(
    name: str,
    record_length: int | None = None,
    cutter: Cutter | None = None,
    byte_order: str | None = None,
    limits: Limits = DEFAULT,
) -> Framing:
    """The framing with a name, for records within limits.

    `fixed` needs the length of a record in bytes. `glued` and `parsed` need a function that reads the length of a
    record. The framings of Db2 LUW need the byte order, `little` or `big`. Raises OptionError if such a value is
    missing.
    """
    if name in _DESCRIBED:
        return _DESCRIBED[name].within(limits)
    if name == "whole":
        return Whole().within(limits)
    if name == "parsed" and cutter is not None:
        return Parsed(cutter).within(limits)
    if name == "fixed":
        if not (record_length and record_length > 0):
            raise OptionError("framing fixed needs a record length above zero", hint="give recordLength in bytes")
        return Fixed(record_length).within(limits)
    if name == "glued":
        if cutter is None:
            raise OptionError(
                "framing glued is for records that contain their own length; those of this spec do not",
                hint="recordLengthField names a field that does",
            )
        return Glued(cutter).within(limits)
    if name in DB2_FRAMINGS:
        if byte_order is None:
            raise OptionError(f"framing {name} is for Db2 LUW log records", hint="spec db2_log")
        return Prefixed(name, byte_order).within(limits)
    raise OptionError(
        f"framing has no value {quoted(name)}", hint="one of " + ", ".join(("auto", *FRAMINGS, *DB2_FRAMINGS))
    )


def named_framing(name: str, options: Options, cutter: Cutter | None = None, byte_order: str | None = None) -> Framing:
    """The framing with a name, with the descriptor words and skipped bytes of the options.

    As `framing_of`; raises OptionError LMP-S003 also for an option that the framing does not use.
    """
    for option in unused(name, options):
        users = [other for other, used in FRAMING_OPTIONS.items() if option in used]
        more = " with recordLengthField" if option == "rdw_adjustment" else ""
        hint = f"{camel(option)} is for framing " + ", ".join(users) + more
        raise OptionError(f"framing {name} does not use {camel(option)}", code="LMP-S003", hint=hint)
    found: Framing
    if name in _DESCRIBED:
        record = WordRule(options.rdw_endian == "little", options.rdw_includes_header, options.rdw_adjustment or 0)
        block = WordRule(options.bdw_endian == "little", options.bdw_includes_header, options.bdw_adjustment or 0)
        found = described(name, record, block).within(options.bounds)
    elif name == "glued" and options.record_length_field is not None:
        length, adjustment = length_field(options.spec, options.record_length_field), options.rdw_adjustment or 0
        way = Measured(length, adjustment) if length.is_scanned else Glued(length.cutter(adjustment))
        found = way.within(options.bounds)
    else:
        found = framing_of(name, options.record_length, cutter, byte_order, options.bounds)
    return found.skipping(options.file_start_offset, options.file_end_offset)


def unused(name: str, options: Options) -> Iterator[str]:
    """Yield the given options that a framing does not use, by Python name."""
    given = options.of_framing
    yield from (option for option in given if option not in FRAMING_OPTIONS.get(name, ()))
    if name == "glued" and "rdw_adjustment" in given and "record_length_field" not in given:
        yield "rdw_adjustment"


def described(name: str, record: WordRule, block: WordRule) -> Framing:
    """The framing with a name and these rules for its words; a framing without blocks ignores `block`."""
    framing = _DESCRIBED[name]
    rules = {"rule": record.normal(name != "zosmf")}
    if framing.is_blocked:
        rules["block_rule"] = block.normal(True)
    return replace(framing, **rules)  # type: ignore[arg-type]
