"""Extracts whose control files contradict each other are read each by its own: as one log, in parts, and by Spark.

The control files describe one version of a table with other columns, in other code pages, with lengths of DEC in
another unit, and describe the header or do not. What is read of all extracts is what is read of each by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from random_logs.given_rows import UNLIKE, Given, by_convert, by_spark, expect_given, of_shell, table_names
from random_logs.log_master_columns import Form
from random_logs.log_master_readings import ENGINES, by_parts, printed
from random_logs.log_master_values import READINGS, said_of, some_extract

LOGS = 2
_BETWEEN = 100
"""Changes from one extract to the next."""


def check(seed: int, folder: Path) -> Counter[str]:
    chance = Random(seed)
    form, reading = Form.some(chance), chance.choice(READINGS)
    paths = [some_extract(chance, folder, name, form, reading, _BETWEEN * number)[1] for number, name in
             enumerate("abc"[: chance.randrange(2, 4)])]  # fmt: skip
    options = said_of(form, reading)
    alone = [of_shell(printed([path], chance.choice(ENGINES), **options)) for path in paths]
    assert not any(one.bad for one in alone), f"errors of sound values: {alone}"
    wanted = Given(tuple(row for one in alone for row in one.rows), Counter())
    files = chance.sample(paths, len(paths))
    for engine in ENGINES:
        expect_given(f"joined, {engine}", wanted, of_shell(printed(files, engine, **options)))
    parts = of_shell(by_parts(files, chance.choice((500, 4000, 1 << 20)), **options))
    expect_given("in parts", wanted.in_any_order, parts.in_any_order)
    spark = by_spark(str(folder), options, path_glob_filter="*.dat")
    expect_given("Spark", wanted.in_any_order, spark.in_any_order)
    expect_given("convert", wanted.in_any_order, by_convert(folder / "out", files, options).in_any_order)
    counts = Counter(rows=len(wanted.rows), extracts=len(paths))
    for name in table_names(row for path in paths for row in printed([path], ENGINES[0], **options).rows):
        counts += _check_table(chance, folder, files, options, name)
    return counts


def _check_table(
    chance: Random, folder: Path, files: Sequence[Path], options: dict[str, str], name: str
) -> Counter[str]:
    """Raise AssertionError where the rows of a table in columns differ from those of the extracts that have it."""
    own = {**options, "table": name}
    shell = printed(files, chance.choice(ENGINES), **own)
    found = by_spark(str(folder), own, path_glob_filter="*.dat")
    if UNLIKE in (found.ended, shell.ended[-9:-1]):
        return Counter(unlike=1)
    assert not shell.ended, shell.ended
    expect_given(f"Spark, {name}", of_shell(shell).in_any_order, found.in_any_order)
    return Counter(tables=1)
