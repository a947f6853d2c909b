"""Items of lists, bytes and texts are counted from 0, whatever the data say."""

from __future__ import annotations

from pathlib import Path

import pytest
from spec.test_budgets import built

from lmparse.errors import RecordError

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


def test_lists_in_the_text_of_a_doc_are_left(tmp_path: Path) -> None:
    text = 'doc: "l[n]\\u2028 é self.l[self.n]"\nseq: [{id: n, type: s1}, {id: l, type: u1, repeat: eos}]\n'
    text += "instances: {é: {value: 1}}\n".replace("é", "e")
    text += "types: {t: {params: [{id: m, type: s1}], instances: {x: {value: '_parent.as<acme_a>.l[m]'}}}}\n"
    assert built(tmp_path, text).read(b"\1\2").values == {"n": 1, "l": [2]}
