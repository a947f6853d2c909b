"""Word rules: descriptor words of others, bytes that are not records, and lengths in a field of the record."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from amounts import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from writers.foreign import FRAMINGS, Form, Rule

from lmparse.errors import DataError, LmparseError, OptionError
from lmparse.framing import index, word_scan
from lmparse.framing.base import Framing
from lmparse.framing.framings import named_framing
from lmparse.logs.check import account
from lmparse.logs.open import open_file
from lmparse.options import FRAMING_OPTIONS, Options
from lmparse.records.settings import FileSettings

rules = st.builds(Rule, st.booleans(), st.booleans(), st.sampled_from([0, 0, -4, -1, 1, 3, 4, -300]))
few = st.binary(max_size=9)
forms = st.builds(Form, st.sampled_from(FRAMINGS), rules, rules, few, few, st.sampled_from([5, 40, 200]))
texts = st.lists(st.binary(max_size=60), max_size=30)
RULES = [Rule(*facts) for facts in product((False, True), (False, True), (0, -4, 3))]


def framing_for(form: Form) -> Framing:
    return named_framing(form.framing, Options.parse(form.options))


def by_extents(framing: Framing, data: bytes, *place: Any) -> tuple[list[tuple[int, bytes]], Any]:
    return _read(lambda: ((extent.offset, extent.read(data)) for extent in framing.extents(data, *place)))


def by_windows(framing: Framing, data: bytes, *place: Any) -> tuple[list[tuple[int, bytes]], Any]:
    def found() -> Any:
        for window in index.windows(framing, data, *place, max_records=7):
            raw = window.data.tobytes()
            for offset, start, length in zip(window.offsets, window.starts, window.lengths, strict=True):
                yield int(offset), raw[start : start + length]

    return _read(found)


def _read(records: Callable[[], Any]) -> tuple[list[tuple[int, bytes]], Any]:
    got = []
    try:
        for record in records():
            got.append(record)
    except LmparseError as error:
        fault = error
    else:
        return got, None
    assert fault.code in ("LMP-F005", "LMP-F006", "LMP-F007", "LMP-F008", "LMP-F009", "LMP-L002"), fault
    return got, str(fault)


@examples(100, 5000)
@given(forms, texts, st.integers(1, 300))
def test_records_come_back_by_every_walk(form: Form, records: list[bytes], part: int) -> None:
    assume(form.is_possible(records))
    data, offsets = form.file(records)
    framing = framing_for(form)
    expected = list(zip(offsets, records, strict=True)), None
    assert by_extents(framing, data) == expected
    assert by_windows(framing, data) == expected
    spans = index.spans(framing, data, part)
    assert (spans[0].start, spans[-1].end) == (0, len(data))
    got = [record for span in spans for record in by_extents(framing, data, span.start, span.end)[0]]
    assert got == expected[0]


@examples(80, 4000)
@given(forms, texts, st.lists(st.tuples(st.integers(0), st.integers(0, 255)), min_size=1, max_size=3))
def test_damage_is_one_error_behind_the_same_records(
    form: Form, records: list[bytes], damage: list[tuple[int, int]]
) -> None:
    assume(form.is_possible(records))
    data = bytearray(form.file(records)[0] or b"\0")
    for place, value in damage:
        data[place % len(data)] = value
    framing = framing_for(form)
    assert by_windows(framing, bytes(data)) == by_extents(framing, bytes(data))
    for cut in range(0, len(data), 7):
        short = bytes(data[:cut])
        assert by_windows(framing, short) == by_extents(framing, short)


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("name", ["rdw", "zosmf"])
def test_a_parallel_walk_gives_the_same_records(name: str, rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_scan, "_LEAST_BYTES", 1 << 12)
    walks: list[int] = []
    walk = word_scan.parallel_walk

    def counted(*arguments: Any) -> Any:
        found = walk(*arguments)
        walks.append(0 if found is None else len(found[0]))
        return found

    monkeypatch.setattr("lmparse.framing.word_scan.parallel_walk", counted)
    draw = random.Random(3)
    records = [b"RECORD" + draw.randbytes(draw.randrange(20, 90)) for _ in range(2000)]
    form = Form(name, rule, header=b"head", trailer=b"tail")
    data, offsets = form.file(records)
    assert by_windows(framing_for(form), data) == (list(zip(offsets, records, strict=True)), None)
    assert max(walks) > 1000


# one of many options


VALUES: dict[str, Any] = {
    "rdw_endian": "little", "rdw_includes_header": "false", "rdw_adjustment": "-4",
    "bdw_endian": "little", "bdw_includes_header": "false", "bdw_adjustment": "-4",
    "record_length": "10", "record_length_field": "length",
}  # fmt: skip


@pytest.mark.parametrize("option", VALUES)
@pytest.mark.parametrize("name", [*FRAMING_OPTIONS, "bare", "lsn8"])
def test_an_option_is_used_or_refused_by_name(name: str, option: str) -> None:
    own = {"record_length": "9"} if name == "fixed" else {}
    own |= {"record_length_field": "reserved"} if name == "glued" else {}
    options = Options.parse({"spec": "zos_rdw", "framing": name} | own | {option: VALUES[option]})
    before = Options.parse({"spec": "zos_rdw", "framing": name} | own)
    order = "little" if name in ("bare", "lsn8") else None
    if option in FRAMING_OPTIONS.get(name, ()):
        value = VALUES[option] if not (name == "zosmf" and option == "rdw_includes_header") else "true"
        options = Options.parse({"spec": "zos_rdw", "framing": name} | own | {option: value})
        assert named_framing(name, options, None, order) != named_framing(name, before, None, order)
        return
    with pytest.raises(OptionError, match=f"framing {name} does not use") as caught:
        named_framing(name, options, None, order)
    assert caught.value.code == "LMP-S003"


@pytest.mark.parametrize(
    ("option", "value"),
    [("rdw_adjustment", "4.5"), ("rdw_adjustment", "--4"), ("rdw_adjustment", "1" * 10), ("bdw_adjustment", "²"),
     ("file_start_offset", "-1"), ("file_end_offset", "1e3"), ("rdw_endian", "middle"), ("rdw_includes_header", "4")],
)  # fmt: skip
def test_bad_values_are_refused(option: str, value: str) -> None:
    with pytest.raises(OptionError) as caught:
        Options.parse({option: value})
    assert caught.value.code == "LMP-S003"


# whole files


@pytest.mark.parametrize("name", FRAMINGS)
def test_every_byte_is_accounted_for_and_parts_give_the_same(name: str, tmp_path: Path) -> None:
    records = [bytes([65 + number % 9]) * (number * 7 % 50 + 1) for number in range(60)]
    form = Form(name, Rule(True, False, -3), Rule(True, False, 2), b"HEADER", b"TRAILER!", 120)
    path = tmp_path / "a.dat"
    path.write_bytes(form.file(records)[0])
    given_ = {"spec": "common_raw", **form.options}
    report = account(str(path), Options.parse(given_))
    assert (report.records, report.skipped, report.quarantined) == (60, 14, 0)
    assert report.is_accounted
    assert report.parsed == sum(map(len, records))
    said = {decision.name: decision.value for decision in report.decisions}
    assert (said["rdwEndian"], said["rdwAdjustment"], said["fileStartOffset"]) == ("little", "-3", "6")
    parts = open_file(path, Options.parse(given_)).record_parts(300)
    assert len(parts) > 3
    got = []
    for settings, span in parts:
        assert isinstance(settings, FileSettings)
        part = open_file(path, Options.parse(given_), settings=settings)
        got += [row["data"] for row in part.records(span)]
    assert got == [record.hex().upper() for record in records]


@pytest.mark.parametrize("name", ["rdw", "bdw", "vbs"])
def test_the_framing_is_found_with_the_options(name: str, tmp_path: Path) -> None:
    form = Form(name, Rule(True, False), Rule(False, False), b"HEAD", b"TAIL", 40)
    path = tmp_path / "a.dat"
    records = [b"x" * (20 + number) for number in range(40)]
    path.write_bytes(form.file(records)[0])
    options = Options.parse({"spec": "common_raw", **form.options, "framing": "auto"})
    file = open_file(path, options)
    assert file.framing.name == name
    assert [row["data"] for row in file.records()] == [record.hex().upper() for record in records]


def test_a_file_shorter_than_what_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(b"short")
    for name in ("auto", "rdw"):
        options = {"spec": "common_raw", "framing": name, "file_start_offset": "4", "file_end_offset": "2"}
        with pytest.raises(
            DataError, match="at least 6 bytes, as fileStartOffset and fileEndOffset say, found 5"
        ) as at:
            list(open_file(path, Options.parse(options)).records())
        assert at.value.code == "LMP-F006"


# records that say their own length


def measured(option: str, **more: str) -> Framing:
    return named_framing("glued", Options.parse({"spec": "zos_sdw", "record_length_field": option, **more}))


@examples(50, 1000)
@given(st.lists(st.binary(max_size=40), max_size=20), st.sampled_from([0, 4, -2]), st.integers(1, 200))
def test_a_field_says_the_length(records: list[bytes], adjustment: int, part: int) -> None:
    whole = [(len(text) + 4 - adjustment).to_bytes(2, "big") + b"\0\0" + text for text in records]
    framing = measured("LENGTH", **({"rdw_adjustment": str(adjustment)} if adjustment else {}))
    data = b"".join(whole)
    got, error = by_windows(framing, data)
    assert ([raw for _, raw in got], error) == (whole, None)
    assert by_extents(framing, data) == (got, None)
    spans = index.spans(framing, data, part)
    assert [raw for span in spans for _, raw in by_extents(framing, data, span.start, span.end)[0]] == whole
    for cut in range(0, len(data), 5):
        assert by_windows(framing, data[:cut]) == by_extents(framing, data[:cut])


def test_digits_as_text_say_the_length() -> None:
    named = {"spec": "bmc_unlisted", "record_length_field": "cntl_record_type"}
    framing = named_framing("glued", Options.parse(named))
    records = [b"%04d" % (len(text) + 4) + text for text in (b"a", b"bcd", b"")]
    for data in (b"".join(records), b"".join(records).decode().encode("cp037")):
        assert [len(raw) for _, raw in by_extents(framing, data)[0]] == [5, 7, 4]
        assert by_windows(framing, data) == by_extents(framing, data)
        for cut in range(len(data)):
            assert by_windows(framing, data[:cut]) == by_extents(framing, data[:cut])
    with pytest.raises(DataError, match="expected a length of at least 4, found X'4E4F4E45'"):
        list(framing.extents(b"NONE"))


def test_a_field_that_says_no_length_is_refused() -> None:
    for name in ("data", "nothing"):
        with pytest.raises(OptionError, match="recordLengthField") as caught:
            named_framing("glued", Options.parse({"spec": "common_raw", "record_length_field": name}))
        assert caught.value.code == "LMP-S003"
