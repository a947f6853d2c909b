"""Record plans: records of any spec as Arrow columns, many records at a time.

Places and kinds of fields come from the layouts. A plan states in advance which columns only the parser can read.
Records that differ from the spec, or that have a bad value, are flagged; the caller has the parser read them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lmparse.columnar import json_texts, schemas
from lmparse.columnar.column_plans import column_plans
from lmparse.columnar.columns import ColumnPlans, Columns
from lmparse.columnar.cursors import UnfitError
from lmparse.columnar.filters import Filter, mask
from lmparse.columnar.lines import chosen_texts, object_texts, value_text
from lmparse.columnar.reading import Reading, unread_bytes
from lmparse.columnar.refusals import column_reasons, refusal_of
from lmparse.columnar.rows import to_batch
from lmparse.framing.windows import Window
from lmparse.records.reader import default_page
from lmparse.spec.catalog import KIND, PARENT, Spec
from lmparse.spec.layout import Field
from lmparse.spec.nesting import flat
from lmparse.terminal import json_text
from lmparse.values.byte_arrays import Bytes, Flags, Int64s
from lmparse.values.codepages import CodePage
from lmparse.values.json_form import to_json

_LEFT = (UnfitError, ValueError, IndexError, OverflowError)
"""Errors that leave the records of a window to the parser; NumPy and Arrow raise some for impossible numbers."""


@dataclass(frozen=True)
class Decoded:
    """The columns of the records of a window."""

    arrays: list[pa.Array]
    """In the requested order. Values of irregular records are undefined."""
    irregular: Flags
    """Flags of the records that the parser must read."""
    raw: dict[str, Bytes]
    """(n, width) undecoded bytes, by name, of the columns requested as bytes."""
    rest: dict[str, tuple[Int64s, Int64s]]
    """Offsets in the window's data, and lengths, of such columns of varying length."""
    unread: Int64s
    """Bytes of each record that no field has; 0 for irregular records, and for specs with instances."""


class RecordPlan:
    """How the columns of the records of a spec are decoded.

    `reason` states why the records cannot be decoded column-wise; it is empty if they can.
    """

    def __init__(
        self, spec: Spec, page: CodePage | None = None, *, arguments: Sequence[int] = (), labels: bool = False
    ) -> None:
        self.spec, self._labels = spec, labels
        self._arguments = dict(zip(spec.layout.params, arguments, strict=False))
        self._plans = ColumnPlans(spec.layouts, page or default_page(spec), value_text, labels=labels)
        self._is_full = False
        self.reasons = column_reasons(spec.layouts, spec.layout, self._plans.page)
        """Why the parser reads a column, by name."""
        self.reason = refusal_of(spec.layouts, spec.layout)
        self.parent: Mapping[str, Any] = {}
        """The value of the column PARENT; all records share it."""
        if not self.reason and len(self._arguments) < len(spec.layout.params):
            self.reason = f"needs {', '.join(spec.layout.params)}"

    @cached_property
    def types(self) -> dict[str, pa.DataType]:
        """The Arrow type of each column, by name."""
        found = schemas.columns_of(
            self.spec.layouts, self.spec.layout, has_kind=self.spec.has_kind, labels=self._labels
        )
        parent = schemas.parent_field(self.spec, labels=self._labels)
        return {name: entry.type for name, entry in found.items()} | ({} if parent is None else {PARENT: parent.type})

    @cached_property
    def _inside(self) -> dict[str, Field]:
        """By name of a column that is a number inside a field: the field."""
        layouts = self.spec.layouts
        fields = flat(layouts, self.spec.layout)
        return {f"{entry.id}_{part.id}": entry for entry in fields for part in schemas.parts(layouts, entry)}

    @cached_property
    def fallible(self) -> list[str]:
        """Columns whose bytes may be no value. A record is known to be good only after these columns are decoded."""
        layouts, layout = self.spec.layouts, self.spec.layout
        plans = [column_plans(layouts, layout, entry, self._plans.page)[0] for entry in layout if entry.width]
        return [plan.column for plan in plans if plan.can_fail]

    def refusal(self, names: Sequence[str]) -> str:
        """Why records with these columns cannot be decoded column-wise; empty if they can."""
        found = next((name for name in names if name in self.reasons), None)
        return self.reason or (f"{found}: {self.reasons[found]}" if found else "")

    def decode(
        self, window: Window, columns: Sequence[str], raw: Sequence[str] = (), *, is_full: bool = False
    ) -> Decoded:
        """Decode some columns of the records of a window, and take the bytes of the columns `raw`.

        The plan must have no `refusal` of the columns. `is_full`: times as text with all digits, whole numbers as
        integers.
        """
        try:
            made = self._read(window, is_full=is_full)
            inside = {name: self._inside[name] for name in columns if name in self._inside}
            made.gather((*(name for name in columns if name not in inside), *raw, *(one.id for one in inside.values())))
            found = [self._column(made, name, inside, is_full) for name in columns]
            bytes_ = {name: made.raw(name) for name in raw if self.spec.layout[name].width is not None}
            rest = {name: made.rest(name) for name in raw if name not in bytes_}
        except _LEFT:
            return self._nothing(window, columns, raw)
        return Decoded(found, made.records.bad, bytes_, rest, self._unread(made))

    def _unread(self, made: Columns) -> Int64s:
        if self.spec.with_instances:
            return np.zeros(made.root.count, np.int64)
        return np.where(made.records.bad, 0, unread_bytes(made.root))

    def _read(self, window: Window, *, is_full: bool) -> Columns:
        """Read the fields of the records. Raises UnfitError if all records are left to the parser."""
        starts, lengths = window.starts, window.lengths
        is_inside = starts + lengths <= len(window.data)
        if not is_inside.any():
            raise UnfitError("the window has no record")
        if not is_inside.all():
            sound = int(is_inside.argmax())
            starts, lengths = np.where(is_inside, starts, starts[sound]), np.where(is_inside, lengths, lengths[sound])
        reading = Reading(self.spec.layouts, window.data)
        root = reading.read(self.spec.layout, self._arguments, starts, lengths)
        root.records.bad |= ~is_inside
        return Columns(self._plans, reading, root, is_full=is_full)

    def _column(self, made: Columns, name: str, inside: dict[str, Field], is_full: bool) -> pa.Array:
        type_ = self.types[name]
        if name == KIND and self.spec.has_kind:
            return made.kinds()
        if name == PARENT:
            return to_batch([{PARENT: self.parent}], pa.schema([(PARENT, type_)]))[0].take(
                pa.array([0] * made.root.count)
            )
        if name in inside:
            return made.part(name, inside[name], type_)
        return made.column(name, None if is_full and not pa.types.is_nested(type_) else type_)

    def _nothing(self, window: Window, columns: Sequence[str], raw: Sequence[str]) -> Decoded:
        count, layout = len(window), self.spec.layout
        nulls = [pa.nulls(count, self.types[name]) for name in columns]
        zeros = {name: np.zeros((count, layout[name].width or 0), np.uint8) for name in raw if layout[name].width}
        rest = dict.fromkeys((name for name in raw if name not in zeros), (window.starts, 0 * window.starts))
        return Decoded(nulls, np.ones(count, np.bool_), zeros, rest, np.zeros(count, np.int64))

    # -- filters ------------------------------------------------------------------------------

    def deciding(self, filters: Sequence[Filter]) -> list[Filter]:
        """The filters that can exclude a record before its other columns are decoded."""
        return [
            entry
            for entry in filters
            if entry.rejects_null and entry.column in self.types and entry.fits(self.types[entry.column])
        ]

    def decode_matching(
        self, window: Window, columns: Sequence[str], filters: Sequence[Filter]
    ) -> tuple[Int64s, Decoded]:
        """Decode the records that may fulfil `deciding` filters or are irregular: their numbers, and their columns."""
        names = list(dict.fromkeys(entry.column for entry in filters))
        first = self.decode(window, names)
        unread = first.unread.copy()
        found = dict(zip(names, first.arrays, strict=True))
        irregular = first.irregular
        numbers = np.flatnonzero(irregular | mask(found, filters))
        if len(numbers) < len(window):
            # Always, because leaving out records never takes longer than decoding them.
            window = some_of(window, numbers)
            found = {name: array.take(pa.array(numbers)) for name, array in found.items()}
            irregular = irregular[numbers]
        others = [name for name in columns if name not in found]
        second = self.decode(window, others)
        found |= zip(others, second.arrays, strict=True)
        unread[numbers[second.irregular]] = 0
        return numbers, Decoded([found[name] for name in columns], irregular | second.irregular, {}, {}, unread)

    # -- lines --------------------------------------------------------------------------------

    def lines(self, window: Window, wanted: Sequence[str], also: Mapping[str, pa.Array]) -> Decoded:
        """The records of a window as one column of JSON lines, with the fields `wanted`, or all fields if empty.

        `also` has more members by name, as JSON; they stand behind the fields.
        """
        try:
            made = self._read(window, is_full=True)
            has_kind = self.spec.has_kind
            same = {PARENT: json_text(to_json(self.parent))}
            lines = (
                chosen_texts(made, wanted, same, has_kind=has_kind) if wanted else object_texts(made, has_kind=has_kind)
            )
        except _LEFT:
            nothing = self._nothing(window, (), ())
            return replace(nothing, arrays=[pa.nulls(len(window), schemas.TEXT)])
        parts: list[json_texts.Part] = [pc.utf8_slice_codeunits(lines, 0, -1)] if also else [lines]
        for name, values in also.items():
            parts += [f", {json.dumps(name)}: ", values, "}"]
        lines = json_texts.joined([*parts, "\n"], len(window))
        return Decoded([lines], made.records.bad, {}, {}, self._unread(made))


def some_of(window: Window, numbers: Int64s) -> Window:
    """Some records of a window by their numbers; `first_index` does not apply to the result."""
    if len(numbers) == len(window):
        return window
    starts, lengths, offsets = window.starts[numbers], window.lengths[numbers], window.offsets[numbers]
    return replace(window, starts=starts, lengths=lengths, offsets=offsets)
