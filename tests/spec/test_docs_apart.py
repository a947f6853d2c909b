"""Docs of a spec that look like lines of its parser are docs."""

from __future__ import annotations

from pathlib import Path

import pytest
from spec.test_budgets import built

from lmparse.errors import LmparseError
from lmparse.spec.build.docs_apart import changed_apart_from_docs

LINES = {
    "a method": "x\\n    def _read(self):\\n\\nx",
    "a place": "x\\n    _pos = io.pos()\\n    io.seek(2)\\n    io.seek(_pos)\\n\\nx",
    "bytes": "x\\n    self.a = zlib.decompress(b)\\n\\nx",
    "a loop": "x\\n    self.a = []\\n    for i in x:\\n\\nx",
    "a condition": "x\\n    if x:\\n        pass\\n        self._debug['x']['start']\\n\\nx",
    "bits": "x\\n    self._debug['x']['start'] = self._io.pos()\\n    self.x = self._io.read_bits_int_be(2)\\n\\nx",
    "an item": "x self.a[self.b]\\r    self.a[self.b]\\n\\n  0\\n\\nx",
}


@pytest.mark.parametrize("name", LINES)
def test_lines_of_code_in_a_doc_are_left(tmp_path: Path, name: str) -> None:
    doc = f'doc: "{LINES[name]}"'
    text = f"{doc}\nseq: [{{id: n, type: u1, {doc}}}, {{id: a, type: t, repeat: expr, repeat-expr: n, {doc}}}]\n"
    text += f"instances: {{i: {{pos: 0, type: t, {doc}}}, j: {{value: 'a[n - 1].x', {doc}}}}}\n"
    text += f"types: {{t: {{{doc}, seq: [{{id: x, type: u1, if: _io.pos < 9}}]}}}}\n"
    reader = built(tmp_path, text)
    assert reader.read(b"\2\1\2").values["a"] == [{"x": 1}, {"x": 2}]
    with pytest.raises(LmparseError):
        reader.read(b"\2\1")
    for folder in ("", "debug/"):
        code = (tmp_path / "out" / folder / "acme_a.py").read_text()
        assert "def _read(self):\n            stepping()" in code
        assert "from_zero(self.n - 1)" in code


def test_what_is_not_python_is_changed_as_a_whole() -> None:
    assert changed_apart_from_docs("a b", str.upper) == "A B"
    assert changed_apart_from_docs('a\n"""a\n  b"""\nb\n', str.upper) == 'A\n"""a\n  b"""\nB\n'
