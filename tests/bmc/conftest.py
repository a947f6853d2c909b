"""Extracts of one log, for tests that read several."""

from __future__ import annotations

from pathlib import Path

import pytest
from bmc.written_extracts import Extracts


@pytest.fixture
def extracts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Extracts:
    return Extracts(tmp_path, capsys)
