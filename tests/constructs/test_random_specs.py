"""Some random specs; `make random-specs` compares many."""

from __future__ import annotations

from pathlib import Path

import pytest

from constructs.random_specs import REFUSED, batch


@pytest.mark.parametrize("seed", [101, 102])
def test_three_readers_agree_on_random_specs(tmp_path: Path, seed: int) -> None:
    seen = batch(seed, tmp_path, specs=20)
    assert sum(seen.values()) == 20 * 25
    assert seen["read"] > 50
    assert seen[REFUSED] < 100
