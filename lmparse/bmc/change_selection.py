"""Which of many records are asked for, as far as their headers say; what the options keep out is counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lmparse.bmc.change_headers import HEADER_COLUMNS, ChangeHeaders, HeaderRows, each
from lmparse.bmc.log import LogicalLog
from lmparse.changes.column_reader import TABLE_NAMES, LeftOut
from lmparse.changes.ranges import OUTSIDE
from lmparse.columnar import schemas
from lmparse.columnar.filters import Filter, mask
from lmparse.values.byte_arrays import Flags


class ChangeSelection:
    """Selects changes of one log by its options and by filters, whose columns are in a schema or in any."""

    def __init__(
        self, log: LogicalLog, headers: ChangeHeaders, schema: pa.Schema | None, filters: Sequence[Filter]
    ) -> None:
        self._log, self._headers = log, headers
        self._filters = [entry for entry in filters if self._is_deciding(entry, schema)]

    def select(self, found: HeaderRows, left_out: list[LeftOut]) -> HeaderRows:
        """The records that are asked for; adds why others are left out, and their numbers."""
        found = found.part(self._are_wanted(found, left_out))
        # As long as images can be read in several ways, any of them may tell these apart for those behind it.
        if self._filters and len(self._log.interpretation.image_candidates) == 1:
            for entry in self._filters:
                if len(found.numbers):
                    found = found.part(self._fulfil(entry, found))
        return found

    def _are_wanted(self, found: HeaderRows, left_out: list[LeftOut]) -> Flags:
        options, numbers, headers = self._log.options, found.numbers, self._headers
        wanted: Flags = each([entry.is_wanted for entry in headers.known], found.known)
        if options.operations:
            wanted &= each([op in options.operations for op in headers.operations], found.operations)
        if options.table_version is not None:
            sequences = [entry.version.sequence if entry.version else None for entry in headers.known]
            is_it = each([sequence == options.table_version for sequence in sequences], found.known)
            left_out.append(("of other table versions", numbers[wanted & ~is_it]))
            wanted &= is_it
        if "all" not in options.include:
            states = headers.states_of(found)
            for number, word in enumerate(headers.states):
                if word not in options.include:
                    left_out.append((word, numbers[wanted & (states == number)]))
            wanted &= each([word in options.include for word in headers.states], states)
        if self._log.range.has_seq or self._log.range.has_time:
            places = np.flatnonzero(wanted)
            inside = self._are_inside(found.part(wanted))
            left_out.append((OUTSIDE, numbers[places[~inside]]))
            wanted[places] = inside
        return wanted

    def _are_inside(self, found: HeaderRows) -> Flags:
        """Which records are inside the range that is asked for."""
        asked = self._log.range
        columns: dict[str, pa.Array] = {}
        if asked.has_seq:
            columns["seq"] = self._headers.column("seq", found)
        if asked.has_time:
            columns["commit_ts"] = self._headers.column("commit_ts", found).cast(pa.int64())
        return mask(columns, [Filter(*bound) for bound in asked.bounds])

    def _is_deciding(self, entry: Filter, schema: pa.Schema | None) -> bool:
        """Whether a filter can rule out changes by their headers."""
        type_ = HEADER_COLUMNS.get(entry.column)
        if type_ is None or not entry.rejects_null or not entry.fits(type_):
            return False
        # The first that is bad ends the reading, whether it is asked for or not.
        if self._log.options.mode == "failfast":
            return False
        return schema is None or (entry.column in schema.names and schema.field(entry.column).type == type_)

    def _fulfil(self, entry: Filter, found: HeaderRows) -> Flags:
        name, headers = entry.column, self._headers
        if name == "op":
            words = pa.array([op or None for op in headers.operations], schemas.TEXT)
            return each(mask({name: words}, [entry]).tolist(), found.operations)
        if name in TABLE_NAMES:
            names = [known.names.get(name, "") for known in headers.known]
            is_it = mask({name: pa.array(names, schemas.TEXT)}, [entry]).tolist()
            # What is of no version gets its names, or its fault, where it is read by itself.
            return each([it or not known.version for it, known in zip(is_it, headers.known, strict=True)], found.known)
        return mask({name: headers.column(name, found)}, [entry])
