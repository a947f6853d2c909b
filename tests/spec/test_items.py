"""Items of lists, bytes and texts are counted from 0, whatever the data say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from spec.test_step_budget import HEAD, built

from lmparse.errors import RecordError
from lmparse.spec.build.lint import wrong
from lmparse.spec.build.specs import parsed

SPEC = """\
seq:
  - {id: n, type: s1}
  - {id: k, type: u1}
  - {id: l, type: u1, repeat: expr, repeat-expr: 3}
  - {id: t, type: str, size: 3, encoding: ASCII}
  - {id: a, size: 0, if: 'k == 1 and l[n] == 2'}
  - {id: b, size: 0, if: 'k == 2 and bytes[n] == 2'}
  - {id: c, size: 0, if: 'k == 3 and t.substring(n, 3) == "bc"'}
  - {id: d, size: 0, if: 'k == 4 and t.substring(0, n) == "a"'}
  - {id: e, size: 0, if: 'k == 5 and l[n - 1 + 1] == 2'}
instances: {bytes: {value: '[1, 2, 3].as<bytes>'}}
"""


@pytest.mark.parametrize("field", "abcde")
def test_an_item_below_zero_is_an_error(tmp_path: Path, field: str) -> None:
    reader = built(tmp_path, SPEC)
    kind = bytes([ord(field) - ord("a") + 1])
    assert reader.read(b"\1" + kind + b"\1\2\3abc").values[field] == b""
    with pytest.raises(RecordError) as caught:
        reader.read(b"\xff" + kind + b"\1\2\3abc")
    assert (caught.value.code, caught.value.field) == ("LMP-R012", field)
    assert "there is no item -1" in str(caught.value)


LAST = """\
seq:
  - {id: n, type: u1}
  - {id: l, type: u1, repeat: expr, repeat-expr: n}
  - {id: b, size: n}
  - {id: u, type: u1, repeat: until, repeat-until: u.last == 9 or _io.eof}
  - {id: a, size: 0, if: 'l.last == 7', valid: {expr: 'l.last == 7 and b.last == 8 and l.last == l[l.size - 1]'}}
instances:
  of_list: {value: l.last}
  of_bytes: {value: b.last}
  of_constants: {value: '[1, 2, 3].last + [[1, 2], [3, 4]].last.last'}
  first: {value: l.first}
"""


def test_the_last_item_is_read(tmp_path: Path) -> None:
    reader = built(tmp_path, LAST)
    record = b"\2\1\7\2\x08\4\5\x09"
    values = {"n": 2, "l": [1, 7], "b": b"\2\x08", "u": [4, 5, 9], "a": b""}
    assert reader.read(record).values == values | {"of_list": 7, "of_bytes": 8, "of_constants": 7, "first": 1}
    parsed: Any = reader.parse(record)
    assert (parsed.of_list, parsed.of_bytes, parsed.of_constants, parsed.first) == (7, 8, 7, 1)
    debug: Any = reader.spec.debug_parser.from_bytes(record)
    debug._read()
    assert (debug.of_list, debug.of_bytes, debug.of_constants, debug.first) == (7, 8, 7, 1)


@pytest.mark.parametrize("item", ["l.last", "b.first", "l[n]"])
def test_an_item_of_an_empty_list_is_an_error(tmp_path: Path, item: str) -> None:
    text = "seq: [{id: n, type: u1}, {id: l, type: u1, repeat: expr, repeat-expr: n}, {id: b, size: n}, "
    reader = built(tmp_path, f"{text}{{id: a, size: 0, if: '{item} == 1'}}]")
    with pytest.raises(RecordError) as caught:
        reader.read(b"\0")
    assert (caught.value.code, caught.value.field) == ("LMP-R012", "a")
    assert "an expression has no value: there is no such item, since there are fewer" in str(caught.value)


def test_what_only_resembles_an_item_below_zero_is_taken() -> None:
    text = "doc: l[-1]\nseq: [{id: l, type: u1, repeat: eos, -orig-id: 'l[-1]'}]\ninstances:\n"
    text += (
        "  a: {value: '[-1].first'}\n  b: {value: '\"l[-1]\"', doc: 'l[-1]'}\n  c: {value: 'true or [-1].first < 0'}\n"
    )
    text += "  d: {value: 'l[1 - 1]'}\n  e: {pos: 0, contents: 'l[-1]'}\n"
    assert _problems(text) == []


def _problems(text: str) -> list[str]:
    spec = parsed("acme_a", Path("acme_a.ksy"), (HEAD + text).encode())
    return [text for _, text in wrong(spec, {"acme_a": spec})]
