"""A given schema over files of versions of a table gives what docs/spark.md says, as a batch and as a stream.

Columns come, go, and have other names, types and letter case; files lack the table, are damaged or lack their control
file; the schema names some columns, all, or others. No value may be that of another column, none may be lost unsaid.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
)

from random_logs.spark_nights import CUT, DAMAGED, SOUND, UNCONTROLLED, Night, some_night, some_versions
from random_logs.spark_reading import Given, batch, schema_of, stream
from random_logs.spark_rules import MISFIT, REFUSED, UNLIKE, Asked, Truth, chunks, shown_rows, truth

LOGS = 4
_SCHEMAS = 2
"""Schemas that are asked for of each log."""
_CODES = {DAMAGED: ("LMP-F003", "LMP-F005"), UNCONTROLLED: ("LMP-C007",), CUT: ("LMP-F007",)}
"""What is said of a file; of a damaged one, without and with an option that says its framing."""
_TYPES: tuple[DataType, ...] = (
    StringType(), StringType(), IntegerType(), IntegerType(), LongType(), ShortType(), DoubleType(), DecimalType(9, 2),
    DecimalType(5, 1), DateType(), TimestampNTZType(),
)  # fmt: skip
_USUAL = {"no": IntegerType(), "name": StringType(), "new": StringType(), "age": ShortType(), "day": DateType()}


@dataclass
class _Reading:
    """A schema, and the options of the source."""

    asked: Asked
    schema: StructType
    options: dict[str, str]


def check(seed: int, folder: Path) -> Counter[str]:
    chance = random.Random(seed)
    nights = some_nights(chance, folder)
    counts = Counter(nights=len(nights))
    for _ in range(_SCHEMAS):
        reading = _some_reading(chance, folder, nights)
        try:
            counts += _check_any_batch(reading, nights) + _check_streams(chance, reading, nights)
        except AssertionError as error:
            shown = "\n".join(f"{n.path.name} {n.state} {[sorted(v.names) for v in n.versions]}" for n in nights)
            raise AssertionError(f"{error}\n{reading.options}\n{reading.schema.simpleString()}\n{shown}") from None
    return counts + _check_own(folder, nights)


def some_nights(chance: random.Random, folder: Path) -> list[Night]:
    """Extracts whose names say nothing of their order; of three logs, one has a file that cannot be read."""
    versions = some_versions(chance)
    count = chance.randint(1, 4)
    names = chance.sample("abcdefgh", count)
    nights = []
    place = 0
    for number in range(count):
        place = min(place + chance.choice((0, 0, 1)), len(versions) - 1)
        until = place + (chance.random() < 0.3)
        said = [] if chance.random() < 0.15 else versions[place : until + 1]
        place = min(until, len(versions) - 1)
        nights.append(some_night(chance, folder, number + 1, said, names[number]))
    if count > 1 and chance.random() < 0.33:
        chance.choice(nights).spoil(chance.choice((DAMAGED, UNCONTROLLED, CUT)))
    return nights


def _some_reading(chance: random.Random, folder: Path, nights: Sequence[Night]) -> _Reading:
    names = sorted({name for night in nights for version in night.versions for name in version.names})
    wanted = [*names, "NEW"] if not names or chance.random() < 0.3 else names
    chosen = dict.fromkeys(chance.sample(wanted, chance.randint(1, len(wanted))))
    columns = {_spelt(chance, name): _some_type(chance, name) for name in chosen}
    option: tuple[str, ...] = ()
    if chance.random() < 0.3:
        every = [*names, chance.choice(("NEW", "OTHER", "AGE"))]
        option = tuple(dict.fromkeys(chance.sample(every, chance.randint(1, len(every)))))
        if chance.random() < 0.7:
            columns = {name: type_ for name, type_ in columns.items() if name in option} or columns
    is_feed = chance.random() < 0.25
    images = () if is_feed else chance.choice((("after",), ("before",), ("before", "after")))
    mode = chance.choice(("permissive", "permissive", "permissive", "dropmalformed", "failfast"))
    asked = Asked(columns, images, option, mode, chance.random() < 0.75)
    options = {"path": str(folder), "table": "PROD.ITEMS", "engine": chance.choice(("columnar", "kaitai", "check")),
               "mode": mode, "control": f"{folder}/{{stem}}.ctl"}  # fmt: skip
    if chance.random() < 0.2:
        del options["control"]
    else:  # finding framings takes most of the time
        options |= {"framing": "rdw", "controlFraming": "rdw"}
    options |= {"columns": ",".join(option)} if option else {}
    options |= {"envelope": "changefeed"} if is_feed else {}
    return _Reading(asked, _schema(chance, asked), options)


def _spelt(chance: random.Random, name: str) -> str:
    return chance.choice((name, name, name, name, name.lower(), name.upper(), name.title()))


def _some_type(chance: random.Random, name: str) -> DataType:
    return _USUAL[name.lower()] if chance.random() < 0.75 else chance.choice(_TYPES)


def _schema(chance: random.Random, asked: Asked) -> StructType:
    table = [StructField(name, type_) for name, type_ in asked.columns.items()]
    chance.shuffle(table)
    if asked.images:
        fields = [StructField("seq", StringType()), StructField("op", StringType())]
        fields += [StructField(image, StructType(table)) for image in asked.images]
    else:
        fields = [StructField("_commit_seq", StringType()), StructField("_change_type", StringType()), *table]
    if asked.has_faults:
        fields.append(StructField("_corrupt_fields", ArrayType(StructType([StructField("code", StringType())]))))
    elif chance.random() < 0.3:
        fields.append(StructField("_corrupt_record", BinaryType()))
    chance.shuffle(fields)
    return StructType(fields)


# -- a batch ---------------------------------------------------------------------------------------------


def _check_any_batch(reading: _Reading, nights: Sequence[Night]) -> Counter[str]:
    """Of a file that is damaged at its end nobody says whether its control file says all of the table."""
    if not any(night.state == CUT for night in nights):
        return _check_batch(reading, nights, may_be_more=any(night.state != SOUND for night in nights))
    try:
        return _check_batch(reading, nights, may_be_more=False)
    except AssertionError:
        return _check_batch(reading, nights, may_be_more=True)


def _check_batch(reading: _Reading, nights: Sequence[Night], *, may_be_more: bool) -> Counter[str]:
    asked, bad = reading.asked, [night for night in nights if night.state != SOUND]
    wanted = truth(asked, [night for night in nights if night.state in (SOUND, CUT)], may_be_more=may_be_more)
    given = batch(reading.schema, reading.options)
    has_place = asked.has_faults or "_corrupt_record" in reading.schema.names
    if asked.mode == "failfast" or (asked.mode == "permissive" and not has_place):
        wanted.errors.update(code for night in bad for code in _CODES[night.state])
    if given.code in (UNLIKE, REFUSED) and any(night.state == DAMAGED for night in bad):
        return Counter(refused=1)  # a damaged file whose control file is sound may say another type
    _expect("batch", given, wanted, reading)
    if given.code:
        return Counter(refused=1)
    codes = [fault["code"] for row in given.rows if _is_of_damage(row) for fault in row.get("_corrupt_fields") or ()]
    if asked.mode == "permissive" and asked.has_faults:
        assert len(codes) == len(bad), f"batch: rows of damage {codes}"
        assert all(code in _CODES[night.state] for code, night in zip(codes, bad, strict=True)), f"batch: {codes}"
    assert not bad or asked.mode == "permissive" or bad[0].path.name in given.said, f"damage is not said: {given}"
    if any(night.state == DAMAGED for night in bad):
        return Counter(batches=1, rows=len(wanted.rows))  # its control file may say more of the table
    if not wanted.has_table:
        assert "PROD.ITEMS" in given.said, f"batch: a table that no file has is not said: {given.said!r}"
    elif wanted.unsaid:
        assert all(name in given.said for name in wanted.unsaid), f"batch: {wanted.unsaid} null unsaid: {given.said!r}"
    is_said = "another name" in given.said
    assert is_said == wanted.may_be_renamed, f"batch: another name {wanted.may_be_renamed}: {given.said!r}"
    return Counter(batches=1, rows=len(wanted.rows))


def _is_of_damage(row: dict[str, Any]) -> bool:
    return row.get("seq", row.get("_commit_seq")) is None


def _expect(what: str, given: Given, wanted: Truth, reading: _Reading) -> None:
    if wanted.errors:
        assert given.code in wanted.errors, f"{what}: wanted {sorted(wanted.errors)}, found {given}"
        if given.code == "LMP-S003":
            assert given.error is not None
            _expect_hint(f"{given.error} {given.error.hint}", reading)
        return
    assert not given.error, f"{what}: wanted rows, found {given}"
    _expect_rows(what, shown_rows(reading.asked, given.rows), wanted.rows)


def _expect_hint(text: str, reading: _Reading) -> None:
    missing = [name for name in reading.asked.option if f"{name!r}" in text]
    assert missing, f"columns: {text}"


def _expect_rows(what: str, found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    key = lambda row: (row["seq"], row["op"])  # noqa: E731
    ours, theirs = sorted(found, key=key), sorted(wanted, key=key)
    differ = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
    assert ours == theirs, f"{what}: {len(ours)} rows, wanted {len(theirs)}: {differ[:1] or (ours or theirs)[-1:]}"


# -- a stream --------------------------------------------------------------------------------------------


def _check_streams(chance: random.Random, reading: _Reading, nights: Sequence[Night]) -> Counter[str]:
    sound = [night for night in nights if night.state == SOUND]
    counts = Counter[str]()
    for most in (None, chance.randint(1, 2)):
        given = stream(reading.schema, reading.options, most)
        _check_stream(given, most, reading, sound, nights)
        counts += Counter(streams=1, stream_rows=len(given.rows), stream_ends=bool(given.code))
    return counts


def _check_stream(
    given: Given, most: int | None, reading: _Reading, sound: Sequence[Night], nights: Sequence[Night]
) -> None:
    asked = reading.asked
    first = truth(asked, sound, may_be_more=True, ends=True)
    what = f"stream by {most}"
    if any(night.state in (DAMAGED, CUT) for night in nights):
        codes = {*_CODES[DAMAGED], *_CODES[CUT], "LMP-F013", REFUSED, UNLIKE, *first.errors}
        assert given.code in codes, f"{what}: {given}"
        return
    if first.errors - {MISFIT}:
        assert (given.batches, given.code in first.errors) == ([], True), f"{what}: wanted {first.errors}: {given}"
        return
    place = 0
    for place, files in enumerate(chunks(sound, most)):
        wanted = truth(asked, files, others=sound, may_be_more=True, ends=True)
        if wanted.errors:
            assert len(given.batches) == place, f"{what}: {place} wanted {wanted.errors}: {given}"
            assert given.code in wanted.errors, f"{what}: {place} wanted {wanted.errors}: {given}"
            return
        assert len(given.batches) > place, f"{what}: micro-batch {place}: {given}"
        _expect_rows(f"{what}, {place}", shown_rows(asked, given.batches[place]), wanted.rows)
    assert not given.code, f"{what}: {given}"
    for night in nights:
        assert night.state == SOUND or night.path.name in given.said, f"{what}: {night.path.name} is not said"


# -- the columns of the source ----------------------------------------------------------------------------


def _check_own(folder: Path, nights: Sequence[Night]) -> Counter[str]:
    """Without a schema, columns are those of all versions, and a value is that of its column."""
    sound = [night for night in nights if night.state in (SOUND, CUT)]
    options = {"path": str(folder), "table": "PROD.ITEMS", "control": f"{folder}/{{stem}}.ctl", "framing": "rdw"}
    schema, given = schema_of(options)
    names = {name for night in sound for version in night.versions for name in version.names}
    if schema is None:
        assert given.code == ("LMP-C008" if names else "LMP-C005"), f"own columns: {given}"
        return Counter()
    types = {entry.name: entry.dataType for entry in schema["after"].dataType}
    is_damaged = any(night.state in (DAMAGED, CUT) for night in nights)  # its control file may say more
    assert set(types) == names or (is_damaged and set(types) > names), (
        f"own columns: {sorted(types)}, wanted {sorted(names)}"
    )
    asked = Asked(types, ("before", "after"))
    reading = _Reading(asked, schema, options)
    wanted = truth(asked, sound, may_be_more=True)
    for given in (batch(schema, options), batch(schema, {})):
        _expect("own columns", given, wanted, reading)
    if not is_damaged:
        for most in (None, 1):
            _expect(f"own columns, stream by {most}", stream(schema, options, most), wanted, reading)
    return Counter(own=1)
