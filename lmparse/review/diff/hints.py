"""Length hints: lengths that a spec demands of a record, and that no longer fit the fields in front of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from lmparse.review.diff.pairs import LayoutPair, Pairs
from lmparse.spec.layout import Field


@dataclass(frozen=True, slots=True)
class LengthHint:
    """A field with a length whose minimum is not the number of bytes of the fields that every record has."""

    layout: str
    field: str
    vendor_name: str
    """As the vendor spells it; empty if the spec does not say that."""
    minimum: int
    """In bytes, as the spec demands it now."""
    least_width: int
    """Bytes of the fields that every record has."""

    @property
    def text(self) -> str:
        """The hint as a sentence."""
        name = self.vendor_name or self.field
        fault = (
            "a record that ends in front of the last of them passes the check"
            if self.minimum < self.least_width
            else "records that have all of them, and nothing else, are refused"
        )
        return (
            f"{self.layout}.{self.field}: {name} must be at least {self.minimum}, but the fields that every record has "
            f"take {self.least_width} bytes: {fault}. Should the minimum be {self.least_width}?"
        )


def length_hints(pairs: Pairs) -> Iterator[LengthHint]:
    """The minima that fitted before, or that a field relies on, and do not fit now."""
    for pair in pairs.touched_layouts():
        ending = [{entry.ends for entry in layout if entry.optional} for layout in (pair.old, pair.new)]
        for old, new in pair.kept():
            if new.minimum is None or not _is_length(pair, ending, old, new) or new.minimum == pair.new.least_width:
                continue
            if (old.minimum, pair.old.least_width) != (new.minimum, pair.new.least_width):
                yield LengthHint(pair.id, new.id, new.orig_id or "", new.minimum, pair.new.least_width)


def _is_length(pair: LayoutPair, ending: Sequence[Set[str | None]], old: Field, new: Field) -> bool:
    """Whether a number was, before or now, the length of what is in front of the fields that may be missing.

    `ending` has the fields of each state that say where such fields may be missing from.
    """
    fitted = old.minimum is not None and old.minimum == pair.old.least_width > 0
    return old.kind == new.kind == "uint" and (fitted or old.id in ending[0] or new.id in ending[1])
