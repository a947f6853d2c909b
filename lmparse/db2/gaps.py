"""Gaps of a Db2 LUW log: stretches in which rows of a table change without log records.

Gaps begin with NOT LOGGED INITIALLY, with propagation switched off, and with a load. Each is a change of its own, and
changes behind a lasting gap contain its reason.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lmparse.db2.order import Position
from lmparse.db2.record_kinds import ATTRIBUTE, INITIALIZE, LOAD, NOT_LOGGED, TRUNCATE
from lmparse.db2.tables import Ids
from lmparse.db2.transaction_index import ChangeReference, Transaction, TransactionIndex
from lmparse.spec import catalog

KINDS = frozenset((ATTRIBUTE, INITIALIZE, LOAD, NOT_LOGGED, TRUNCATE))
"""The kinds of changes that open gaps or close them."""
LASTING = (ATTRIBUTE, LOAD)
"""Those of gaps that last until the table is copied anew."""


class Gaps:
    """The lasting gaps, and messages about all gaps."""

    def __init__(self, transaction_index: TransactionIndex, inherited: Mapping[Ids, str]) -> None:
        """`inherited` are the reasons of gaps that begin in front of the records that are read."""
        self._index = transaction_index
        self._lasting: dict[Ids, deque[ChangeReference]] = {}
        """By table, in the order of the log."""
        self._inherited = dict(inherited)
        self._withdrawn: set[ChangeReference] = set()
        """Those whose transaction was not committed."""
        self._changed: set[Ids] = set()

    def open(self, transaction: Transaction, reference: ChangeReference, body: Any) -> None:
        """Add the gap that a change opens, if it opens one, to its transaction."""
        reason, lasts = gap_opened_by(reference.kind, body), reference.kind in LASTING
        if reason is None:
            return
        until = "the table is copied anew" if lasts else "the transaction commits"
        gap = replace(reference, op="S", notice={"gap": reason, "rows_missing_until": until}, pieces=(), gap=None)
        transaction.changes.append(gap)
        if lasts and reference.ids is not None:
            self._changed.add(reference.ids)
            self._lasting.setdefault(reference.ids, deque()).append(gap)

    def reason(self, ids: Ids | None) -> str | None:
        """Why rows of a table may be missing at this place of the log."""
        gaps = self._lasting.get(ids) if ids is not None else None
        while gaps:
            if not gaps[-1].is_undone and gaps[-1] not in self._withdrawn:
                return str((gaps[-1].notice or {})["gap"])
            self._withdrawn.discard(gaps.pop())
        return None if ids is None else self._inherited.get(ids)

    def changed(self) -> set[Ids]:
        """Tables whose gaps have been opened or closed since the last call."""
        found, self._changed = self._changed, set()
        return found

    def forget(self, ids: Ids) -> None:
        """A table that is described anew has no gap."""
        self._changed.add(ids)
        self._lasting.pop(ids, None)
        self._inherited.pop(ids, None)

    def settle(self, reference: ChangeReference, commit: Position, *, is_done: bool) -> None:
        """Open or close gaps by a change whose transaction has ended, with a commit at a position."""
        if reference.op == "S" and is_done:
            self._report(reference, commit)
        if reference.ids is None:
            return
        if reference.kind == TRUNCATE and is_done and reference.ids in self._inherited:
            del self._inherited[reference.ids]
            self._changed.add(reference.ids)
        gaps = self._lasting.get(reference.ids)
        if gaps:
            self._changed.add(reference.ids)
        if gaps and reference.kind == TRUNCATE and is_done:
            # A truncated table is complete again; gaps behind the truncate remain.
            while gaps and gaps[0].extent.index <= reference.extent.index:
                self._withdrawn.discard(gaps.popleft())
        elif gaps and reference.kind == ATTRIBUTE and reference.notice is not None and not is_done:
            self._withdrawn.add(reference)

    def _report(self, reference: ChangeReference, commit: Position) -> None:
        ids = "unknown" if reference.ids is None else f"{reference.ids[0]}.{reference.ids[1]}"
        notice = reference.notice or {}
        why = f"{notice.get('gap')}, until {notice.get('rows_missing_until')}"
        self._index.gaps.append((reference.extent, f"rows missing from here: table {ids}", why, commit))


def gap_opened_by(kind: str, body: Any) -> str | None:
    """Why rows are missing behind a record; None if it opens no gap."""
    if kind == INITIALIZE and body.is_not_logged_initially:
        return "the table was created NOT LOGGED INITIALLY"
    if kind == ATTRIBUTE:
        propagation = catalog.load("db2_dms").enum("table_attribute")["propagation"]
        is_off = body.attribute_mask & ~body.attribute_values & propagation
        return "propagation was switched off" if is_off else None
    return {NOT_LOGGED: "NOT LOGGED INITIALLY was activated", LOAD: "a load began"}.get(kind)
