"""What the tests of the build step share: a formats folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from spec.build_step import SOUND


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A formats folder with one sound spec."""
    folder = tmp_path / "formats"
    (folder / "acme").mkdir(parents=True)
    (folder / "acme" / "acme_reading.ksy").write_text(SOUND)
    return folder
