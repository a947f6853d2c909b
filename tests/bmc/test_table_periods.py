"""Which version of a table is in force: as by looking at all of them."""

from __future__ import annotations

from amounts import examples
from hypothesis import given
from hypothesis import strategies as st

from lmparse.bmc.table_periods import TablePeriods
from lmparse.bmc.tables import TableVersion

POSITIONS = st.integers(0, 9).map(lambda number: bytes([number]))


@examples(300, 3000)
@given(st.lists(st.tuples(POSITIONS, POSITIONS), max_size=7))
def test_periods_are_those_of_a_search_through_all_versions(spans: list[tuple[bytes, bytes]]) -> None:
    versions = [TableVersion("DB2P", 1, 2, 3, place, (), *span) for place, span in enumerate(spans)]
    periods = TablePeriods(versions)
    for number in range(11):
        position = bytes([number])
        holding = [version for version in versions if version.holds_at(position)]
        newest = max((version.create_rba for version in holding), default=b"")
        assert periods.at(position) == tuple(version for version in holding if version.create_rba == newest)
