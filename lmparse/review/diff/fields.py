"""Fields: the facts that a spec states of a member of a layout, by key, and the rule for a change of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Field, Layout, spec_of

Said = str | int | None
"""The text or number in one state; None for nothing."""
Facts = Mapping[str, Said]
Found = tuple[str, Said, Said]
"""Rule, text before, text after."""

_ALIKE = (frozenset(("bytes", "lrsn10", "rba10")), frozenset(("char", "code")))
"""Kinds whose values are shown the same."""
_TEXTS = {
    "doc": "doc-changed", "doc-ref": "reference-changed", "-orig-id": "orig-id-changed", "-lm-source": "source-changed",
    "-lm-status": "status-changed", "-lm-valid-status": "status-changed", "title": "title-changed",
}  # fmt: skip
_PLAIN = {
    "checks": "check-added", "codec": "codec-changed", "byte order": "byte-order-changed", "type": "type-changed",
    "repetition": "repetition-changed",
}  # fmt: skip
_CONSEQUENCES = {
    "kind": ("type", "number", "byte order"),
    "width": ("size", "size-eos"),
    "repetition": ("width", "size", "repeat", "repeat-expr", "repeat-until"),
    "type": ("arguments", "switch-on"),
    "presence": ("ends", "may be missing"),
}
"""Facts that follow from another one: where that has changed, their changes are not reported."""
_NO_READING = re.compile(r"meta/(?!encoding$|bit-endian$)|to-string$|-(?!lm-|unit$|scale$|codec$)")
"""Keys without a meaning for how bytes are read."""
READING = "reading-changed"
CASE = "case "
FOLLOWS = "follows its type"
"""Whether the width of a field is that of its type: no change of its own then."""


def facts_of(specs: Specs, layout: Layout, entry: Field) -> dict[str, Said]:
    """What a spec states of a field, without its place and its codes."""
    said = dict(specs.details.get(layout.id, {}).get(entry.id, {}))
    nested = specs.layouts.get(entry.type or "")
    follows = nested is not None and "size" not in said and not entry.repeated and entry.width == nested.width
    presence = ", ".join(word for word in ("optional", "conditional") if getattr(entry, word)) or "always"
    condition = said.pop("if", "")
    own_order = said.pop("order", "")
    order = endian_of(specs, layout) if own_order == "of the record" else own_order
    return {
        "kind": entry.kind,
        "width": width_of(entry),
        FOLLOWS: int(follows),
        "byte order": order or None,
        "presence": f"if {condition}" if condition else presence,
        "may be missing": presence,
        "ends": f"up to {entry.ends}" if entry.ends else None,
        "repetition": "list" if entry.repeated else "one",
        "type": "one of several" if entry.cases else entry.type,
        "cases": ", ".join(sorted(entry.cases)) or None,
        "scale": entry.scale, "unit": entry.unit, "codec": entry.codec,
        "minimum": entry.minimum, "maximum": entry.maximum, "checks": entry.checks or None,
        "doc": entry.doc, "doc-ref": entry.doc_ref, "-orig-id": entry.orig_id, "-lm-source": entry.source,
        "-lm-status": entry.status, "-lm-valid-status": entry.valid_status,
        **said,
    }  # fmt: skip


def changes_of(old: Facts, new: Facts, default: str = READING) -> Iterator[Found]:
    """The changes between two states of the facts of one member; `default` is the rule for a key without its own."""
    keys = [key for key in dict.fromkeys([*old, *new]) if _stated(old.get(key)) != _stated(new.get(key))]
    hidden = {FOLLOWS, *(follower for key in keys for follower in _CONSEQUENCES.get(key, ()))}
    if old.get(FOLLOWS) and new.get(FOLLOWS):
        hidden.add("width")
    if "kind" in keys and not (old.get("codec") and new.get("codec")):
        hidden.add("codec")
    if {old.get("kind"), new.get("kind")} == {"bytes", "variable"}:
        hidden.add("kind")  # the width says so
    if "type" in keys:
        hidden |= {key for key in keys if key.startswith(CASE)}
    if any(key.startswith(CASE) for key in keys) or "type" in keys:
        hidden.add("cases")
    for key in keys:
        if key not in hidden:
            before, after = old.get(key), new.get(key)
            rule, is_plain = _rule(key, before, after, default)
            name = key.removeprefix(CASE).rpartition("::")[2]
            shown = [
                said if is_plain or said is None else f"{name}: {said}" for said in (_stated(before), _stated(after))
            ]
            yield rule, shown[0], shown[1]


def _stated(said: Said) -> Said:
    """What a state says; an empty text is nothing, and a zero is not."""
    return None if said == "" else said


def _rule(key: str, old: Said, new: Said, default: str) -> tuple[str, bool]:
    """The rule for the change of a fact, and whether its text says enough without the key."""
    word = key.rpartition("/")[2]
    if key in _TEXTS:
        return _TEXTS[key], True
    if word in _TEXTS:
        return _TEXTS[word], False
    if key == "checks" and new is None:
        return "check-removed", True
    if key in _PLAIN and default == READING:
        return _PLAIN[key], True
    if key == "kind":
        is_alike = any({old, new} <= alike for alike in _ALIKE)
        return "kind-alike" if is_alike else "kind-changed", True
    if key == "width":
        return "width-changed", True
    if key in ("minimum", "maximum"):
        return _limit(key, old, new), True
    if key == "scale":
        return "scale-changed" if (old or 0) != (new or 0) else "unit-stated", True
    if key == "unit":
        return "unit-changed" if old and new else "unit-stated", True
    if key == "presence":
        gone = "field-mandatory" if new == "always" else READING
        return "field-optional" if old == "always" else gone, True
    if key == "cases":
        return "type-changed", True
    if key.startswith(CASE):
        return "case-added" if old is None else "case-removed" if new is None else "case-changed", False
    return "about-changed" if _NO_READING.match(key) else default, False


def _limit(key: str, old: Said, new: Said) -> str:
    if not isinstance(new, int):
        is_stricter = False
    elif not isinstance(old, int):
        is_stricter = True
    else:
        is_stricter = new > old if key == "minimum" else new < old
    if key == "minimum":
        return "minimum-raised" if is_stricter else "minimum-lowered"
    return "maximum-lowered" if is_stricter else "maximum-raised"


def endian_of(specs: Specs, layout: Layout) -> str:
    """The byte order of the numbers of a layout: `be`, `le`, or the expression that decides."""
    texts = (specs.details.get(name, {}).get("", {}).get("meta/endian") for name in (layout.id, spec_of(layout.id)))
    return layout.endian or next(filter(None, texts), "")


def width_of(entry: Field) -> str:
    """The width of a field in words."""
    if entry.bits is not None:
        return f"{entry.bits} bit{'' if entry.bits == 1 else 's'}"
    return "variable" if entry.width is None else f"{entry.width} byte{'' if entry.width == 1 else 's'}"


def described(entry: Field) -> str:
    """A field in a few words: `char, 8 bytes at 220`."""
    kind = f"{entry.kind} ({entry.codec})" if entry.codec else entry.kind
    return f"{kind}, {width_of(entry)}" + ("" if entry.offset is None else f" at {entry.offset}")
