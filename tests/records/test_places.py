"""Places: what the debug parsers record of where they found fields."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from kaitaistruct import KaitaiStream

from lmparse.records.places import places_of, steps_to_end
from lmparse.spec import catalog


def noted(spec: str, raw: bytes) -> Any:
    """What the debug parser made of some bytes that are sound."""
    parsed = catalog.load(spec).debug_parser(KaitaiStream(BytesIO(raw)))
    parsed._read()
    return parsed


def test_bits_begin_in_the_byte_that_they_share() -> None:
    extended, normal = noted("zos_bdw", bytes((0x80, 0, 0, 12))), noted("zos_bdw", bytes((0, 12, 0, 0)))
    assert [places_of(extended, name) for name in ("is_extended", "length_extended")] == [[(0, 1)], [(0, 4)]]
    assert [places_of(normal, name) for name in ("is_extended", "length_normal", "reserved")] == [
        [(0, 1)], [(0, 2)], [(2, 4)],
    ]  # fmt: skip
    assert places_of(extended, "length_normal") == []


def test_the_field_that_was_read_last_is_where_a_parser_ended() -> None:
    (step,) = steps_to_end(noted("zos_rdw", bytes((0, 8, 0, 0))))
    assert (step.name, step.start, step.index) == ("reserved", 2, None)
