"""Fields: the changes of one field that is in both states of a spec."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lmparse.review.diff.pairs import LayoutPair, Pairs, said_of
from lmparse.review.diff.rules import RULES
from lmparse.spec.ksy import Specs
from lmparse.spec.layout import NESTED, Field, Layout, is_reserved, spec_of

Said = str | int | None
"""The text or number in one state; None for nothing."""
Found = tuple[str, Said, Said]
"""Rule, text before, text after."""
INHERITED = "of the record"
"""The `order` of a number without a byte order of its own."""
_ALIKE = (frozenset(("bytes", "lrsn10", "rba10")), frozenset(("char", "code")))
"""Kinds whose values are shown the same."""
_NUMBERS = ("uint", "int", "float")
_TEXTS = {
    "status": "status-changed", "doc": "doc-changed", "doc_ref": "reference-changed", "source": "source-changed",
    "orig_id": "orig-id-changed", "valid_status": "status-changed",
}  # fmt: skip
_REPORTED_ELSEWHERE = frozenset(("order", "number", "if"))
_CASE = "case "
_OF_NO_RECORD = re.compile(r"meta/(?!encoding$|bit-endian$)|to-string$|-(?!lm-|unit$|scale$|codec$)")
"""Keys without a meaning for how bytes are read."""


@dataclass(frozen=True)
class Moved:
    """A field that a change in front of it has moved. Offsets are in bytes, None where the data decides them."""

    layout: str
    field: str
    old: int | None
    new: int | None


@dataclass
class SpecChange:
    """One change with its consequences. The rule may become another one while the consequences are collected."""

    rule: str
    """One of RULES."""
    layout: str
    """Id in the later state, if it is there."""
    field: str
    """Field of the layout; `params.x`, `instances.x`, `enums.x` for other members; empty for the layout itself."""
    old: Said
    new: Said
    before: str = ""
    """The earlier name of the field."""
    moved: list[Moved] = dataclasses.field(default_factory=list)
    """Fields that the change moves."""
    rests: list[Moved] = dataclasses.field(default_factory=list)
    """Bytes behind the known fields (`rest`) that it moves."""
    also: list[str] = dataclasses.field(default_factory=list)
    """Fields with the same change, if it is a change of a list of codes, a type or a byte order."""
    effects: set[str] = dataclasses.field(default_factory=set)
    """What the change does to the columns that Spark shows."""
    columns: set[str] = dataclasses.field(default_factory=set)
    """The columns that it affects: `bmc_lldf.rid_page`."""
    needs_bytes: bool = False
    """Whether an added field needs bytes that existing records may lack."""
    takes_reserved: bool = False
    """Whether a number has grown, at its leading digits, into bytes that were reserved."""

    @property
    def cls(self) -> str:
        """Its class."""
        return RULES[self.rule].cls

    @property
    def spec(self) -> str:
        """Id of the spec."""
        return spec_of(self.layout)


def came_and_went(
    kind: str, layout: str, place: str, old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[SpecChange]:
    """A change for each member `place.name` that is in one state only; the values of the mappings are shown."""
    for name in sorted(old.keys() - new.keys()):
        yield SpecChange(f"{kind}-removed", layout, f"{place}.{name}", old[name], None)
    for name in sorted(new.keys() - old.keys()):
        yield SpecChange(f"{kind}-added", layout, f"{place}.{name}", None, new[name])


def is_of_no_record(key: str) -> bool:
    """Whether a key of a spec has no meaning for how bytes are read."""
    return bool(_OF_NO_RECORD.match(key))


def order_of(state: Specs, layout: Layout, entry: Field) -> str:
    """The byte order of a number of several bytes; empty for everything else."""
    own = said_of(state, layout.id, entry.id).get("order", "")
    return endian_of(state, layout) if own == INHERITED else own


def endian_of(state: Specs, layout: Layout) -> str:
    """`be`, `le`, or the expression that decides."""
    texts = [said_of(state, name, "").get("meta/endian") for name in (layout.id, spec_of(layout.id))]
    return layout.endian or next(filter(None, texts), "")


class FieldComparison:
    """Compares the fields of one pair of layouts."""

    def __init__(self, pairs: Pairs, pair: LayoutPair) -> None:
        self._pairs = pairs
        self._pair = pair
        self._words = pairs.renamed_words(spec_of(pair.id))

    def changes(self, old: Field, new: Field) -> list[SpecChange]:
        """All changes of a field but those of its place."""
        found = [
            *self._name_and_kind(old, new),
            *self._nested(old, new),
            *self._size(old, new),
            *self._presence(old, new),
            *_meaning(old, new),
            *_limits(old, new),
            *self._expressions(old, new),
            *changed_texts(old, new, _TEXTS),
        ]
        return [SpecChange(rule, self._pair.id, new.id, said, says, old.id) for rule, said, says in found]

    def in_later_words(self, text: str) -> str:
        """An expression with the later names of all that is renamed."""
        return re.sub(r"\w+", lambda match: self._words.get(match[0], match[0]), text) if self._words else text

    def _name_and_kind(self, old: Field, new: Field) -> Iterator[Found]:
        if old.id != new.id:
            yield "reserved-changed" if is_reserved(new.id) else "field-renamed", old.id, new.id
        letters = self._detail(new, "number")
        if {old.kind, new.kind} == {"uint", "int"}:
            yield "sign-changed", old.kind, new.kind
        elif old.kind != new.kind:
            is_alike = any({old.kind, new.kind} <= kinds for kinds in _ALIKE) and _shows_as_much(old, new)
            if not _is_open_end(old, new) and not self._is_change_of_type(old, new):
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

    def _is_change_of_type(self, old: Field, new: Field) -> bool:
        """Whether the type of the field has changed its kind, so that the change is reported there."""
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
            is_alike = old.kind not in NESTED and _shows_as_much(old, new)
            yield "kind-alike" if is_alike else "type-changed", _nested_in(old), _nested_in(new)

    def _size(self, old: Field, new: Field) -> Iterator[Found]:
        if old.bits != new.bits:
            is_narrower = old.bits is not None and new.bits is not None and new.bits < old.bits
            yield "number-narrowed" if is_narrower else "width-changed", _width(old), _width(new)
        elif old.width != new.width and old.repeated == new.repeated and not self._follows_type(old, new):
            widths = old.width, new.width
            is_narrower = new.kind in _NUMBERS and None not in widths and (new.width or 0) < (old.width or 0)
            yield "number-narrowed" if is_narrower else "width-changed", _width(old), _width(new)

    def _follows_type(self, old: Field, new: Field) -> bool:
        """Whether the width is that of the nested type, so that the change is reported there."""
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
        """Changes of what the parser uses beyond the layout."""
        before, after = self._pairs.detail(self._pair, new.id)
        reported = set(_REPORTED_ELSEWHERE)
        if old.width != new.width:
            reported |= {"size", "size-eos"}
        if old.repeated != new.repeated:
            reported |= {"repeat", "repeat-expr", "repeat-until", "size"}
        if bool(old.cases) != bool(new.cases) or self._pairs.renamed(old.type) != new.type:
            reported |= {"switch-on", "arguments", *(key for key in {*before, *after} if key.startswith(_CASE))}
        elif old.cases or new.cases:
            yield from self._cases(old, new, before, after)
        for key in sorted({*before, *after} - reported):
            said = before.get(key), after.get(key)
            if not key.startswith(_CASE) and self.in_later_words(said[0] or "") != (said[1] or ""):
                rule = "about-changed" if is_of_no_record(key) else "reading-changed"
                yield _found(rule, [None if text is None else f"{key}: {text}" for text in said])

    def _cases(self, old: Field, new: Field, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Found]:
        """Changes of the cases; keys with the same types before and after are reported together."""
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
        """The type of a case and its arguments, under later names."""
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


def changed_texts(old: Field | Layout, new: Field | Layout, rules: Mapping[str, str]) -> Iterator[Found]:
    """Changes of texts of a field or a layout; `rules` has the rule for each attribute."""
    for name, rule in rules.items():
        said, says = getattr(old, name), getattr(new, name)
        if said != says:
            yield rule, said or None, says or None


def _shows_as_much(old: Field, new: Field) -> bool:
    """Whether a field of another kind has as many bytes, and no columns of its parts are lost."""
    return old.width == new.width and not (old.kind == "bytes" and old.type)


def _is_open_end(old: Field, new: Field) -> bool:
    """Whether bytes of fixed width have got a length that the data decides, or the reverse: a change of width."""
    return {old.kind, new.kind} == {"bytes", "variable"} and old.width != new.width


def _presence(entry: Field) -> str:
    words = [word for word in ("optional", "conditional") if getattr(entry, word)]
    return ", ".join(words) or "always"


def _kind(entry: Field) -> str:
    return f"{entry.kind} ({entry.codec})" if entry.codec else entry.kind


def _width(entry: Field) -> str:
    if entry.bits is not None:
        return f"{entry.bits} bit{'' if entry.bits == 1 else 's'}"
    return "variable" if entry.width is None else f"{entry.width} byte{'' if entry.width == 1 else 's'}"


def _nested_in(entry: Field) -> str | None:
    return entry.type or ", ".join(entry.cases) or None


def described(entry: Field) -> str:
    """A field in a few words: `char, 8 bytes at 220`."""
    return f"{_kind(entry)}, {_width(entry)}" + ("" if entry.offset is None else f" at {entry.offset}")
