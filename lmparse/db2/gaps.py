"""Gaps of a Db2 LUW log: stretches in which rows of a table change without a record of it.

A table NOT LOGGED INITIALLY, propagation that is switched off and a load open one. Each is a change of
its own that says so, and changes behind one that lasts carry its reason.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lmparse.db2.record_kinds import ATTRIBUTE, INITIALIZE, LOAD, NOT_LOGGED, TRUNCATE
from lmparse.db2.tables import Ids
from lmparse.db2.transaction_index import Entry, TransactionIndex, Unit
from lmparse.spec import catalog

_COMMIT, _COPY = "the transaction commits", "the table is copied anew"


class Gaps:
    """The gaps that last, and words about all of them."""

    def __init__(self, ledger: TransactionIndex) -> None:
        self._ledger = ledger
        self._lasting: dict[Ids, list[Entry]] = {}
        """By table, the latest last."""

    def open(self, unit: Unit, entry: Entry, body: Any) -> None:
        """Add to a unit the gap that a change of its opens, if it does."""
        if entry.kind == INITIALIZE and body.is_not_logged_initially:
            self._add(unit, entry, "the table was created NOT LOGGED INITIALLY", _COMMIT)
        elif entry.kind == NOT_LOGGED:
            self._add(unit, entry, "NOT LOGGED INITIALLY was activated", _COMMIT)
        elif entry.kind == ATTRIBUTE and body.attribute_mask & ~body.attribute_values & _propagation():
            self._add(unit, entry, "propagation was switched off", _COPY, lasts=True)
        elif entry.kind == LOAD:
            self._add(unit, entry, "a load began", _COPY, lasts=True)

    def _add(self, unit: Unit, entry: Entry, reason: str, until: str, *, lasts: bool = False) -> None:
        gap = replace(entry, op="S", notice={"gap": reason, "rows_missing_until": until}, pieces=(), gap=None)
        unit.entries.append(gap)
        if lasts and entry.ids is not None:
            self._lasting.setdefault(entry.ids, []).append(gap)

    def reason(self, ids: Ids | None) -> str | None:
        """Why rows of a table may be missing at this place of the log."""
        gaps = self._lasting.get(ids, []) if ids is not None else []
        return next((str((gap.notice or {})["gap"]) for gap in reversed(gaps) if not gap.is_undone), None)

    def forget(self, ids: Ids) -> None:
        """A table that is described anew begins without one."""
        self._lasting.pop(ids, None)

    def settle(self, entry: Entry, *, is_done: bool) -> None:
        """What a change of a unit that has ended means for gaps: whether it opened or closed one after all."""
        if entry.op == "S" and is_done:
            self._say(entry)
        if entry.ids is None:
            return
        gaps = self._lasting.get(entry.ids, [])
        if entry.kind == TRUNCATE and is_done:
            # An empty table is known again; what came behind the truncate is not.
            self._lasting[entry.ids] = [gap for gap in gaps if gap.extent.index > entry.extent.index]
        elif entry.kind == ATTRIBUTE and not is_done:
            self._lasting[entry.ids] = [gap for gap in gaps if gap is not entry]

    def _say(self, entry: Entry) -> None:
        ids = "unknown" if entry.ids is None else f"{entry.ids[0]}.{entry.ids[1]}"
        notice = entry.notice or {}
        self._ledger.gaps.append(
            f"rows missing from here: table {ids}, record {entry.extent.index} at {entry.extent.offset:#x}: "
            f"{notice.get('gap')}, until {notice.get('rows_missing_until')}"
        )


def _propagation() -> int:
    return catalog.load("db2_dms").enum("table_attribute")["propagation"]
