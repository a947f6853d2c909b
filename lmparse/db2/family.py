"""The family of Db2 LUW log records: how its files are recognised and read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.descriptions import TableDescriptions
from lmparse.changes.family import ChangeReader, Family
from lmparse.changes.transaction_summary import TransactionSummary
from lmparse.db2.log import Db2Log, open_log
from lmparse.db2.record import log_record
from lmparse.db2.transactions.descriptions import describe
from lmparse.db2.transactions.seq import SEQ_FORM
from lmparse.errors import DataError
from lmparse.options import Options
from lmparse.records.file_dissection import FileDissector
from lmparse.storage.joined import Joined
from lmparse.storage.processes import Run

if TYPE_CHECKING:
    import pyarrow as pa

    from lmparse.columnar.filters import Filter


def _change_reader(log: Db2Log, schema: pa.Schema | None, filters: Sequence[Filter]) -> ChangeReader | None:
    from lmparse.changes.column_reader import text_refusal
    from lmparse.db2.change_columns import LuwChangeColumns

    return None if text_refusal(schema) else LuwChangeColumns(log, schema)


def _join(
    paths: Sequence[str],
    options: Options,
    run: Run | None,
    checkpoint: Checkpoint | None,
    faults: list[DataError] | None,
) -> Sequence[Joined]:
    from lmparse.db2.files.joining import join

    found = join(paths, options, run, checkpoint, faults)
    return [found] if found.pieces else []


def _checkpoint(log: Db2Log) -> Checkpoint:
    from lmparse.db2.files.resuming import checkpoint_of

    return checkpoint_of(log, log.resumed)


def _describe(log: Db2Log) -> TableDescriptions:
    return describe(log.transactions)


def _transactions(log: Db2Log) -> Iterator[TransactionSummary]:
    from lmparse.db2.summaries import transaction_summaries

    return transaction_summaries(log)


def _dissector(log: Db2Log) -> FileDissector:
    from lmparse.db2.dissection import Db2LogDissector

    return Db2LogDissector(log)


FAMILY = Family(
    name="db2",
    title="Db2 for Linux, UNIX and Windows: log records",
    files="log records of Db2 LUW",
    spec=log_record.SPEC,
    open_log=open_log,
    detections=lambda: {log_record.SPEC: log_record.detection()},
    column_docs=Db2Log.column_docs,
    seq_form=SEQ_FORM,
    commit_zone="UTC",
    description_endings=(".yaml", ".yml"),
    options=frozenset({"tables", "generation", "byte_order", "decisions"}),
    decisions=frozenset({"lob_columns_from"}),
    join=_join,
    checkpoint=_checkpoint,
    change_reader=_change_reader,
    describe=_describe,
    transactions=_transactions,
    dissector=_dissector,
)
