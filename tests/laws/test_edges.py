"""The modules at the edge are thin: Spark and command line name no format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lmparse.spec import catalog

ROOT = Path(__file__).parents[2]


def words(path: Path) -> Iterator[str]:
    """Every word of a source text in lower case; parts of an identifier are words too."""
    letters = "".join(letter if letter.isalnum() else " " for letter in path.read_text(encoding="utf-8"))
    yield from letters.lower().split()


@pytest.mark.parametrize("package", ["spark", "cli"])
def test_no_format_is_named_at_the_edges(package: str) -> None:
    """But for the demo, which makes a log of each family."""
    plain = {
        "common", "control", "data", "decimal", "field", "header", "image", "lob", "log", "long", "lsn", "packed",
        "prefix", "raw", "row", "server", "transaction", "unlisted",
    }  # fmt: skip
    names = {word for spec_id in catalog.spec_ids() for word in spec_id.split("_")} - plain
    assert {"bmc", "lldf", "xtyp", "rdw"} <= names
    found = names | {"db2", "luw", "ebcdic", "totalsegs", "segmented"}
    modules = [path for path in (ROOT / "lmparse" / package).glob("*.py") if not path.stem.startswith("demo")]
    assert len(modules) > 3
    assert {path.name: named for path in modules if (named := found & set(words(path)))} == {}


def test_the_adapter_is_thin_and_uses_classic_spark_for_rdds_only() -> None:
    texts = {
        name: (ROOT / "lmparse" / "spark" / f"{name}.py").read_text() for name in ("source", "rdd", "parquet", "tasks")
    }
    assert max(len(text.splitlines()) for text in texts.values()) < 165
    assert not [name for name, text in texts.items() if "_jvm" in text]
    lines = [(name, line.strip()) for name, text in texts.items() for line in text.splitlines()]
    users = [(name, line) for name, line in lines if "sparkContext" in line]
    assert [name for name, _ in users] == ["rdd"]
    assert users[0][1].startswith("return spark.sparkContext.parallelize(parts")
