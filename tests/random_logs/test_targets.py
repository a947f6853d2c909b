"""The targets of random logs in short: a few logs of each; `make random-logs` runs longer."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from amounts import amount

from random_logs import TARGETS, run

SHARES = 2
"""Parts of the logs of a target, so that they can run beside each other."""


def test_every_target_is_listed() -> None:
    modules = {path.stem for path in Path(__file__).parent.glob("*.py") if "def check(" in path.read_text()}
    assert modules - {"test_targets"} == set(TARGETS)


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("name", TARGETS)
def test_logs_are_read_as_they_were_made(name: str, share: int, tmp_path: Path) -> None:
    target = import_module(f"random_logs.{name}")
    compared = 0
    for seed in range(share, amount(target.LOGS, 50 * target.LOGS), SHARES):
        (tmp_path / str(seed)).mkdir()
        compared += target.check(seed, tmp_path / str(seed)).total()
    assert compared


class _Wrong:
    """A target that holds for one seed."""

    @staticmethod
    def check(seed: int, folder: Path) -> Counter[str]:
        assert seed == 1, f"{seed} is wrong"
        return Counter(rows=3)


def test_a_log_that_does_not_hold_is_said_with_its_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "import_module", lambda _: _Wrong)
    outcome = run.run_target("any", 1, 60)
    assert (outcome.seeds, outcome.counts) == (1 + run.MOST_FAILED, Counter(rows=3))
    assert [text.splitlines()[0].split(" --")[2:] for text in outcome.failed] == [
        [f"seed {n}", "logs 1"] for n in (2, 3, 4)
    ]
    assert "AssertionError: 2 is wrong" in outcome.failed[0]
    assert outcome.failed[0] in capsys.readouterr().err
