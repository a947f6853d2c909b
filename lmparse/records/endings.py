"""Endings: whether the fields behind the place where a record ends need no bytes of it.

A record that ends inside an optional field is as one that ends in front of it: the fields behind it are at the end of
the record. What the fields in front of it decide (a condition, a number of items, a size, a case) is computed from
their values. What cannot be computed, as numbers that are looked at ahead, may need bytes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import partial
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStruct

from lmparse.records import evaluation
from lmparse.records.evaluation import UnfitError
from lmparse.records.places import FieldStep
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import NESTED, Expression, Field, Layout

_REST = ("rest",)
_NUMBERS = ("uint", "int", "float")


class Ending:
    """The place inside an optional field in which a record ends, by the path to it."""

    def __init__(self, spec: Spec, steps: Sequence[FieldStep]) -> None:
        self._spec = spec
        self._steps = steps
        self._streams = [step.parsed._io for step in steps]
        self._cut = steps[-1].parsed, steps[-1].name
        self._computed: dict[tuple[int, str], Any] = {}
        """Calculated values, by the object and their name: each is calculated once, as in the parser."""
        self._empty: dict[str, bool] = {}
        """Whether a type needs no bytes, by the id of its layout. False while it is looked at: it is inside itself."""

    def needs_nothing(self) -> bool:
        """Whether no field behind needs bytes, in the object of any step."""
        return all(
            self._all_empty(step.parsed, behind(layout, layout[step.name]))
            for step in self._steps
            for layout in (self._spec.layout_of(step.parsed),)
        )

    def _all_empty(self, parsed: Any, fields: Iterable[Field]) -> bool:
        return all(self._may_be_empty(parsed, entry) for entry in fields)

    def _may_be_empty(self, parsed: Any, entry: Field) -> bool:
        """Whether a field of an object needs no bytes at the end of the record."""
        if entry.kind == "rest" or entry.optional:
            return True
        try:
            if entry.condition is not None and not evaluation.truth(self._value(parsed, entry.condition)):
                return True
            if entry.repeated:
                return entry.items == _REST or self._is_zero(parsed, entry.items)
            if entry.kind in NESTED or entry.switch:
                return self._is_empty_part(parsed, entry)
            return self._is_empty_value(parsed, entry)
        except (UnfitError, RecursionError):
            return False

    def _is_empty_value(self, parsed: Any, entry: Field) -> bool:
        if entry.size == _REST and entry.kind == "variable":
            return True
        if entry.checks or entry.type is not None or entry.kind in _NUMBERS:
            return False
        takes_any = entry.size == _REST or (entry.size is None and "eos-error: False" in entry.by_parser.split("; "))
        return takes_any or entry.width == 0 or self._is_zero(parsed, entry.size)

    def _is_empty_part(self, parsed: Any, entry: Field) -> bool:
        """Whether a nested record needs no bytes: no field of its type, or no case of its switch."""
        if entry.process or not (entry.size in (None, _REST) or self._is_zero(parsed, entry.size)):
            return False
        if entry.switch:
            chosen = self._chosen(parsed, entry)
            return chosen is None or self._is_empty_type(chosen)
        return self._is_empty_type(entry.type)

    def _chosen(self, parsed: Any, entry: Field) -> str | None:
        """Id of the layout of the case that applies, empty for a type of the compiler; None if none does."""
        found = self._value(parsed, entry.switch_on)
        for case in entry.switch:  # the default is the last
            if case.key is None or found == self._value(parsed, case.key):
                return case.type
        return None

    def _is_empty_type(self, layout_id: str | None) -> bool:
        if not layout_id:
            return False
        if layout_id not in self._empty:
            self._empty[layout_id] = False
            fields = (entry for entry in self._spec.layouts[layout_id] if not entry.is_instance)
            self._empty[layout_id] = self._all_empty(None, fields)
        return self._empty[layout_id]

    def _is_zero(self, parsed: Any, expression: Expression) -> bool:
        return expression is not None and bool(self._value(parsed, expression) == 0)

    # -- expressions ---------------------------------------------------------------------------

    def _value(self, parsed: Any, expression: Expression) -> Any:
        """The number that an expression has in an object. Raises UnfitError if it cannot be computed."""
        found = evaluation.value(expression, partial(self._lookup, parsed))
        if found is not None:
            evaluation.truth(found)  # a number
        return found

    def _lookup(self, parsed: Any, of: Any, name: str) -> Any:
        of = parsed if of is None else of
        if isinstance(of, KaitaiStream):
            return self._of_stream(of, name)
        if isinstance(of, KaitaiStruct):
            return self._attribute(of, name)
        if isinstance(of, bytes | list) and name.isdecimal() and int(name) < len(of):
            return of[int(name)]
        raise UnfitError(f"only the parser knows {name}")

    def _of_stream(self, stream: KaitaiStream, name: str) -> Any:
        """An attribute of the stream of an object around the place, which is then read to its end."""
        if name in ("eof", "pos", "size") and any(stream is one for one in self._streams):
            return True if name == "eof" else stream.size()
        raise UnfitError(f"only the parser knows {name} of this stream")

    def _attribute(self, parsed: KaitaiStruct, name: str) -> Any:
        """A field, parameter or calculated value of an object. The parser is not asked, since it would read on."""
        known, layout = vars(parsed), self._spec.layout_of(parsed)
        if parsed is self._cut[0] and name == self._cut[1]:
            raise UnfitError(f"{name} is cut")
        if name in ("_io", "_parent", "_root") or (name in known and (name in layout.by_id or name in layout.params)):
            return known[name]
        if f"_m_{name}" in known:
            return known[f"_m_{name}"]
        return self._calculated(parsed, layout, name)

    def _calculated(self, parsed: KaitaiStruct, layout: Layout, name: str) -> Any:
        computed, key = layout.computed.get(name), (id(parsed), name)
        if computed is None or computed.width:
            raise UnfitError(f"only the parser knows {name}")
        if key not in self._computed:
            is_there = computed.condition is None or evaluation.truth(self._value(parsed, computed.condition))
            lookup = partial(self._lookup, parsed)
            self._computed[key] = evaluation.value(computed.value, lookup) if is_there else None
        return self._computed[key]


def behind(layout: Layout, entry: Field) -> list[Field]:
    """The fields of a layout behind one of them."""
    found = [one for one in layout if not one.is_instance]
    return found[found.index(entry) + 1 :]


def is_moved(layout: Layout, entry: Field, known: Container[str]) -> bool:
    """Whether a field is not at its offset: an optional field in front of it is not among those that are known."""
    if entry.is_instance:
        return False
    in_front = layout.fields[: layout.fields.index(entry)]
    return any(one.optional and one.id not in known for one in in_front if not one.is_instance)
