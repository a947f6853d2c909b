"""Targets of `land` that are not as the last run has left them: what is gone, put in its place, changed, or a link."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from deltalake import DeltaTable
from deltalake.schema import Schema
from export.landed_extracts import Extracts, insert, table

from lmparse.errors import OptionError


def killed_in_front_of_the_checkpoint(to: Path) -> None:
    """As the first run leaves the target then: there is something to land again."""
    (to / "_lmparse" / "checkpoint.json").rename(to / "_lmparse" / "begun.json")


STATES = ("_lmparse/land.json", "_lmparse/checkpoint.json")


@pytest.mark.parametrize(
    ("form", "gone"),
    [
        *(("parquet", name) for name in STATES),
        *(("delta", name) for name in (*STATES, "changes/HR.EMPLOYEE", "current/HR.EMPLOYEE")),
    ],
)
def test_what_is_gone_from_a_target_is_missed_by_the_next_run(
    gone: str, form: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    """Also by one without changes: a table that is gone would be made anew, and what was open or marked forgotten."""
    log, tables = sample
    to = tmp_path / "to"
    words = ("land", log, "--tables", tables, "--to", to, "--as", form, *(["--current"] if form == "delta" else []))
    assert run(*words).code == 0
    kept = to.rename(tmp_path / "kept")
    shutil.copytree(kept, to)
    (shutil.rmtree if (to / gone).is_dir() else os.remove)(to / gone)
    left = sorted(to.rglob("*"))
    done = run(*words)
    assert (done.code, "[LMP-S031]" in done.err, Path(gone).name in done.err) == (2, True, True)
    assert sorted(to.rglob("*")) == left
    (to / "_lmparse" / "land.json").unlink(missing_ok=True)
    (to / "_lmparse" / "checkpoint.json").unlink(missing_ok=True)
    assert "[LMP-S031]" in run(*words).err


@pytest.mark.parametrize(("kind", "why"), [("changes", "another table"), ("current", "no column ID, which is of its")])
def test_tables_that_were_put_in_the_place_of_others(kind: str, why: str, tmp_path: Path) -> None:
    """Changes would be added to those of another table; rows would get a key that those before do not have."""
    log, form = Extracts(tmp_path), table()
    log.land(insert(form, ID=1), tables=(form,))
    place = log.to / kind / "PROD.ITEM"
    schema = DeltaTable(str(place)).schema()
    shutil.rmtree(place)
    DeltaTable.create(str(place), Schema([entry for entry in schema.fields if entry.name != "ID"]))
    with pytest.raises(OptionError, match=why) as caught:
        log.land(insert(form, ID=2), tables=(form,))
    assert caught.value.code == "LMP-S031"


WRONG = [None, 0, 1 << 70, "", "/tmp/x", "../../x", "..", "other", "a/b", "\0", "\ud800", [], ["x"], {}, {"x": 1}, True]

SOUND: dict[str, list[Any]] = {
    "ids": [text for text in WRONG if isinstance(text, str) and text != "other"],
    "key": [None, [], ["x"]],
    "current_id": [None, *(text for text in WRONG if isinstance(text, str))],
    "marks": [[]],
}
SOUND["changes_id"] = SOUND["current_id"]
SOUND["changes_commits"] = SOUND["current_commits"] = [None, 0]


@pytest.mark.parametrize(
    "name",
    [
        *("ids", "folder", "schema_name", "table_name", "key", "current_id", "changes_id", "marks"),
        *("changes_commits", "current_commits"),
    ],
)
def test_a_state_that_was_changed(
    name: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    """What it says of a table names folders and columns: anything else than what land writes is an error."""
    log, tables = sample
    to = tmp_path / "deep" / "to"
    to.parent.mkdir()
    words = ("land", log, "--tables", tables, "--to", to, "--as", "parquet")
    assert run(*words).code == 0
    before = sorted(tmp_path.rglob("*"))
    state = to / "_lmparse" / "land.json"
    sound = json.loads(state.read_text())
    for value in WRONG:
        first = {**sound["tables"][0], name: value}
        state.write_text(json.dumps({**sound, "tables": [first, *sound["tables"][1:]]}, indent=2))
        done = run(*words)
        is_sound = value in SOUND.get(name, [sound["tables"][0][name]])
        assert done.code == 0 if is_sound else "[LMP-S031]" in done.err, value
        assert sorted(tmp_path.rglob("*")) == before
    lacking = {key: value for key, value in sound["tables"][0].items() if key != name}
    for value in ([sound["tables"][0]] * 2, [lacking], 0, None, [7]):
        state.write_text(json.dumps({**sound, "tables": value}, indent=2))
        assert "[LMP-S031]" in run(*words).err


@pytest.mark.parametrize(
    "damage", ["text", "empty", "cut", "pipe", "folder", "other seq", "no seq", "no date", "no bad record"]
)
def test_files_that_land_has_not_written(
    damage: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    """What the names of files say is landed must be in them, else changes would be left out unsaid."""
    log, tables = sample
    to = tmp_path / "to"
    words = ("land", log, "--tables", tables, "--to", to, "--as", "parquet")
    assert run(*words).code == 0
    killed_in_front_of_the_checkpoint(to)
    path = max(to.glob("changes/SALES.ORDERS/*/seq-*.parquet"))
    data = path.read_bytes()
    path.unlink()
    match damage:
        case "text":
            path.write_text("not Parquet")
        case "empty":
            path.touch()
        case "cut":
            path.write_bytes(data[: len(data) // 2])
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "other seq":
            path.with_name(f"seq-{'F' * 72}.parquet").write_bytes(data)
        case "no seq":
            path.with_name("seq-zz.parquet").write_bytes(data)
        case "no date":
            (path.parents[1] / "commit_date=now").mkdir()
            (path.parents[1] / "commit_date=now" / path.name).write_bytes(data)
        case _:
            folder = path.parents[1] / "commit_date=__HIVE_DEFAULT_PARTITION__"
            folder.mkdir()
            (folder / f"bad-{'0' * 32}.parquet").write_bytes(data[:99])
    before = {one: one.read_bytes() for one in to.rglob("*") if one.is_file()}
    done = run(*words)
    assert (done.code, "[LMP-S031]" in done.err) == (2, True)
    assert {one: one.read_bytes() for one in to.rglob("*") if one.is_file()} == before


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_a_name_that_no_table_can_have(
    form: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    log, tables = sample
    text = tables.read_text()
    assert "name: NAME" in text
    tables.write_text(text.replace("name: NAME", r'name: "a\0b"'))
    done = run("land", log, "--tables", tables, "--to", tmp_path / "to", "--as", form)
    assert (done.code, "[LMP-C009]" in done.err) == (20, True)
    assert not (tmp_path / "to" / "changes").exists()


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        (r'"lmparse.seq":"[0-9A-F]+"', '"lmparse.seq":"zz"'),
        (r'"lmparse.seq":"[0-9A-F]+"', f'"lmparse.seq":"{"F" * 73}"'),
        (r'"version":1\b', f'"version":{(1 << 63) - 1}'),
        (r'"version":1\b', '"version":-7'),
        (r'\\"name\\":\\"seq\\"', r'\\"name\\":\\"seq2\\"'),
    ],
)
def test_a_history_that_land_has_not_written(
    written: str, instead: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    log, tables = sample
    to = tmp_path / "to"
    words = ("land", log, "--tables", tables, "--to", to)
    assert run(*words).code == 0
    killed_in_front_of_the_checkpoint(to)
    history = next(to.glob("changes/SALES.ORDERS/_delta_log/*.json"))
    text, count = re.subn(written, instead.replace("\\", "\\\\"), history.read_text())
    assert count
    if "version" in written:  # which is looked at where there is something to append
        text = re.sub(r'"lmparse.seq":"[0-9A-F]+"', f'"lmparse.seq":"{"0" * 72}"', text)
    history.write_text(text)
    done = run(*words)
    assert done.code == 2
    assert "[LMP-S031]" in done.err or "[LMP-S022]" in done.err


@pytest.mark.parametrize("place", ["_lmparse", "changes", "changes/SALES.ORDERS", "changes/SALES.ORDERS/{date}"])
@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_links_out_of_a_target(
    form: str, place: str, sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path
) -> None:
    log, tables = sample
    to, other = tmp_path / "to", tmp_path / "other"
    words = ("land", log, "--tables", tables, "--to", to, "--as", form)
    assert run(*words).code == 0
    (date,) = (path.name for path in (to / "changes" / "SALES.ORDERS").glob("commit_date=*"))
    killed_in_front_of_the_checkpoint(to)
    path = to / place.format(date=date)
    path.rename(other)
    path.symlink_to(other)
    before = {one: one.read_bytes() for one in other.rglob("*") if one.is_file()}
    done = run(*words)
    assert (done.code, "is a link" in done.err) == (2, True)
    assert {one: one.read_bytes() for one in other.rglob("*") if one.is_file()} == before


def test_a_lock_that_leads_out_of_a_target(sample: tuple[Path, Path], run: Callable[..., Run], tmp_path: Path) -> None:
    log, tables = sample
    to, other = tmp_path / "to", tmp_path / "other"
    (to / "_lmparse").mkdir(parents=True)
    (to / "_lmparse" / "lock").symlink_to(other)
    done = run("land", log, "--tables", tables, "--to", to, "--as", "parquet")
    assert (done.code, "lock" in done.err, "is a link" in done.err) == (2, True, True)
    assert not other.exists()
