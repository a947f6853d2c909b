"""Column-wise reading of joined extracts: each is read by itself, one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from lmparse.bmc import change_columns
from lmparse.bmc.change_columns import ChangeColumns
from lmparse.bmc.extracts.joined_log import JoinedLog
from lmparse.changes.log import ChangeLog
from lmparse.changes.version_batches import VersionBatch
from lmparse.columnar.filters import Filter
from lmparse.framing.extents import Span


class JoinedColumns:
    """Reads the changes of all extracts of a log."""

    def __init__(self, log: JoinedLog, schema: pa.Schema | None, filters: Sequence[Filter]) -> None:
        self._log, self._schema, self._filters = log, schema, filters

    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        """The changes, some thousand at a time. Raises as `ChangeLog.typed_changes` does."""
        for log in self._log.extracts():
            yield from ChangeColumns(log, self._schema, self._filters).read(span)


def reader(log: ChangeLog, schema: pa.Schema | None, filters: Sequence[Filter]) -> JoinedColumns | None:
    """The reader of joined extracts; None if their changes are read one by one, as they are in the order of commits."""
    assert isinstance(log, JoinedLog)
    if log.options.order == "commit" or any(change_columns.refusal(one, schema) for one in log.extracts()):
        return None
    return JoinedColumns(log, schema, filters)
