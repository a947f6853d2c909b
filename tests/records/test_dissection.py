"""Dissection: every byte of a record stands in a field, at the place where the parser read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lmparse.logs.open import open_file
from lmparse.options import Options
from lmparse.records.dissection import Dissection, Dissector
from lmparse.records.files import RecordFile
from lmparse.records.reader import RecordReader
from lmparse.spec import catalog
from lmparse.values.json_form import to_json

CASES = Path(__file__).parents[1] / "cases"
NEEDS_MORE = ("bmc_row_image", "bmc_lldf_data", "db2_row")
"""Specs whose records are parts of others."""


def files() -> Iterator[tuple[str, RecordFile]]:
    """The data of every case of records that stand on their own."""
    for text in sorted(CASES.glob("*/*.yaml")):
        data, spec = text.with_suffix(".bin"), text.parent.name
        if not data.exists() or spec in NEEDS_MORE:
            continue
        options = yaml.safe_load(text.read_text())["options"]
        if spec in known_on_their_own() and not text.with_suffix(".ctl").exists():
            yield str(text.relative_to(CASES)), open_file(data, Options.parse({"spec": spec, **options}))


def known_on_their_own() -> set[str]:
    return {name for name in catalog.spec_ids() if not catalog.load(name).layout.params or name == "db2_log"}


def test_every_byte_of_every_case_stands_in_one_field_with_the_value_of_records() -> None:
    count = 0
    for name, file in files():
        for extent in file.extents():
            raw = extent.read(file.buffer)
            found = Dissector(file.reader).dissect(raw)
            assert found.fault is None, name
            assert found.unread() == [], name
            leaves = list(found.leaves())
            assert sum(leaf.end - leaf.start for leaf in leaves) == len(raw), name
            values = to_json(file.reader.read(raw).values)
            present = {key for key, value in values.items() if value not in (None, [])} - {"kind"}
            shown = (*found.nodes, *(node for node in found.calculated if "." not in node.path))
            assert present <= {node.path for node in shown}, name
            for node in shown:
                assert node.children or node.value == values.get(node.path), name
            # Two fields of one name, in two parts of a record, would leave `records` one value for both.
            assert len({node.path for node in shown}) == len(shown), name
            count += 1
    assert count > 800


def dissect(spec: str, raw: bytes, **arguments: Any) -> Dissection:
    return Dissector(RecordReader(catalog.load(spec), **arguments)).dissect(raw)


def every_field() -> bytes:
    file = open_file(CASES / "bmc_lldf" / "every_field.bin", Options.parse({}))
    return next(file.extents()).read(file.buffer)


def column() -> bytes:
    file = open_file(CASES / "bmc_dlci" / "every_field.bin", Options.parse({"spec": "bmc_dlci"}))
    return next(file.extents()).read(file.buffer)


def test_a_field_has_its_place_value_and_meaning() -> None:
    node = dissect("bmc_lldf", every_field()).at("change_type")
    assert node is not None
    assert (node.start, node.end, node.value, node.meaning) == (104, 106, "I", "Insert: the row after")


@pytest.mark.parametrize("end", [0, 1, 4, 15, 16, 192])
def test_a_record_that_ends_too_early_is_there_up_to_its_end(end: int) -> None:
    whole = dissect("bmc_dlci", column())
    found = dissect("bmc_dlci", column()[:end])
    assert found.fault is not None
    assert found.fault.code == "LMP-R001"
    *sound, cut = found.nodes
    assert (cut.path, cut.fault, cut.end, cut.value) == (found.fault.field, found.fault, end, None)
    assert tuple(sound) == whole.nodes[: len(sound)]
    assert found.unread() == []


def test_a_value_that_is_refused_stands_there_with_its_fault_and_the_rest_is_unread() -> None:
    raw = bytes((0, 12)) + every_field()[2:]
    found = dissect("bmc_lldf", raw)
    assert found.fault is not None
    assert found.fault.code == "LMP-V003"
    assert [(node.path, node.value, node.fault) for node in found.nodes] == [("length", 12, found.fault)]
    assert found.unread() == [(2, len(raw))]


def test_a_fault_inside_a_list_is_named_as_its_error_names_it() -> None:
    spec = catalog.load("bmc_lldf_data")
    update = catalog.load("bmc_lldf").enum("change_type")["update"]
    raw = bytes((0, 12, 0, 3)) + b"old" + bytes((0, 9)) + b"new"
    found = dissect("bmc_lldf_data", raw, arguments=(update, spec.enum("reading")["total"]))
    assert found.fault is not None
    faulty = [node.path for node in found.walk() if node.fault is not None]
    assert faulty == [found.fault.field]
    assert found.at("images[0].row") is not None
