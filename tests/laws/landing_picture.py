"""docs/picture.svg: what lmparse does with the bytes of one record of the demo's log; drawn from what `explain` finds.

python tests/laws/landing_picture.py    draw it anew
"""

from __future__ import annotations

import tempfile
from html import escape
from pathlib import Path
from typing import Any

import lmparse
from lmparse.samples import bmc_log

PAGE = Path(__file__).parents[2] / "docs" / "picture.svg"
RECORD = 8
DRAWN = {
    "table_owner": "schema_name",
    "table_name": "table_name",
    "change_type": "op",
    "timestamp": "ts",
    "before.BALANCE": "before",
    "after.BALANCE": "after",
}
"""Fields that are drawn, by their path, and what of a change becomes of each."""
WIDTH, TOP, STEP = 504, 62, 36
MOST = 6
"""Bytes of a field that are drawn."""
STYLE = """\
.lm-picture { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.lm-picture text { fill: #1b1f24; fill: light-dark(#1b1f24, #e6e8eb); }
.lm-picture .lm-head { font: 600 13px system-ui, "DejaVu Sans", sans-serif; }
.lm-picture .lm-soft { fill: #545d68; fill: light-dark(#545d68, #a5adb8); font-size: 11px; }
.lm-picture rect { fill: #e3effb; stroke: #0b5cad; }
.lm-picture rect { fill: light-dark(#e3effb, #17304a); stroke: light-dark(#0b5cad, #7db8f5); }
.lm-picture .lm-value { fill: #e2f3e7; stroke: #1a6b37; }
.lm-picture .lm-value { fill: light-dark(#e2f3e7, #143321); stroke: light-dark(#1a6b37, #7fd49a); }
.lm-picture path { fill: none; stroke: #545d68; stroke: light-dark(#545d68, #a5adb8); }
:root { color-scheme: light dark; }
"""


def facts() -> list[tuple[int, str, str, str]]:
    """Of each field that is drawn: its offset in the record, its bytes, its name, and what the change says."""
    with tempfile.TemporaryDirectory() as folder:
        control, data = bmc_log.make().write(Path(folder))
        fields = {
            field["path"]: field for field in _fields(lmparse.explain(data, record=RECORD, control=control).to_dict())
        }
        log = lmparse.open_log(data, control=control)
        change = next(change for change in log.changes() if change["_metadata"]["record_index"] == RECORD)
    found = []
    for path, key in DRAWN.items():
        column = path.rpartition(".")[2]
        value = change[key][column] if isinstance(change[key], dict) else change[key]
        said = f"{key}.{column}" if isinstance(change[key], dict) else key
        found.append((fields[path]["offset"], fields[path]["bytes"], column, f"{said}: {value}"))
    return found


def _fields(node: Any) -> list[dict[str, Any]]:
    """All fields below a node that have bytes."""
    if isinstance(node, list):
        return [field for part in node for field in _fields(part)]
    if not isinstance(node, dict):
        return []
    return [node] * ("bytes" in node) + [field for part in node.values() for field in _fields(part)]


def picture() -> str:
    """The drawing, in a width that a phone can show; its colours are those of the page that it is in."""
    rows = facts()
    height = TOP + STEP * len(rows) + 44
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" class="lm-picture" role="img" '
        'aria-labelledby="lm-picture-title">',
        '<title id="lm-picture-title">Bytes of a record, the fields that its spec names, and the typed change</title>',
        f"<style>\n{STYLE}</style>",
        _text(4, 20, "Bytes of the log", "lm-head"),
        _text(168, 20, "Fields", "lm-head"),
        _text(298, 20, "A typed change", "lm-head"),
        _text(4, 38, f"record {RECORD} of the demo", "lm-soft"),
        _text(168, 38, "spec, catalog", "lm-soft"),
        _text(298, 38, "Arrow, Spark, Delta, SQL, JSON", "lm-soft"),
    ]
    for number, row in enumerate(rows):
        lines += _row(TOP + STEP * number, *row)
    lines.append(
        _text(4, height - 14, "committed changes; those that were rolled back are counted, not shown", "lm-soft")
    )
    return "\n".join([*lines, "</svg>"]) + "\n"


def _row(y: int, offset: int, raw: str, name: str, said: str) -> list[str]:
    shown = " ".join(raw[at : at + 2] for at in range(0, min(len(raw), 2 * MOST), 2))
    more = "…" if len(raw) > 2 * MOST else ""
    return [
        f'<rect x="0.5" y="{y + 0.5}" width="154" height="22" rx="3"/>',
        _text(6, y + 16, shown + more),
        f'<path d="M155 {y + 11} h8 M288 {y + 11} h8"/>',
        _text(168, y + 16, f"{offset} {name}"),
        f'<rect class="lm-value" x="296.5" y="{y + 0.5}" width="207" height="22" rx="3"/>',
        _text(302, y + 16, said if len(said) <= 25 else said[:24] + "…"),
    ]


def _text(x: int, y: int, words: str, kind: str = "") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{name}>{escape(words)}</text>'


if __name__ == "__main__":
    PAGE.write_text(picture(), "utf-8")
