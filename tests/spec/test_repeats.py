"""Repeats of what may be empty end with a coded error; others are read as they are."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from kaitaistruct import KaitaiStream

from lmparse import cli
from lmparse.errors import RecordError
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.spec.build import column_counts, products
from lmparse.spec.repeats import NotAdvancingError, advancing

SPEC = """\
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
seq:
  - {id: n, type: u4}
  - {id: width, type: u1}
  - {id: texts, size: width, repeat: expr, repeat-expr: n}
  - {id: items, type: item(width), repeat: eos}
types: {item: {params: [{id: width, type: u1}], seq: [{id: text, size: width}]}}
"""


def test_a_repeat_without_end_has_a_code(tmp_path: Path) -> None:
    (tmp_path / "acme_a.ksy").write_text(SPEC)
    for name, text in products.make(tmp_path / "acme_a.ksy", "dukpy", None).items():
        (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / name).write_text(text)
    reader = RecordReader(catalog.load(f"{tmp_path}/out/acme_a"))
    sound = reader.parse(b"\0\0\0\2\1ABCD")
    assert (sound.texts, [item.text for item in sound.items]) == ([b"A", b"B"], [b"C", b"D"])  # type: ignore[attr-defined]
    assert reader.parse(b"\0\0\3\0\0").texts == [b""] * 768  # type: ignore[attr-defined]
    for record, field in ((b"\xff" * 4 + b"\0", "texts"), (b"\0\0\0\0\0ABC", "items")):
        with pytest.raises(RecordError) as caught:
            reader.parse(record)
        assert (caught.value.code, caught.value.field) == ("LMP-R009", field)
        assert not reader.accepts(record)


def test_only_items_without_bytes_are_counted() -> None:
    stream = KaitaiStream(BytesIO(bytes(400)))
    for _ in range(400):
        advancing(stream)
        stream.read_bytes(1)
    for _ in range(3201):
        advancing(stream)
    with pytest.raises(NotAdvancingError):
        advancing(stream)


SIZES = """\
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
seq: [{id: head, type: head}, {id: items, type: nothing, repeat: expr, repeat-expr: head.size}]
types: {head: {seq: [{id: size, type: u4}]}, nothing: {seq: []}}
"""
STREAMS = """\
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
seq:
  - {id: n, type: u1}
  - {id: items, type: nothing, repeat: expr, repeat-expr: n}
  - {id: part, type: part}
  - {id: last, type: u1, if: part.items.size == 2}
types:
  nothing: {seq: []}
  part: {instances: {items: {io: _root._io, pos: 0, type: nothing, repeat: expr, repeat-expr: 2}}, seq: []}
"""


def built(folder: Path, text: str) -> RecordReader:
    (folder / "acme_a.ksy").write_text(text)
    assert cli.main(["build", "--formats", str(folder / "acme_a.ksy"), "--out", str(folder / "out")]) == 0
    return RecordReader(catalog.load(f"{folder}/out/acme_a"))


def test_a_number_named_size_is_no_list(tmp_path: Path) -> None:
    reader = built(tmp_path, SIZES)
    assert len(reader.parse(b"\0\0\0\3").items) == 3  # type: ignore[attr-defined]
    with pytest.raises(RecordError) as caught:
        reader.parse(b"\xff" * 4)
    assert caught.value.code == "LMP-R009"


def test_two_repeats_of_one_name_each_have_their_stream(tmp_path: Path) -> None:
    parsed = built(tmp_path, STREAMS).parse(b"\5\7")
    assert (len(parsed.items), parsed.last) == (5, 7)  # type: ignore[attr-defined]


UNLISTED = """\
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
seq:
  - {id: n, type: u4}
  - {id: k, type: u1}
  - {id: counted, type: {switch-on: k, cases: {1: u1, 2: text}}, repeat: expr, repeat-expr: n}
  - {id: left, type: {switch-on: k, cases: {1: u1, 2: text}}, repeat: eos}
types: {text: {seq: [{id: text, size: 2}]}}
"""


def test_a_switch_without_a_case_takes_no_bytes(tmp_path: Path) -> None:
    reader = built(tmp_path, UNLISTED)
    assert vars(reader.parse(b"\0\0\0\1\1ab"))["left"] == [98]
    assert vars(reader.parse(b"\0\0\0\1\3"))["counted"] == []
    for record, field in ((b"\xff" * 4 + b"\3", "counted"), (b"\0\0\0\0\3a", "left")):
        with pytest.raises(RecordError) as caught:
            reader.parse(record)
        assert (caught.value.code, caught.value.field) == ("LMP-R009", field)


UNDECIDED = """\
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
seq:
  - {id: k, type: u1}
  - {id: width, type: u1, if: k == 1}
  - {id: part, type: part, if: k == 2}
  - {id: items, type: {switch-on: k, cases: {1: u1}}, repeat: until, repeat-until: _ == 0, if: k == 3}
  - {id: bytes, size: width}
types: {part: {meta: {endian: {switch-on: _root.k, cases: {1: be}}}, seq: [{id: a, type: u2}]}}
"""


@pytest.mark.parametrize(
    ("record", "error"),
    [
        (b"\0", "acme_a.bytes: an expression has no value: the record has no width there [LMP-R012]"),
        (b"\2ab", "acme_a.part: no case decides the byte order [LMP-R013]"),
        (
            b"\3",
            "acme_a.items[0]: an expression has no value: no case of the switch applies, "
            "so there is no item [LMP-R012]",
        ),
    ],
)
def test_errors_of_expressions_name_the_field_and_no_variable_of_python(
    tmp_path: Path, record: bytes, error: str
) -> None:
    with pytest.raises(RecordError) as caught:
        built(tmp_path, UNDECIDED).parse(record)
    assert str(caught.value) == error


def test_types_that_multiply_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    types = "".join(f"  t{n}: {{seq: [{{id: a, type: t{n + 1}}}, {{id: b, type: t{n + 1}}}]}}\n" for n in range(40))
    head = "meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}\n"
    (tmp_path / "acme_a.ksy").write_text(f"{head}seq: [{{id: a, type: t0}}]\ntypes:\n{types}  t40: {{seq: []}}\n")
    assert cli.main(["build", "--formats", str(tmp_path / "acme_a.ksy"), "--out", str(tmp_path / "out")]) == 1
    assert "others inside it" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["", "-lm-type: body, "])
def test_columns_that_multiply_are_refused(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record has one of the types that its field may have, but columns for all of them, and for those inside."""

    def level(number: int) -> str:
        switch = f"{{switch-on: k{number}, cases: {{1: x{number}, 2: y{number}}}}}"
        return f"[{{id: k{number}, type: u1}}, {{id: s{number}, {kind}type: {switch}}}]"

    types = "".join(f"  {name}{n}: {{seq: {level(n + 1)}}}\n" for n in range(20) for name in "xy")
    (tmp_path / "acme_a.ksy").write_text(
        "meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}\n"
        f"seq: {level(0)}\ntypes:\n{types}  x20: {{seq: []}}\n  y20: {{seq: []}}\n"
    )
    assert cli.main(["build", "--formats", str(tmp_path / "acme_a.ksy"), "--out", str(tmp_path / "out")]) == bool(
        not kind
    )
    assert ("more than 20000 columns" in capsys.readouterr().err) is not bool(kind)  # fields of a body are there once


def test_types_inside_themselves_are_a_column_of_text_each(tmp_path: Path) -> None:
    cases = ", ".join(f"{number}: t{number}" for number in range(12))
    types = "".join(
        f"  t{number}: {{seq: [{{id: k, type: u1}}, {{id: s, type: {{switch-on: k, cases: {{{cases}}}}}}}]}}\n"
        for number in range(12)
    )
    head = "meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}\n"
    text = f"{head}seq: [{{id: a, type: t0}}]\ntypes:\n{types}"
    assert built(tmp_path, text).read(b"\x63").values["a"] is not None


def test_fields_of_one_name_in_the_types_of_a_body_are_one_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or there would be 1,250 of them."""
    monkeypatch.setattr(column_counts, "_MOST_COLUMNS", 1000)
    cases = ", ".join(f"{number}: t{number}" for number in range(25))
    fields = ", ".join(f"{{id: f{number}, type: u1}}" for number in range(50))
    types = "".join(f"  t{number}: {{seq: [{fields}]}}\n" for number in range(25))
    body = f"{{id: s, -lm-type: body, type: {{switch-on: k, cases: {{{cases}}}}}}}"
    head = "meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}\n"
    reader = built(tmp_path, f"{head}seq: [{{id: k, type: u1}}, {body}]\ntypes:\n{types}")
    assert len(reader.read(bytes(51)).values) >= 51
