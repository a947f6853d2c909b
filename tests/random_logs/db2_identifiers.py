"""Db2 LUW transactions that use identifiers again, behind others of which records are in no file.

Transactions end with a commit or an abort, or have no end, and nearly all identifiers are used again. Files in the
middle of the log are left out. A transaction with all its records in the other files is given whole, whatever the one
that had its identifier lacks; where addresses show it, one that lacks a record is not given. The engines agree, in
parts of any size, and so do files joined and read one by one behind a checkpoint.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from samples.db2_scripts import tables_file
from writers.db2 import utility
from writers.db2.columns import Column
from writers.db2.scripts import Form
from writers.db2.stream import Stream, Transaction
from writers.db2.tables import Table

from lmparse.logs.log import transaction_summaries
from random_logs.db2_reading import ENGINES, Reading, both_engines, opened, read, same, stretches, written

LOGS = 4
_FORMS = (
    Form("v10", "little", "filter"), Form("v10", "big", "filter"), Form("v10", "big", "lsn8"),
    Form("v9.7", "big", "filter97"), Form("v9.7", "little", "lsn8"), Form("v7", "little", "lsn6"),
)  # fmt: skip
_TABLE = Table(3, 4, "T", (Column("ROW_NO", "INTEGER", nullable=False),))
_PART_BYTES = (None, 100, 300, 1000)
_TRIALS = 2
_WEIGHTS: dict[str, float] = {
    "insert": 10, "savepoint": 1, "define": 1, "load": 1, "commit": 3, "abort": 2, "endless": 0.5,
}  # fmt: skip
_ENDS = ("commit", "abort", "endless")


def check(seed: int, folder: Path) -> Counter[str]:
    chance = Random(seed)
    form = chance.choice(_FORMS)
    stream = _log(chance, form)
    options = {
        "framing": form.framing, "byte_order": form.byte_order, "generation": form.generation,
        "tables": tables_file(folder, _TABLE),
    }  # fmt: skip
    whole = folder / "whole.log"
    whole.write_bytes(stream.bytes())
    found = both_engines(whole, options)
    counts = Counter(rows=len(found.rows), logs=1)
    for _ in range(_TRIALS):
        counts += _left_out(chance, folder, stream, options, _rows(found))
    return counts


def _log(chance: Random, form: Form) -> Stream:
    """Transactions with one of two or three identifiers each."""
    stream = Stream(form.generation, form.byte_order, form.framing)
    free = [number.to_bytes(6, "big") for number in range(1, chance.choice((3, 4)))]
    weights = {word: weight * chance.choice((0.5, 1, 2)) for word, weight in _WEIGHTS.items()}
    if not _states_addresses(stream):
        weights["load"] = 0  # no record shows that its link is to the load, which may have begun its transaction
    open_ = list[Transaction]()
    for number in range(chance.choice((15, 30, 45))):
        if free and (not open_ or chance.random() < 0.3):
            open_.append(stream.begin())
            open_[-1].tid = free.pop(chance.randrange(len(free)))
        unit = chance.choice(open_)
        (word,) = chance.choices(list(weights), list(weights.values()))
        _step(unit, word, number)
        if word in _ENDS:
            open_.remove(unit)
            free.append(unit.tid)
    return stream


def _states_addresses(stream: Stream) -> bool:
    return stream.framing == "filter" or stream.server.generation != "v10"


def _step(unit: Transaction, word: str, number: int) -> None:
    if word == "commit":
        unit.commit()
    elif word == "abort":
        unit.abort()
    elif word == "define":
        unit.initialize(Table(3, 5 + number, f"T{number}", _TABLE.columns))
    elif word == "load":
        unit.record("load_start", "load_start", utility.load_start(unit.stream.server, number, 3, 5))
    elif word != "endless":
        mark = unit.mark()
        unit.insert(_TABLE, {"ROW_NO": number})
        if word == "savepoint":
            unit.rollback_to(mark)


def _rows(reading: Reading) -> dict[int, list[str]]:
    """The rows of each transaction, by the LSN of its first record."""
    found: dict[int, list[str]] = {}
    for row in reading.rows:
        found.setdefault(int(row["txn_id"][12:], 16), []).append(row["seq"])
    return found


def _transactions(stream: Stream) -> Iterator[tuple[int, list[int]]]:
    """The transactions that were written: the LSN of the first record, and the numbers of all of them.

    Each begins with a record that follows none. The start of a load takes effect at once, and so is one of its own, but
    the record behind it follows it.
    """
    open_: dict[bytes, list[int]] = {}
    ended = list[list[int]]()
    for number, parts in enumerate(stream.parts):
        if not parts.header.previous and parts.header.tid in open_:
            ended.append(open_.pop(parts.header.tid))
        open_.setdefault(parts.header.tid, []).append(number)
    for numbers in [*ended, *open_.values()]:
        loads = [number for number in numbers if stream.records[number].kind == "load_start"]
        yield from ((stream.records[number].lsn, [number]) for number in loads)
        first = next((number for number in numbers if number not in loads), None)
        if first is not None:
            yield stream.records[first].lsn, numbers


def _left_out(
    chance: Random, folder: Path, stream: Stream, options: dict[str, Any], rows: dict[int, list[str]]
) -> Counter[str]:
    """Leave out records in the middle, and read the files in front and behind."""
    records = stream.pieces()
    begin = chance.randrange(1, len(records) - 1)
    end = min(begin + chance.choice((1, 1, 1, 2, 4, 10)), len(records) - 1)
    cuts = stretches(chance, begin)
    files = written(folder, records[:begin], cuts, "front")
    files += written(folder, records[end:], stretches(chance, len(records) - end), "behind")
    is_whole = {lsn: not any(begin <= number < end for number in numbers) for lsn, numbers in _transactions(stream)}
    wanted = sorted(seq for first, seqs in rows.items() if is_whole[first] for seq in seqs)
    # From files of one record each is not seen whether the filter of the API was used, with which links lead to
    # records that were left out.
    is_shown = _states_addresses(stream) and any(cut.end - cut.begin > 1 for cut in cuts)
    joined = _both(chance, chance.sample(files, len(files)), options)
    same("transactions of the engines", *(_summaries(chance, files, options, engine) for engine in ENGINES))
    _check_rows(f"without records {begin} to {end}", wanted, joined.rows, is_shown=is_shown)
    state, walk = folder / "state.json", list[dict[str, Any]]()
    state.unlink(missing_ok=True)
    for path in files:
        found = _both(chance, [path], options, state)
        walk += found.rows
        lacking = found.left_out.get("incomplete", 0)
        most = joined.left_out.get("incomplete", 0)
        assert lacking <= most or not is_shown, f"{lacking} changes in {path.name} lack records, and {most} in all"
    _check_rows(f"without records {begin} to {end}, one by one", wanted, walk, is_shown=is_shown)
    return Counter({"left out": 1, "wanted rows": len(wanted), "incomplete": joined.left_out.get("incomplete", 0)})


def _both(chance: Random, files: Sequence[Path], options: dict[str, Any], state: Path | None = None) -> Reading:
    """What both engines give, in parts of different sizes; they agree in all, and in the checkpoint that they leave."""
    before = state.read_text() if state is not None and state.exists() else None
    found, states = list[Reading](), list[str]()
    for engine in chance.sample(ENGINES, len(ENGINES)):
        if state is not None:
            state.unlink(missing_ok=True) if before is None else state.write_text(before)
        run = _apart if chance.random() < 0.3 else None
        found.append(read(files, options, engine, state, chance.choice(_PART_BYTES), run))
        states.append("" if state is None else state.read_text())
    one, other = found
    same("rows of the engines", one.values, other.values)
    same("notes of the engines", one.said(), other.said())
    assert one.left_out == other.left_out, f"left out by the engines: {one.left_out}, {other.left_out}"
    same("checkpoints of the engines", *(text.splitlines() for text in states))
    return one


def _apart(function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
    """Do tasks as in other processes: nothing else goes there and back than what can be pickled."""
    for task in tasks:
        yield pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(task)))))


def _summaries(chance: Random, files: Sequence[Path], options: dict[str, Any], engine: str) -> list[str]:
    """The transactions that one engine lists, in parts of any size."""
    log = opened(files, {**options, "engine": engine}, chance.choice(_PART_BYTES))
    return [str(summary.to_row()) for summary in transaction_summaries(log)]


def _check_rows(what: str, wanted: list[str], rows: Sequence[dict[str, Any]], *, is_shown: bool) -> None:
    """Rows are those of the transactions that lack no record; where addresses do not show it, those and others."""
    found = sorted(row["seq"] for row in rows)
    assert len(found) == len(set(found)), f"{what}: rows are given twice"
    same(f"{what}: rows of whole transactions", wanted, found if is_shown else [one for one in found if one in wanted])
