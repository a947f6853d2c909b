"""Metadata columns: `_corrupt_record`, `_corrupt_fields` (both null) and `_metadata` of good records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lmparse.columnar import schemas
from lmparse.framing.windows import Window
from lmparse.records.files import RecordFile


class Origin:
    """Makes the metadata columns for records of one file."""

    def __init__(self, file: RecordFile) -> None:
        self._texts = (file.path, file.spec.id, file.spec.layout.sha256)
        self._held: dict[Any, pa.Array] = {}

    def column(self, entry: pa.Field, window: Window, numbers: Any = None) -> pa.Array:
        """A metadata column for the records of a window, or for those with some numbers."""
        which = slice(None) if numbers is None else numbers
        offsets, lengths = window.offsets[which], window.lengths[which]
        if entry.name != "_metadata":
            return self._same(None, entry.type, len(offsets))
        index = np.arange(window.first_index, window.first_index + len(window))[which]
        made = self.metadata(index, offsets, lengths)
        return made if entry.type == schemas.METADATA else made.cast(entry.type)

    def metadata(self, index: Any, offsets: Any, lengths: Any) -> pa.Array:
        """The column `_metadata`, from the number, offset and length of each record."""
        path, spec, sha256 = (self._same(text, schemas.TEXT, len(index)) for text in self._texts)
        numbers = (pa.array(values, pa.int64()) for values in (index, offsets, lengths))
        return pa.StructArray.from_arrays([path, *numbers, spec, sha256], fields=list(schemas.METADATA))

    def _same(self, value: str | None, type_: pa.DataType, count: int) -> pa.Array:
        """One value in every row. Batches share the array: all have the same value, and most the same length."""
        held = self._held.get((value, type_))
        if held is None or len(held) < count:
            held = pa.nulls(count, type_) if value is None else pa.repeat(pa.scalar(value, type_), count)
            self._held[value, type_] = held
        return held.slice(0, count)
