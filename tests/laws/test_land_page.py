"""The numbers that docs/land.md states."""

from __future__ import annotations

from lmparse.export import landing
from lmparse.export.landing_current import CHUNK_ROWS, MOST_CHUNKS


def test_numbers_of_the_page() -> None:
    assert CHUNK_ROWS // 1000 == 65
    assert CHUNK_ROWS * MOST_CHUNKS > 500_000
    assert "parquet" in landing.FORMS
