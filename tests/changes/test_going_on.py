"""Going on behind a change, or behind a checkpoint: in the order of commits each change, and each event, comes once."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from amounts import IS_THOROUGH, amount
from samples import db2_random
from samples.db2_scripts import tables_file
from samples.row_stories import Story, bmc_story, db2_story

import lmparse
from lmparse import cli
from lmparse.errors import OptionError
from lmparse.logs.families import read_options
from lmparse.logs.open import open_changes
from lmparse.samples import bmc_log

Rows = list[dict[str, Any]]
SEEDS, TRANSACTIONS = range(500, amount(502, 508)), amount(10, 30)


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


# random logs


@dataclass(frozen=True)
class Log:
    """A log, and the same log in files that are read one after the other."""

    path: Path
    options: dict[str, str]
    files: Sequence[Path] = ()
    """None if its records state no positions."""
    file_options: dict[str, str] | None = None

    def read(self, **more: Any) -> Rows:
        return list(lmparse.open_log(str(self.path), order="commit", **self.options, **more).changes())

    def read_files(self, state: Path, **more: Any) -> Rows:
        """The changes of one file after the other, each behind the checkpoint of those before."""
        found: Rows = []
        for path in self.files:
            options = {**(self.file_options or self.options), **more, "order": "commit", "checkpoint": str(state)}
            log = lmparse.open_log([str(path)], **options)
            found += log.changes()
            log.save_checkpoint()
        return found


def _db2_luw(seed: int, folder: Path) -> Log:
    """Every event that a sound log of one log stream may have, also values in pieces; updates change keys."""
    chance, form, plan = random.Random(seed), db2_random.form_of(seed), db2_random.Plan.of(seed, TRANSACTIONS)
    plan.damage, plan.torn, plan.streams, plan.weights["lob"] = 0.0, "", 1, 5.0
    script = db2_random.random_script(seed, TRANSACTIONS, form, plan)
    assert script.events["lob"]
    path, data = folder / "a.log", script.data
    path.write_bytes(data)
    options = {"spec": "db2_log", "framing": form.framing, "byte_order": form.byte_order, "generation": form.generation}
    log: Any = open_changes(path, read_options(options))
    starts = [extent.offset - log.framing.lead for extent in log.extents()]
    cuts, files = [0, *sorted(chance.sample(starts[1:], 1 + seed % 2)), len(data)], []
    if form.generation == "v10" or form.framing != "bare":
        for begin, end in pairwise(cuts):
            files.append(folder / f"{begin}.log")
            files[-1].write_bytes(data[begin:end])
    tables = tables_file(folder, *db2_random.DESCRIBED, replaced=[("]}", "], key: [ID]}")])
    return Log(path, {**options, "tables": tables}, files)


def _story(make: Callable[[int, Path], Story], seed: int, folder: Path) -> Log:
    story = make(seed, folder)
    files = story.extracts(folder / "in", random.Random(seed), 2 + seed % 2)
    (path,) = story.extracts(folder / "whole", random.Random(seed), 1)
    if story.control is not None:
        of_whole, of_files = ({"control": str(one.with_name("{stem}.ctl"))} for one in (path, files[0]))
        return Log(path, of_whole, files, of_files)
    log: Any = open_changes(path, read_options(story.options))
    return Log(path, story.options, files if log.generation == "v10" or log.framing.lead else ())


def _sample(seed: int, folder: Path) -> Log:
    control, data = bmc_log.make(seed, units=TRANSACTIONS).write(folder)[:2]
    return Log(data, {"control": str(control)})


LOGS: dict[str, Callable[[int, Path], Log]] = {
    "Db2 LUW": _db2_luw, "rows of Db2 LUW": partial(_story, db2_story),
    "Log Master": _sample, "rows of Log Master": partial(_story, bmc_story),
}  # fmt: skip


@pytest.mark.parametrize("kind", LOGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_each_change_comes_once(kind: str, seed: int, tmp_path: Path) -> None:
    log = LOGS[kind](seed, tmp_path)
    include = ("committed", "all")[seed % 2]
    whole = log.read(include=include)
    seqs = [change["seq"] for change in whole]
    assert seqs == sorted(set(seqs))
    assert seqs
    last, chance = len(seqs) - 1, random.Random(seed)
    for place in range(len(seqs)) if IS_THOROUGH else {0, last // 2, last, chance.randrange(last + 1)}:
        assert log.read(include=include, starting_after=seqs[place]) == whole[place + 1 :]


@pytest.mark.parametrize("kind", ["Db2 LUW", "rows of Db2 LUW", "rows of Log Master"])
def test_each_event_comes_once_behind_checkpoints(kind: str, tmp_path: Path) -> None:
    """Its position, `seq` with `event_serial`, rises over all of them."""
    keys_changed = files = 0
    for seed in SEEDS:
        folder = tmp_path / str(seed)
        folder.mkdir()
        log = LOGS[kind](seed, folder)
        events = log.read(envelope="debezium")
        places = _places(events)
        assert places == sorted(set(places))
        assert {seq for seq, _ in places} == {change["seq"] for change in log.read()}
        keys_changed += sum(serial == 2 for _, serial in places)
        if log.files:
            found = log.read_files(folder / "state.json", envelope="debezium")
            assert _places(found) == places
            # Records in any order may describe a table behind rows of it, in another file.
            assert kind == "Db2 LUW" or list(map(_images, found)) == list(map(_images, events))
            files += len(log.files)
    assert keys_changed
    assert files


def _images(event: dict[str, Any]) -> tuple[Any, ...]:
    return event["op"], event["before"], event["after"], event["source"]["txId"]


def _places(events: Rows) -> list[tuple[str, int]]:
    return [(event["source"]["seq"], event["source"]["event_serial"]) for event in events]
