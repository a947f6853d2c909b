"""Transactions of a log of any family, one summary each, by the engine that the options name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from lmparse.changes.log import ChangeLog
from lmparse.changes.transaction_summary import TransactionSummary, check_equal
from lmparse.errors import OptionError
from lmparse.framing.extents import RecordExtent
from lmparse.logs.families import check_changes
from lmparse.logs.open import opened_again


def transaction_summaries(log: ChangeLog) -> Iterator[TransactionSummary]:
    """The transactions of a log; with engine `check` from both engines, compared.

    Raises OptionError LMP-S003 for a family that cannot tell transactions apart, EngineDifferenceError where the
    engines differ, and FramingError where the file is damaged, behind the transactions before the damage.
    """
    family = check_changes(log.options)
    if family.transactions is None:
        raise OptionError(f"logs of {family.title} have no transactions that could be listed")
    found: Iterator[TransactionSummary] = family.transactions(log)
    if log.options.engine != "check":
        yield from (_placed(log, summary) for summary in found)
        return
    for place, (one, reference) in enumerate(zip_longest(found, family.transactions(opened_again(log)))):
        yield _placed(log, check_equal(one, reference, place))


def _placed(log: ChangeLog, summary: TransactionSummary) -> TransactionSummary:
    """A summary with the files of its first and last record, and the places of these in them."""
    first, last = (
        log.origin.metadata(RecordExtent(index, ((offset, 0),), None))
        for index, offset in (
            (summary.first_record_index, summary.first_record_offset),
            (summary.last_record_index, summary.last_record_offset),
        )
    )
    summary.first_file, summary.last_file = first["file"], last["file"]
    summary.first_record_index, summary.first_record_offset = first["record_index"], first["record_offset"]
    summary.last_record_index, summary.last_record_offset = last["record_index"], last["record_offset"]
    return summary
