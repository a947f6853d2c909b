"""The family of Log Master's logical logs: how its files are recognised and read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lmparse.bmc.control import control_file
from lmparse.bmc.control.find_control import ControlSearch, is_control
from lmparse.bmc.log.interpretation import LogSettings
from lmparse.bmc.log.log import LogicalLog, open_logical_log
from lmparse.bmc.log.seq import SEQ_FORM
from lmparse.bmc.record import change_record
from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.descriptions import TableDescriptions
from lmparse.changes.family import ChangeReader, ControlFiles, Family
from lmparse.changes.log import ChangeLog
from lmparse.changes.transaction_summary import TransactionSummary
from lmparse.errors import DataError, OptionError, not_installed
from lmparse.framing.detection import Detection
from lmparse.options import Options
from lmparse.records.file_dissection import FileDissector
from lmparse.records.files import OnError
from lmparse.records.settings import FileSettings
from lmparse.storage.joined import Joined, is_joined
from lmparse.storage.processes import Run

if TYPE_CHECKING:
    import pyarrow as pa

    from lmparse.columnar.filters import Filter
    from lmparse.columnar.record_plan import RecordPlan


def _detections() -> dict[str, Detection]:
    return {control_file.SPEC: control_file.detection(), change_record.SPEC: change_record.detection()}


def _open_log(
    path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None
) -> ChangeLog:
    """A log, or the log of joined extracts; with the settings of an extract, this extract."""
    own = None if settings is None else settings.own
    is_one = isinstance(own, LogSettings) and own.extract is not None
    if is_one or not is_joined(str(path)):
        return open_logical_log(path, options, settings=settings, on_error=on_error)
    from lmparse.bmc.extracts.joined_log import JoinedLog

    return JoinedLog(path, options, on_error=on_error)


def _join(
    paths: Sequence[str], options: Options, _: Run | None, checkpoint: Checkpoint | None, faults: list[DataError] | None
) -> Sequence[Joined]:
    from lmparse.bmc.extracts.joined_log import logs_of

    if checkpoint is not None:
        checkpoint.check(options.bounds)
        paths = [*paths, *(one.path for one in checkpoint.needed)]
    return logs_of(paths, options, faults)


def _checkpoint(log: ChangeLog) -> Checkpoint:
    from lmparse.bmc.extracts.checkpoint import checkpoint_of
    from lmparse.bmc.extracts.joined_log import JoinedLog, join_extracts

    if isinstance(log, JoinedLog):
        joined = log.joined
    else:
        assert isinstance(log, LogicalLog)
        if log.control is None:
            raise OptionError("a checkpoint needs the control file", hint="give control")
        joined = join_extracts([(log.path, log.control.path)], log.options, log.run, log.resumed)
    return checkpoint_of([(one.heads, one.settings.outcomes) for one in joined], log.options, log.resumed)


def _record_plan(log: ChangeLog) -> RecordPlan:
    from lmparse.bmc.columns.header_columns import HeaderPlan

    assert isinstance(log, LogicalLog)
    return HeaderPlan(log.header, log.code_page)


def _describe(log: ChangeLog) -> TableDescriptions:
    from lmparse.bmc.control.table_descriptions import describe

    return describe(_extracts(log))


def _change_reader(log: ChangeLog, schema: pa.Schema | None, filters: Sequence[Filter]) -> ChangeReader | None:
    from lmparse.bmc.columns import change_columns
    from lmparse.bmc.extracts import joined_log

    if not isinstance(log, LogicalLog):
        return joined_log.change_reader(log, schema, filters)
    if change_columns.refusal(log, schema):
        return None
    reader = change_columns.CommitColumns if log.options.order == "commit" else change_columns.ChangeColumns
    return reader(log, schema, filters)


def _extracts(log: ChangeLog) -> list[LogicalLog]:
    """The extracts that a log consists of, in their order."""
    if isinstance(log, LogicalLog):
        return [log]
    from lmparse.bmc.extracts.joined_log import JoinedLog  # needs Arrow, which one extract does not

    assert isinstance(log, JoinedLog)
    return list(log.extracts())


def _transactions(log: ChangeLog) -> Iterator[TransactionSummary]:
    try:
        from lmparse.bmc.units import unit_summaries
    except ImportError as error:
        raise not_installed(error) from None
    return unit_summaries(log, _extracts(log))


def _dissector(log: ChangeLog) -> FileDissector:
    from lmparse.bmc.dissection import LogicalLogDissector

    assert isinstance(log, LogicalLog)
    return LogicalLogDissector(log)


FAMILY = Family(
    name="bmc",
    title="BMC AMI Log Master for Db2: logical logs",
    files="a control file or a data file of a logical log",
    spec=change_record.SPEC,
    open_log=_open_log,
    detections=_detections,
    column_docs=LogicalLog.column_docs,
    seq_form=SEQ_FORM,
    options=frozenset({"control", "control_framing", "row_images", "decisions", "floats"}),
    decisions=frozenset({"null_bytes", "dec_length", "graphic_length"}),
    record_files=frozenset({"control"}),  # it may describe the header
    control=ControlFiles(is_control, ControlSearch),
    join=_join,
    checkpoint=_checkpoint,
    record_plan=_record_plan,
    change_reader=_change_reader,
    describe=_describe,
    transactions=_transactions,
    dissector=_dissector,
)
