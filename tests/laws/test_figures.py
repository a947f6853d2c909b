"""Figures on the pages are those that the benchmarks wrote into `bench/results/`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[2]
FIGURES = r"""
../bench/README | XHDF describes[^|]*. (\d+) and \d+ times | described/records/times_as_fast
../bench/README | XHDF describes[^|]*. \d+ and (\d+) times | described/changes/times_as_fast
../bench/README | one column of 51[^|]*. (\d+) and | projection/times_as_fast/decoding alone
../bench/README | one column of 51[^|]*. \d+ and (\d+) times | projection/times_as_fast/with framing
../bench/README | lines of changes[^|]*. (\d+), | lines/changes/times_as_fast
../bench/README | lines of changes[^|]*. \d+, \d+ and (\d+) times | lines/records/times_as_fast
../bench/README | records of several kinds[^|]*. (\d+) and | kinds/db2_log/table/times_as_fast
../bench/README | images as JSON text[^|]*. (\d+) times | lines/json_images/times_as_fast
../bench/README | narrow records[^|]*. (\d+) and | shapes/shapes/narrow/times_as_fast
../bench/README | narrow records[^|]*. \d+ and (\d+) times | shapes/shapes/wide/times_as_fast
../bench/README | `convert` of the header[^|]*. ([\d.]+) of its | convert/speed_of_the_script
../bench/README | Spark's `noop` sink[^|]*. ([\d.]+) of its | spark-1/ratios/noop, against replay
spark | (\d\.\d)\s+times | spark-1/ratios/Parquet from the executors, against df.write.parquet
python | Typed changes of 14 columns\s+are\s+decoded\s+(\d+) times | changes/times_as_fast
../README | dissect\.cstruct[^|]*. ([\d.]+) | 1 / engine/contenders/dissect/times_the_baseline
../README | construct, compiled[^|]*. ([\d.]+) | 1 / engine/contenders/construct/times_the_baseline
../README | a loop with one `struct`[^|]*. ([\d.]+) | 1 / engine/contenders/struct_loop/times_the_baseline
../README | lmparse\*\*, which[^|]*. (\d+) | 1 / engine/contenders/columnar/times_the_baseline
../README | NumPy and Arrow[^|]*. (\d+) | 1 / engine/contenders/numpy_script/times_the_baseline
db2-luw | memory\s+of\s+`convert`\s+was\s+(\d+), \d+ | transactions/memory/0/anonymous_bytes
db2-luw | memory\s+of\s+`convert`\s+was\s+\d+, \d+ and (\d+) MB | transactions/memory/2/anonymous_bytes
"""
"""A page, the figure on it as the group of an expression, and the place of the value in a file of results: `1 /` if the
page has how many times as fast something is that takes such a share of the time."""


def measured(place: str) -> float:
    """The value that a benchmark wrote, in the unit of the pages: ms for lists of seconds, MB for bytes."""
    if place.startswith("1 / "):
        return 1 / measured(place.removeprefix("1 / "))
    name, *path = place.split("/")
    found = json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text("utf-8"))
    for key in path:
        found = found[int(key) if isinstance(found, list) else key]
    if isinstance(found, list):
        return 1000 * median(found)
    return float(found) / 1e6 if path[-1].endswith("_bytes") else float(found)


@pytest.mark.parametrize("line", FIGURES.strip().splitlines())
def test_a_figure_on_a_page_is_what_was_measured(line: str) -> None:
    page, expression, place = re.split(r" \| ", line)
    found = re.findall(expression, (ROOT / "docs" / f"{page}.md").read_text("utf-8"))
    assert len(found) == 1, "the figure is not on the page, or the expression is of another one"
    digits = len(found[0].partition(".")[2])
    assert abs(float(found[0]) - measured(place)) <= 10**-digits, (found[0], measured(place))
