"""Fields: what has changed in one field that is in both states of a spec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lmparse.review.diff.pairs import LayoutPair, Pairs, spec_of
from lmparse.spec.ksy import Specs
from lmparse.spec.layout import Field, Layout, is_reserved

Said = str | int | None
"""What stood or stands there; None for nothing."""
Found = tuple[str, Said, Said]
"""Rule, what stood there, what stands there."""
INHERITED = "of the record"
"""What `order` of a number says that has none of its own."""
_ALIKE = (frozenset(("bytes", "lrsn10", "rba10")), frozenset(("char", "code")))
"""Kinds whose values are shown the same."""
_NUMBERS = ("uint", "int", "float")
_NESTED = ("struct", "body")
_TOLD_BY_OTHERS = frozenset(("bits", "order", "number", "if"))
_CASE = "case "
_OF_NO_RECORD = re.compile(r"meta/(?!encoding$|bit-endian$)|to-string$|-(?!lm-|unit$|scale$|codec$)")
"""Keys that say nothing of how bytes are read."""


@dataclass(frozen=True)
class Moved:
    """A field that a change in front of it has moved. Offsets are in bytes, None where the data says them."""

    layout: str
    field: str
    old: int | None
    new: int | None


@dataclass
class Draft:
    """A change while its consequences are gathered; its rule may follow from them."""

    rule: str
    layout: str
    """Id in the later state, where there is one."""
    member: str
    """Field; `params.x`, `instances.x`, `enums.x` for what is none; empty for the layout itself."""
    old: Said
    new: Said
    before: str = ""
    """What the member was called."""
    moved: list[Moved] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    """Other fields that the same change is in."""
    needs_bytes: bool = False
    """Whether an added field asks for bytes that records need not have had."""
    takes_reserved: bool = False
    """Whether a number has grown, on the side of its leading digits, into bytes that were reserved."""


def is_of_no_record(key: str) -> bool:
    """Whether a key of a spec says nothing of how bytes are read."""
    return bool(_OF_NO_RECORD.match(key))


def order_of(state: Specs, layout: Layout, entry: Field) -> str:
    """The byte order of a number of several bytes; empty for everything else."""
    own = state.details.get(layout.id, {}).get(entry.id, {}).get("order", "")
    return endian_of(state, layout) if own == INHERITED else own


def endian_of(state: Specs, layout: Layout) -> str:
    """`be`, `le`, or the expression that decides."""
    details = (state.details.get(name, {}).get("", {}) for name in (layout.id, spec_of(layout.id)))
    return layout.endian or next((text for one in details if (text := one.get("meta/endian"))), "")


class FieldComparison:
    """Compares the fields of one pair of layouts."""

    def __init__(self, pairs: Pairs, pair: LayoutPair) -> None:
        self._pairs = pairs
        self._pair = pair
        self._words = pairs.renamed_words(spec_of(pair.id))

    def changes(self, old: Field, new: Field) -> list[Draft]:
        """Everything that has changed in a field but its place."""
        found = [
            *self._name_and_kind(old, new),
            *self._nested(old, new),
            *self._size(old, new),
            *self._presence(old, new),
            *_meaning(old, new),
            *_limits(old, new),
            *self._expressions(old, new),
            *_descriptions(old, new),
        ]
        return [Draft(rule, self._pair.id, new.id, said, says, old.id) for rule, said, says in found]

    def in_later_words(self, text: str) -> str:
        """An expression with everything that has another name under that name."""
        return re.sub(r"\w+", lambda match: self._words.get(match[0], match[0]), text) if self._words else text

    def _name_and_kind(self, old: Field, new: Field) -> Iterator[Found]:
        if old.id != new.id:
            yield "reserved-changed" if is_reserved(new.id) else "field-renamed", old.id, new.id
        letters = self._detail(new, "number")
        if {old.kind, new.kind} == {"uint", "int"}:
            yield "sign-changed", old.kind, new.kind
        elif old.kind != new.kind:
            is_alike = any({old.kind, new.kind} <= kinds for kinds in _ALIKE) and _shows_as_much(old, new)
            if not _is_open_end(old, new) and not self._is_told_at_type(old, new):
                yield "kind-alike" if is_alike else "kind-changed", _kind(old), _kind(new)
        elif all(letters) and letters[0] != letters[1]:
            yield _found("sign-changed" if set(letters) == {"u", "s"} else "kind-changed", letters)
        if old.repeated != new.repeated:
            yield _found("repetition-changed", ["list" if entry.repeated else "one" for entry in (old, new)])
        own, orders = self._detail(new, "order"), self._orders(old, new)
        if own[0] != own[1] and all(orders) and orders[0] != orders[1]:
            yield _found("byte-order-changed", orders)

    def _orders(self, old: Field, new: Field) -> tuple[str, str]:
        pairs, pair = self._pairs, self._pair
        return order_of(pairs.old, pair.old, old), order_of(pairs.new, pair.new, new)

    def _is_told_at_type(self, old: Field, new: Field) -> bool:
        """Whether the kind is that of a type which has another kind."""
        before, after = self._types(old, new)
        if before is None or after is None or self._pairs.renamed(before.id) != after.id:
            return False
        return before.kind != after.kind and (before.kind or "struct", after.kind or "struct") == (old.kind, new.kind)

    def _types(self, old: Field, new: Field) -> tuple[Layout | None, Layout | None]:
        return self._pairs.old.layouts.get(old.type or ""), self._pairs.new.layouts.get(new.type or "")

    def _nested(self, old: Field, new: Field) -> Iterator[Found]:
        if self._pairs.renamed(old.type) == new.type and bool(old.cases) == bool(new.cases):
            return
        before, after = self._types(old, new)
        if before and after and (before.fields, before.kind) == (after.fields, after.kind):
            yield "type-renamed", old.type, new.type
        elif old.kind == new.kind:
            is_alike = old.kind not in _NESTED and _shows_as_much(old, new)
            yield "kind-alike" if is_alike else "type-changed", _nested_in(old), _nested_in(new)

    def _size(self, old: Field, new: Field) -> Iterator[Found]:
        bits = self._detail(new, "bits")
        if bits[0] != bits[1]:
            is_narrower = all(bits) and int(bits[1]) < int(bits[0])
            sizes = [f"{own} bits" if own else _width(entry) for own, entry in zip(bits, (old, new), strict=True)]
            yield _found("number-narrowed" if is_narrower else "width-changed", sizes)
        elif old.width != new.width and old.repeated == new.repeated and not self._follows_type(old, new):
            widths = old.width, new.width
            is_narrower = new.kind in _NUMBERS and None not in widths and (new.width or 0) < (old.width or 0)
            yield "number-narrowed" if is_narrower else "width-changed", _width(old), _width(new)

    def _follows_type(self, old: Field, new: Field) -> bool:
        """Whether the width is that of the nested type, so that the change is told there."""
        before, after = self._types(old, new)
        if before is None or after is None:
            return bool(before or after) and old.kind == new.kind
        if self._pairs.renamed(before.id) != after.id:
            return True
        sizes = self._detail(new, "size")
        return sizes == ("", "") and (before.width, after.width) == (old.width, new.width)

    def _presence(self, old: Field, new: Field) -> Iterator[Found]:
        states = _presence(old), _presence(new)
        texts = self._detail(new, "if")
        said = [f"if {text}" if text else state for text, state in zip(texts, states, strict=True)]
        if states[0] == states[1]:
            ends = self.in_later_words(old.ends or ""), new.ends or ""
            if self.in_later_words(texts[0]) != texts[1]:
                yield _found("reading-changed", said)
            elif ends[0] != ends[1] and old.width == new.width and not self._has_other_size(new):
                yield _found("reading-changed", [f"up to {end}" if end else None for end in ends])
        elif states[1] == "always":
            yield _found("field-mandatory", said)
        else:
            yield _found("field-optional" if states[0] == "always" else "reading-changed", said)

    def _has_other_size(self, new: Field) -> bool:
        return any(before != after for before, after in (self._detail(new, key) for key in ("size", "size-eos")))

    def _expressions(self, old: Field, new: Field) -> Iterator[Found]:
        """What the parser goes by beyond the layout."""
        before, after = self._pairs.detail(self._pair, new.id)
        told = set(_TOLD_BY_OTHERS)
        if old.width != new.width:
            told |= {"size", "size-eos"}
        if old.repeated != new.repeated:
            told |= {"repeat", "repeat-expr", "repeat-until", "size"}
        if bool(old.cases) != bool(new.cases) or self._pairs.renamed(old.type) != new.type:
            told |= {"switch-on", "arguments", *(key for key in {*before, *after} if key.startswith(_CASE))}
        elif old.cases or new.cases:
            yield from self._cases(old, new, before, after)
        for key in sorted({*before, *after} - told):
            said = before.get(key), after.get(key)
            if not key.startswith(_CASE) and self.in_later_words(said[0] or "") != (said[1] or ""):
                rule = "about-changed" if is_of_no_record(key) else "reading-changed"
                yield _found(rule, [None if text is None else f"{key}: {text}" for text in said])

    def _cases(self, old: Field, new: Field, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Found]:
        """Kinds of nested records; those that take and had taken one type are told of together."""
        earlier = {self.in_later_words(key): self._case(text) for key, text in before.items() if key.startswith(_CASE)}
        later = {key: text for key, text in after.items() if key.startswith(_CASE)}
        groups: dict[tuple[str | None, str | None], list[str]] = {}
        for key in [*earlier, *(key for key in later if key not in earlier)]:
            types = earlier.get(key), later.get(key)
            if types[0] != types[1]:
                groups.setdefault(types, []).append(key.removeprefix(_CASE).rpartition("::")[2])
        for types, keys in groups.items():
            rule = "case-added" if types[0] is None else "case-removed" if types[1] is None else "case-changed"
            yield _found(rule, [None if text is None else f"{', '.join(keys)}: {text}" for text in types])
        held = {self._pairs.renamed(case) for case in old.cases}, set(new.cases)
        if not groups and held[0] != held[1]:
            yield "type-changed", _nested_in(old), _nested_in(new)

    def _case(self, text: str) -> str:
        """The type of a case, and what it is given, under later names."""
        name, bracket, arguments = text.partition("(")
        return f"{self._pairs.renamed(name)}{bracket}{self.in_later_words(arguments)}"

    def _detail(self, new: Field, key: str) -> tuple[str, str]:
        before, after = self._pairs.detail(self._pair, new.id)
        return before.get(key, ""), after.get(key, "")


def _found(rule: str, both: Sequence[Said]) -> Found:
    before, after = both
    return rule, before, after


def _meaning(old: Field, new: Field) -> Iterator[Found]:
    if old.codec != new.codec and (old.kind == new.kind or (old.codec and new.codec)):
        yield "codec-changed", old.codec, new.codec
    if old.scale != new.scale:
        yield "scale-changed" if (old.scale or 0) != (new.scale or 0) else "unit-stated", old.scale, new.scale
    if old.unit != new.unit:
        yield "unit-changed" if old.unit and new.unit else "unit-stated", old.unit, new.unit


def _limits(old: Field, new: Field) -> Iterator[Found]:
    least, most = (old.minimum, new.minimum), (old.maximum, new.maximum)
    if least[0] != least[1]:
        is_stricter = least[1] is not None and (least[0] is None or least[1] > least[0])
        yield _found("minimum-raised" if is_stricter else "minimum-lowered", least)
    if most[0] != most[1]:
        is_stricter = most[1] is not None and (most[0] is None or most[1] < most[0])
        yield _found("maximum-lowered" if is_stricter else "maximum-raised", most)
    if old.checks != new.checks:
        yield "check-added" if new.checks else "check-removed", old.checks or None, new.checks or None


def _descriptions(old: Field, new: Field) -> Iterator[Found]:
    for rule, name in (
        ("status-changed", "status"),
        ("doc-changed", "doc"),
        ("reference-changed", "doc_ref"),
        ("source-changed", "source"),
        ("orig-id-changed", "orig_id"),
    ):
        said, says = getattr(old, name), getattr(new, name)
        if said != says:
            yield rule, said or None, says or None


def _shows_as_much(old: Field, new: Field) -> bool:
    """Whether a field of another kind has as many bytes, and no columns for parts of them are lost."""
    return old.width == new.width and not (old.kind == "bytes" and old.type)


def _is_open_end(old: Field, new: Field) -> bool:
    """Whether bytes of fixed width have become bytes up to where the data says, or the reverse: a matter of width."""
    return {old.kind, new.kind} == {"bytes", "variable"} and old.width != new.width


def _presence(entry: Field) -> str:
    words = [word for word in ("optional", "conditional") if getattr(entry, word)]
    return ", ".join(words) or "always"


def _kind(entry: Field) -> str:
    return f"{entry.kind} ({entry.codec})" if entry.codec else entry.kind


def _width(entry: Field) -> str:
    return "variable" if entry.width is None else f"{entry.width} byte{'' if entry.width == 1 else 's'}"


def _nested_in(entry: Field) -> str | None:
    return entry.type or ", ".join(entry.cases) or None


def described(entry: Field) -> str:
    """A field in a few words: `char, 8 bytes at 220`."""
    return f"{_kind(entry)}, {_width(entry)}" + ("" if entry.offset is None else f" at {entry.offset}")
