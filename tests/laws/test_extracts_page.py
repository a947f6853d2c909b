"""What docs/extracts.md must say beside its examples, which tests/laws/test_guide_pages.py runs."""

from __future__ import annotations

from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "extracts.md"


@pytest.mark.parametrize("name", ["completionMarker", "settledSeconds", "maxFilesPerTrigger"])
def test_options_of_streams_are_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE.read_text("utf-8")
