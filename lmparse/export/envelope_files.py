"""Envelope files: rows of flat changes are put into the envelope that options name when they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from lmparse.changes.envelopes import Enveloper
from lmparse.changes.log import ChangeLog
from lmparse.errors import OptionError
from lmparse.export.writers import BatchOutput
from lmparse.logs import envelopes

_FLAT = "flat"
_File = tuple[str | None, str]


def check(log: ChangeLog, form: str) -> None:
    """Raise OptionError for an envelope that files of a form, or the table versions of a log, do not have."""
    options = log.options
    if options.envelope == _FLAT:
        return
    if form == "jsonl":
        raise OptionError(
            f"envelope {options.envelope} is not written as jsonl",
            hint=f"lmparse changes --envelope {options.envelope} prints such lines",
        )
    versions = log.all_versions() if options.table is None else log.table_versions()
    envelopes.check_versions(options, versions)
    if options.envelope == "debezium":
        envelopes.note_zone(log)


class EnvelopeFiles:
    """The files of one conversion, by table version; files of flat changes are left as they are."""

    def __init__(self, log: ChangeLog) -> None:
        self._log = log
        self._makers: dict[_File, _Enveloping] = {}

    def schema(self, flat: pa.Schema) -> pa.Schema:
        """The columns of a file of changes that have some columns before."""
        return flat if self._log.options.envelope == _FLAT else self._maker(flat).schema

    def _maker(self, flat: pa.Schema) -> Enveloper:
        return envelopes.enveloper(self._log.options, flat.field("before").type)

    @contextmanager
    def into(self, output: BatchOutput, identity: str | None, flat: pa.Schema) -> Iterator[BatchOutput]:
        """What takes flat changes of one table version, and writes them in their envelope."""
        if self._log.options.envelope == _FLAT:
            yield output
            return
        made = _Enveloping(self._maker(flat), output)
        self._makers[identity, str(flat)] = made  # a file that is written again replaces the first
        yield made

    def rows(self, identity: str | None, flat: pa.Schema, changes: int) -> int:
        """Number of rows in the file of a table version that has so many changes."""
        made = self._makers.get((identity, str(flat)))
        return changes if made is None else made.rows

    @property
    def left_out(self) -> Counter[str]:
        """Number of changes that the envelope has no form for, by reason."""
        return sum((made.maker.left_out for made in self._makers.values()), Counter[str]())


class _Enveloping:
    """Puts the flat changes of one table version into their envelope."""

    def __init__(self, maker: Enveloper, output: BatchOutput) -> None:
        self.maker, self._output = maker, output
        self.rows = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some changes."""
        made = self.maker.rows(batch)
        self.rows += made.num_rows
        self._output.write(made)
