"""An independent reader of the transactions of Db2 LUW logs, record by record, by the rules of docs/db2-luw.md.

It takes parsed records and decides by itself what becomes of each change, in lists and dictionaries, without limits or
speed. `random_logs.db2_transactions` compares lmparse with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from lmparse.db2.log import Db2Log
from lmparse.errors import FramingError
from oracle.records import Change, Record, header
from oracle.transactions import Transaction, join_moved, take_back, transactions_of
from oracle.values import doubtful, give_pieces, go_on


class Oracle:
    """What became of everything in a log."""

    def __init__(self, log: Db2Log) -> None:
        self.byte_order: Any = log.byte_order
        self._unread, records = list[int](), list[Record]()
        with suppress(FramingError):  # what is behind it is no record
            records += map(Record, log.log_records(lambda extent, _: self._unread.append(extent.index)))
        self._unread += [record.index for record in records if record.role == "bad"]
        self.transactions, self.doubtful = transactions_of(records), set[Change]()
        for one in self.transactions:
            take_back(one, has_addresses=any(record.address for record in records))
            join_moved(one, self.byte_order)
            give_pieces(one)
            self.doubtful |= doubtful(one, self._unread)
        go_on(self.transactions)

    def changes(self) -> Iterator[tuple[Transaction, Change]]:
        """All changes that are shown."""
        return ((one, change) for one in self.transactions for change in one.changes if change.whole is None)

    def is_row(self, change: Change) -> bool:
        """Whether it may be one of a row of the table: not of what is internal to its pages."""
        headers = [header(image, self.byte_order) for image in (change.before, change.after) if image is not None]
        return change.other is not None or not headers or not {"", "row", "moved"}.isdisjoint(headers)

    def summaries(self) -> Iterator[dict[str, Any]]:
        """The transactions as `lmparse txn --json` has them, with the ids of tables. An end behind an end is none."""
        ended = sorted((one for one in self.transactions if one.state != "open"), key=lambda one: one.end)
        for one in [*ended, *(one for one in self.transactions if one.state == "open")]:
            first, last = one.records[0], one.records[-1]
            if first.role in ("commit", "abort") and first.previous and not one.is_incomplete:
                continue
            is_doubtful = any((0 if first.previous else first.index) <= bad < last.index for bad in self._unread)
            counts = {False: Counter[Any](), True: Counter[Any]()}
            for change in one.changes:
                if change.whole is None and self.is_row(change):
                    counts[change.is_undone][change.record.table, "U" if change.other else change.op] += 1
            yield {
                "txn_id": one.txn_id, "disposition": one.state, "records": len(one.records),
                "complete": one.state != "open" and not one.is_incomplete and (first.role == "load" or not is_doubtful),
                "bytes": sum(record.raw.extent.length for record in one.records), "first_record_index": first.index,
                "last_record_index": last.index, "tables": counts[False], "compensated": counts[True],
            }  # fmt: skip
