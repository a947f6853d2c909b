"""Random tables and transactions of both families, landed extract by extract: what is landed is what the source has."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from export.delta_tables import rows_of
from export.killed_runs import killed_everywhere
from samples.row_stories import STORIES, Row, Story

import lmparse
from lmparse.export.land_current import OWN
from lmparse.values.json_form import to_json

MOMENT = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?$")


class Extracts:
    """A story in four extracts."""

    def __init__(self, family: str, seed: int, folder: Path) -> None:
        self.story: Story = STORIES[family](seed, folder)
        self.paths = self.story.extracts(folder / "in", random.Random(seed))
        self.how: dict[str, Any] = {"current": True, **self.story.options}
        if self.story.control is not None:
            self.how["control"] = str(folder / "in" / "{stem}.ctl")


def tables_in(to: Path, kind: str) -> dict[str, list[str]]:
    """The rows of all change tables, or of all current tables, sorted."""
    found = {}
    for path in sorted((to / kind).iterdir()):
        rows = [{name: value for name, value in row.items() if name != "_metadata"} for row in rows_of(path)]
        found[path.name] = sorted(map(str, rows))
    return found


def check_source(story: Story, to: Path) -> None:
    """Of tables with a key: landed rows are in the source, and what else it has is from before the log."""
    before, after = (
        {name: list(map(shown, rows)) for name, rows in one.items()} for one in (story.before, story.after)
    )
    checked = 0
    for name, is_keyed in story.keyed.items():
        folders = list((to / "current").glob(f"{name.replace(chr(34), '*')}*"))
        if not is_keyed or not folders:
            continue
        rows = [{field: row[field] for field in row if field not in OWN.names} for row in rows_of(folders[0])]
        rows = [shown(to_json(row)) for row in rows]
        assert [row for row in rows if row not in after[name]] == []
        assert [row for row in after[name] if row not in rows and row not in before[name]] == []
        checked += len(rows)
    assert checked


def shown(row: Row) -> Row:
    """A row with all timestamps in one form, of six digits."""
    return {name: MOMENT.sub(_in_micros, value) if isinstance(value, str) else value for name, value in row.items()}


def _in_micros(moment: re.Match[str]) -> str:
    return f"{moment[1]}.{(moment[2] or '').ljust(6, '0')[:6]}"


@pytest.mark.parametrize(("family", "seed"), [("bmc", 2), ("db2", 1)])
def test_extracts_whose_runs_are_killed_at_every_commit(family: str, seed: int, tmp_path: Path) -> None:
    """Each extract is landed by runs of which every one gets one commit further."""
    log, to = Extracts(family, seed, tmp_path), tmp_path / "killed"
    for path in log.paths:
        killed_everywhere([path], to, 40, **log.how)
    lmparse.land(log.paths, tmp_path / "together", **log.how)
    for kind in ("changes", "current"):
        assert tables_in(to, kind) == tables_in(tmp_path / "together", kind)
    check_source(log.story, to)
