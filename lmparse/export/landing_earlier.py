"""Landing states of earlier versions: what they do not say of changes that no current table has got.

The changes are in the change tables, which are read once for it: then the state says it.
"""

from __future__ import annotations

from functools import reduce

from lmparse.export.landing_clues import COLUMNS, Clues, LeftOut, clues_in
from lmparse.export.landing_delta import DeltaFolder
from lmparse.export.landing_marks import mark_left_out
from lmparse.export.landing_table import OTHER, LandedTable
from lmparse.export.landing_target import LandingTarget, check_commits

_UNMERGED = "changes were landed when it had no current table"


def find_left_out(target: LandingTarget) -> None:
    """Find what changes without a table version did, and mark the tables that have not got it, or other changes.

    Raises OptionError LMP-S031 if a change table is not as it was left.
    """
    if OTHER in target.tables:
        target.left_out.add(_changes_of(target, target.tables[OTHER]))
    landed = Clues()
    for table in target.tables.values():
        is_unmerged = not table.has_current
        is_lacking = is_unmerged or target.left_out.of(table.clue) or target.has_another(table)
        if table.ids != OTHER and is_lacking:
            own = reduce(LeftOut.__or__, (found for _, found in _changes_of(target, table)), LeftOut())
            landed.add([(table.clue, own)])
            table.emptied = own.emptied
            if is_unmerged and own.changed > own.emptied:
                table.mark(max(own.first, own.emptied), _UNMERGED)
    mark_left_out(target, target.left_out, landed)


def _changes_of(target: LandingTarget, table: LandedTable) -> Clues:
    place = target.changes(table.folder)
    folder = DeltaFolder(place, table.full_name)
    check_commits(place, table.changes_commits, folder.commits)
    return clues_in(folder.batches(COLUMNS), "" if table.ids == OTHER else table.ids)
