"""Metadata columns: the columns behind the values of good records: nothing is corrupt, and where the rows come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lmparse.columnar import schemas
from lmparse.framing.windows import Window
from lmparse.records.files import RecordFile


class Origin:
    """Makes those columns for the records of one file."""

    def __init__(self, file: RecordFile) -> None:
        self._texts = (file.path, file.spec.id, file.spec.layout.sha256)
        self._held: dict[Any, pa.Array] = {}

    def column(self, entry: pa.Field, window: Window, numbers: Any = None) -> pa.Array:
        """One of them, for the records of a window or for some."""
        which = slice(None) if numbers is None else numbers
        offsets, lengths = window.offsets[which], window.lengths[which]
        if entry.name != "_metadata":
            return self._same(None, entry.type, len(offsets))
        index = np.arange(window.first_index, window.first_index + len(window))[which]
        made = self.metadata(index, offsets, lengths)
        return made if entry.type == schemas.METADATA else made.cast(entry.type)

    def metadata(self, index: Any, offsets: Any, lengths: Any) -> pa.Array:
        """Where records come from: the number, offset and length of each."""
        path, spec, sha256 = (self._same(text, schemas.TEXT, len(index)) for text in self._texts)
        numbers = (pa.array(values, pa.int64()) for values in (index, offsets, lengths))
        return pa.StructArray.from_arrays([path, *numbers, spec, sha256], fields=list(schemas.METADATA))

    def _same(self, value: str | None, type_: pa.DataType, count: int) -> pa.Array:
        """One value in every row. Batches share it: most have the same length, and all of them the value."""
        held = self._held.get((value, type_))
        if held is None or len(held) < count:
            held = pa.nulls(count, type_) if value is None else pa.repeat(pa.scalar(value, type_), count)
            self._held[value, type_] = held
        return held.slice(0, count)
