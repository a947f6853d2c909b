"""Going on behind a change: in the order of commits each change comes once, wherever reading was stopped."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from amounts import amount
from samples.db2_random import written

import lmparse
from lmparse import cli
from lmparse.errors import OptionError
from lmparse.samples import bmc_log


def test_in_the_order_of_the_log_a_last_line_is_no_place_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    control, data = map(str, bmc_log.make(units=4).write(tmp_path)[:2])
    seq = next(lmparse.open_log(data, control=control).changes())["seq"]
    assert cli.main(["changes", data, "--control", control, "--starting-after", seq]) == 2
    assert "order commit" in capsys.readouterr().err
    for read in (lmparse.open_log, lmparse.read_changes):
        with pytest.raises(OptionError, match="goes on behind a change"):
            read(data, control=control, starting_after=seq)


def assert_each_once(path: str, options: dict[str, Any], chance: random.Random) -> None:
    def found(**more: Any) -> list[tuple[str, str]]:
        log = lmparse.open_log(path, order="commit", **options, **more)
        return [(change["seq"], str(change)) for change in log.changes()]

    whole = found()
    assert len({seq for seq, _ in whole}) == len(whole) > 20
    for place in chance.sample(range(len(whole)), 3):
        assert found(starting_after=whole[place][0]) == whole[place + 1 :]


@pytest.mark.parametrize("seed", range(500, amount(503, 520)))
def test_random_logs_of_db2_luw(seed: int, tmp_path: Path) -> None:
    path, options, _ = written(tmp_path, seed, 40)
    assert_each_once(str(path), options, random.Random(seed))


def test_a_log_of_log_master(tmp_path: Path) -> None:
    control, data = map(str, bmc_log.make(units=60).write(tmp_path)[:2])
    assert_each_once(data, {"control": control}, random.Random(1))
