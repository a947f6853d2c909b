"""Some random specs; `make random-specs` compares many."""

from __future__ import annotations

from pathlib import Path

import pytest

from constructs.random_specs import READ, RECORDS, REFUSED, batch

SPECS = 7


@pytest.mark.parametrize("seed", [101, 102])
def test_all_readers_agree_on_random_specs(tmp_path: Path, seed: int) -> None:
    seen = batch(seed, tmp_path, specs=SPECS)
    assert seen.pairs.total() == SPECS * RECORDS
    with_spec = seen.pairs.total() - seen.pairs[REFUSED]
    assert with_spec > SPECS * RECORDS * 0.8
    assert seen.pairs[READ] > with_spec / 3
    assert min(seen.ways[way] for way in ("lines", "converted", "of some columns", "filtered")) > with_spec / 3
