"""Comparison: the values of two records of a file, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lmparse.review.explain.explanation import Explanation, printable, value_text

_MOST_VALUE, _SHOWN_VALUE = 2000, 1200


@dataclass(frozen=True, slots=True)
class ComparedField:
    """A field of two records."""

    path: str
    values: tuple[str | None, str | None]
    """The value in each record as it is shown, or its fault; None for a record without the field."""

    @property
    def differs(self) -> bool:
        """Whether the records have different values."""
        return self.values[0] != self.values[1]


def compared(one: Explanation, other: Explanation) -> list[ComparedField]:
    """The fields of either record, in the order of the first one, then those that only the other has."""
    values, others = (dict(_values(found)) for found in (one, other))
    return [ComparedField(path, (values.get(path), others.get(path))) for path in dict.fromkeys([*values, *others])]


def _values(found: Explanation) -> Iterator[tuple[str, str]]:
    """The paths of the fields with a value; those of the words in front of the record behind the name of their spec."""
    for section in found.sections:
        front = "" if section is found.main else f"{section.layout.id}."
        for line in (line for top in section.lines for line in top.walk()):
            node = line.node
            if node is None or (line.children and node.value is None):
                continue
            text = value_text(line, section.bytes_of(line), _MOST_VALUE, _SHOWN_VALUE)
            if node.fault is not None:
                text = node.fault.says()
            elif text in (None, "null"):
                text = node.meaning or text
            yield front + printable(node.path), printable(text or "")
