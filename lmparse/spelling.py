"""Spelling: one name in Python (`record_length`), in the shell (`--record-length`) and in Spark (`recordLength`)."""

from __future__ import annotations


def camel(name: str) -> str:
    """The name of an option in Spark: `recordLength` for `record_length`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def plain(name: str) -> str:
    """A name without underscores, hyphens and case: names with the same are one."""
    return name.replace("_", "").replace("-", "").lower()
