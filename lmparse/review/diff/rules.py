"""Rules: the kinds of changes of a spec, each with its class (what it does to readers of the data) and the reason."""

from __future__ import annotations

from dataclasses import dataclass

CLASSES = ("breaking", "widening", "compatible", "doc")
"""The classes, worst first."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of change."""

    name: str
    cls: str
    """One of CLASSES."""
    says: str
    """The change in a word or two, behind what has changed: `field moved`."""
    reason: str
    """Why it is of its class."""


RULES = {
    rule.name: rule
    for rule in (
        Rule("removed", "breaking", "removed", "What reads it fails, and its values are lost."),
        Rule("required", "breaking", "added and required",
             "Records that end where they ended so far can no longer be read; a field with `if: not _io.eof` can be "
             "missing."),
        Rule("parameters", "breaking", "changed", "Readers must give other values, or in another order."),
        Rule("moved", "breaking", "moved", "Bytes at its old and its new place are read as something else."),
        Rule("resized", "breaking", "changed", "The value loses bytes, or takes in bytes that were no part of it."),
        Rule("retyped", "breaking", "changed", "The same bytes give another value, or other fields and columns."),
        Rule("rescaled", "breaking", "changed", "The same number means another amount."),
        Rule("codes", "breaking", "removed or changed", "Records that hold it no longer say the same."),
        Rule("narrowed", "breaking", "narrowed", "Records that could be read may be bad now."),
        Rule("reading", "breaking", "changed",
             "Another expression may read other bytes or give another value; the specs alone do not tell."),
        Rule("widened", "widening", "widened", "Readers and tables meet values, nulls or a wider type that are new."),
        Rule("added", "compatible", "added", "Nothing else moves, and every record that could be read still can."),
        Rule("code-added", "compatible", "added", "Lists of codes are open: a value without a word was data before."),
        Rule("unused", "compatible", "changed", "No value that readers may rely on comes from it."),
        Rule("alike", "compatible", "changed", "The value shown is the same."),
        Rule("doc", "doc", "changed", "It is read by people only: comments of columns and code change, values do not."),
    )
}  # fmt: skip
"""All rules by name, worst class first."""
