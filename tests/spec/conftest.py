"""What the tests of the build step share: a formats folder, and a compiler that is started once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from spec.build_step import SOUND

from lmparse.spec.build import compiler


@pytest.fixture(scope="module")
def started_once() -> Iterator[None]:
    """The compiler is started once, as in one run of the build step."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "Dukpy", cache(compiler.Dukpy))
        yield


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A formats folder with one sound spec."""
    folder = tmp_path / "formats"
    (folder / "acme").mkdir(parents=True)
    (folder / "acme" / "acme_reading.ksy").write_text(SOUND)
    return folder
