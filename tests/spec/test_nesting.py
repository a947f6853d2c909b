"""Types that hold each other are told apart from those that only hold others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lmparse.spec.nesting import rings

_NAMES = "abcdefgh"
_HELD = st.dictionaries(st.sampled_from(_NAMES), st.lists(st.sampled_from(_NAMES), max_size=4))


def _reached(inside: dict[str, list[str]], start: str) -> set[str]:
    found: set[str] = set()
    left = [*inside[start]]
    while left:
        name = left.pop()
        if name in inside and name not in found:
            found.add(name)
            left += inside[name]
    return found


@given(_HELD)
def test_a_ring_is_what_holds_each_other(inside: dict[str, list[str]]) -> None:
    reached = {name: _reached(inside, name) for name in inside}
    wanted = {
        name: {other for other in reached[name] if name in reached[other]} for name in inside if name in reached[name]
    }
    found = rings(inside)
    assert {name: set(ring) for name, ring in found.items()} == wanted
    for ring in found.values():
        assert all(found[name] is ring for name in ring)


def test_a_long_chain_takes_no_stack() -> None:
    inside = {f"{at}": [f"{at + 1}"] for at in range(5000)} | {"5000": ["0"]}
    assert len(rings(inside)["17"]) == 5001
