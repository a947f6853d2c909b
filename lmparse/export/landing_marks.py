"""Landing marks: from where on rows of the current tables of a target cannot be proven.

A current table is marked for changes that it has not got and that may be of it, unless it was emptied behind them, and
for bad records. Marks stay in the state of the target; what empties a table ends those in front of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from lmparse.export.landing_clues import Clues, LeftOut
from lmparse.export.landing_table import OTHER, LandedTable, note
from lmparse.export.landing_target import LandingTarget

_UNVERSIONED = "changes are without a table version, and so in changes/other"
_APART = "changes are in another table that may be this one, since not all ids of both are known (no DTBI record)"


def mark_left_out(target: LandingTarget, found: Clues, landed: Clues) -> None:
    """Mark the current tables that have not got what was left out, or what others got that were `landed` in, of those
    that may be the same one; not if they were emptied behind it.

    One that a later run makes lacks nothing of what was not merged in front of that.
    """
    for table in target.tables.values():
        if table.has_current and table.ids != OTHER:
            _mark_unread(table, found)
            _mark_lacking(table, landed.of_others(table.clue), _APART)
        elif table.marks:
            own, end = found.own(table.clue), target.left_out.own(table.clue).end
            if landed.own(table.clue).last < end and end in (own.emptied, own.created):
                table.marks.clear()


def mark_all(target: LandingTarget, seq: str, reason: str) -> None:
    """Mark all current tables, of this run and of later ones: a bad record has neither a table nor a position."""
    note(target.marks, seq, reason)
    for table in target.tables.values():
        if table.has_current:
            table.mark(seq, reason)


def begin_current(target: LandingTarget, table: LandedTable, key: list[str], first: str, *, has_rows: bool) -> bool:
    """Take note of the key of a current table, which is empty if its changes need none.

    One that had no key so far lacks what was left out, and has the marks of all; one that is new lacks what is in
    another table that may be the same one. `first` is the first `seq` of the changes that it gets: unless it
    `has_rows`, it is as if what emptied the table in front of that were merged.

    Returns whether a run that goes on behind this one, if it is killed, must know that: it finds rows.
    """
    is_new = not table.has_current
    if table.key is not None:
        table.key = key or table.key
        return False
    own = target.left_out.own(table.clue) | LeftOut(dropped=table.dropped or "")
    if not has_rows and table.emptied < own.end < first:
        table.emptied = own.end
    if own.dropped == own.last > table.emptied:
        table.dropped = own.dropped
    elif (table.dropped or "") < table.emptied:
        table.dropped = None
    if key:
        table.key = key
    if key or has_rows:
        _mark_unread(table, target.left_out)
        for mark in target.marks:
            table.mark(**mark)
        if is_new and target.has_another(table):
            table.mark(first, _APART)
    return bool(own.last)


def _mark_unread(table: LandedTable, found: Clues) -> None:
    """Mark a table that has not got what was left out, unless it was emptied behind it.

    A creation alone matters to a table that was dropped: its rows are not those of the new one.
    """
    known = found.of(table.clue)
    created = [one.created for one in known if table.dropped is not None and one.created > table.dropped]
    _mark_lacking(table, [*known, *(LeftOut(seq, seq) for seq in created)], _UNVERSIONED)


def _mark_lacking(table: LandedTable, found: Iterable[LeftOut], reason: str) -> None:
    """Mark a table that has not got some changes, unless it was emptied behind them."""
    if lacking := [max(one.first, table.emptied) for one in found if one.last > table.emptied]:
        table.mark(min(lacking), reason)
