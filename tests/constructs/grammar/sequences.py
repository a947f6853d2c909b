"""Fields in which later ones depend on earlier ones, on the place in the record and on its end."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from constructs.bare import Tree
from constructs.grammar import words
from constructs.grammar.expressions import Expressions

ENUMS = {"color": {0: "black", 1: "red", 2: "green"}}
DEEP = "deep"
"""A type that contains itself."""
_COUNTING = ("u1", "u2", "s1", "u2le", "u4", "b4", "b8")
_PLAIN = 0.65
"""Share of specs that need the parser for no field as such, only where their fields depend on each other."""
_LISTED = (1, 2, 2, 3)


@dataclass
class Known:
    """What fields may name."""

    names: list[str] = field(default_factory=list)
    """Numbers that all records have."""
    odd: list[str] = field(default_factory=list)
    """Numbers that a record may not have."""
    types: list[str] = field(default_factory=list)
    """Types with their arguments left out; `params` are those that need one."""
    params: set[str] = field(default_factory=set)

    def but(self, types: Sequence[str]) -> Known:
        """The same with other types and lists of names of its own."""
        return Known([*self.names], [*self.odd], [*types], self.params)


class Sequences:
    """Makes the fields of types; if they are plain, such as the columnar engine may read many at a time."""

    def __init__(self, chance: random.Random, *, is_plain: bool) -> None:
        self.chance, self.is_plain = chance, is_plain

    def fields(self, prefix: str, count: int, known: Known, *, often: float = 0.35) -> list[Tree]:
        """Fields of a type, each with a condition as often as said; their numbers are then known."""
        made = []
        for number in range(count):
            field = {"id": f"{prefix}{number}"} | self._field(known)
            if "repeat" not in field and self.chance.random() < often:
                field["if"] = self.over(known).any_condition()
            made.append(field)
            self._remember(field, known)
        return made

    def over(self, known: Known) -> Expressions:
        """Expressions over what is known."""
        return Expressions(self.chance, known.names, known.odd)

    def typed(self, name: str, known: Known) -> str:
        """A type with the argument that it needs."""
        return f"{name}({self.over(known).number(1)})" if name in known.params else name

    def tail(self, prefix: str, known: Known, *, often: float) -> list[Tree]:
        """What takes the bytes that are left, as often as said."""
        if self.chance.random() > often:
            return []
        made = {"id": f"{prefix}r"} | words.rest(self.chance)
        if self.chance.random() < 0.1:
            made["if"] = self.over(known).where()
        return [made]

    def inner_type(self, prefix: str, known: Known) -> Tree:
        """A type without types inside it that are not known."""
        tree: Tree = {"seq": self.fields(prefix, self.chance.randrange(1, 4), known)}
        tree["seq"] += self.tail(prefix, known, often=0.25)
        if self.chance.random() < 0.1:
            tree["meta"] = {"endian": self.chance.choice(("le", "be"))}
        return tree

    def instances(self, prefix: str, known: Known) -> Tree:
        """Values computed from others, which later fields may name, and values at other places."""
        made: Tree = {}
        chance, over = self.chance, self.over(known)
        if chance.random() < 0.5:
            made[f"{prefix}v"] = {"value": chance.choice((over.name(), f"{over.name()} + 1", over.number()))}
        if chance.random() < 0.3:
            made[f"{prefix}c"] = {"value": over.name(), "if": over.plain()}
        known.odd += made
        if chance.random() < 0.25 and not self.is_plain:
            place = {"pos": chance.choice(("0", "1", over.name(), "_io.size - 1"))}
            made[f"{prefix}p"] = place | chance.choice(({"type": "u1"}, {"size": 2}, {"size": over.size()}))
        if chance.random() < 0.15:
            made[f"{prefix}k"] = {"pos": chance.choice((0, 1)), "type": "u1", "-lm-column": False}
            known.odd.append(f"{prefix}k")
        return made

    def _field(self, known: Known) -> Tree:
        chance, roll = self.chance, self.chance.random()
        if roll < 0.45:
            found = words.number(chance, is_plain=self.is_plain)
        elif roll < 0.55:
            found = words.bytes_(chance, is_plain=self.is_plain)
        elif roll < 0.6:
            found = words.decimal(chance)
        elif roll < 0.72:
            found = {"size": self.over(known).size()}
            ways: list[Tree] = [{}, {}, {"-codec": "cp037"}]
            if not self.is_plain:
                ways.append({"process": words.process(chance, known.names)})
            found |= chance.choice(ways)
        else:
            found = self._nested(known) if known.types else {"type": "u1"}
        may_repeat = found.get("type") in known.types if self.is_plain else True
        if chance.random() < 0.15 and may_repeat and not {"process", "contents", "valid"} & found.keys():
            found |= self._repeated(found, known)
        return found

    def _nested(self, known: Known) -> Tree:
        chance = self.chance
        types = [self.typed(chance.choice(known.types), known) for _ in range(3)]
        found: Tree = {"type": types[0]}
        if known.names and not self.is_plain and chance.random() < 0.2:
            found["type"] = {"switch-on": self.over(known).name(), "cases": {0: types[0], 1: types[1], "_": types[2]}}
        roll = chance.random()
        if roll < 0.3:
            found["size"] = chance.choice((2, 3, 4, 6, self.over(known).size()))
        elif roll < 0.4:
            found["size-eos"] = True
        elif self.is_plain:
            return found
        elif roll < 0.45:
            found |= {"size": words.PACKED_SIZE, "process": "zlib"}
        elif roll < 0.5:
            found |= {"terminator": 0, "eos-error": False}
        if "size" in found and "process" not in found and chance.random() < 0.15:
            found["process"] = words.process(chance, known.names)
        return found

    def _repeated(self, of: Tree, known: Known) -> Tree:
        chance = self.chance
        if chance.random() < 0.6:
            return {"repeat": "expr", "repeat-expr": chance.choice((*_LISTED, self.over(known).size()))}
        if self.is_plain or chance.random() < 0.5:
            return {"repeat": "eos"}
        until = ["_io.eof", "_index == 1", "_index + 1 >= 2 or _io.eof", "_io.pos >= _io.size - 1"]
        if of.get("type") in _COUNTING:
            until += ["_ == 1", "_ != 2 or _io.eof"]
        return {"repeat": "until", "repeat-until": chance.choice(until)}

    @staticmethod
    def _remember(field: Tree, known: Known) -> None:
        if field.get("type") in _COUNTING and not {"repeat", "enum"} & field.keys():
            (known.odd if "if" in field else known.names).append(field["id"])


class SequenceSpec:
    """Makes a spec of a sequence with nested types; `imported` are specs whose types it has."""

    def __init__(self, chance: random.Random, imported: Sequence[str] = ()) -> None:
        self.chance, self.imported = chance, imported
        self.make = Sequences(chance, is_plain=chance.random() < _PLAIN)
        self.types: Tree = {}
        self.known = Known()

    def spec(self, spec_id: str) -> Tree:
        """The spec."""
        self.inner_types()
        fields = self.header() + self.make.fields("f", self.chance.randrange(1, 5), self.known)
        tree = self.whole(spec_id, fields + self.make.tail("f", self.known, often=0.5))
        instances = self.make.instances("i", self.known)
        return tree | ({"instances": instances} if instances else {})

    def header(self) -> list[Tree]:
        """A number that others depend on."""
        self.known.names.append("n")
        return [{"id": "n", "type": self.chance.choice(("u1", "u1", "u1", "u2", "s1"))}]

    def inner_types(self) -> None:
        """Types that the fields may have, each of which may have those before it."""
        chance = self.chance
        for number in range(chance.randrange(0, 3)):
            inner = Known(chance.choice(([], ["_root.n"])), [], [*self.known.types], self.known.params)
            name = f"t{number}"
            if chance.random() < 0.3:
                inner.names.append("k")
            self.types[name] = self.make.inner_type(f"{name}_", inner)
            if "k" in inner.names:
                self.types[name] = {"params": [{"id": "k", "type": chance.choice(("u8", "s8"))}]} | self.types[name]
                self.known.params.add(name)
            self.known.types.append(name)
        if len(self.known.types) > 1 and chance.random() < 0.2:
            self.types["chosen"] = self._with_body()
            self.known.types.append("chosen")
        if chance.random() < 0.1 and not self.make.is_plain:
            self.types[DEEP] = self._deep()
            self.known.types.append(DEEP)
        self.known.types += self.imported

    def _with_body(self) -> Tree:
        """A nested type of which the data choose the fields."""
        known = self.known.but(self.known.types)
        known.names = ["what"]
        cases = {1: self.make.typed(known.types[0], known), "_": self.make.typed(known.types[1], known)}
        body = {"id": "inner", "-lm-type": "body", "type": {"switch-on": "what", "cases": cases}}
        return {"seq": [{"id": "what", "type": "u1"}, body, *self.make.tail("w", known, often=0.2)]}

    def _deep(self) -> Tree:
        chance = self.chance
        again = {"id": "next", "type": DEEP, "if": chance.choice(("x != 0", "x == 1", "not _io.eof"))}
        again |= chance.choice(({"size-eos": True}, {"size-eos": True, "process": "xor(0)"}, {}, {"size": "x % 4"}))
        return {"seq": [{"id": "x", "type": "u1"}, again]}

    def whole(self, spec_id: str, fields: list[Tree]) -> Tree:
        """The spec of some fields."""
        meta: Tree = {"id": spec_id, "endian": self.chance.choice(("be", "le")), "encoding": "UTF-8"}
        if self.imported:
            meta["imports"] = [*self.imported]
        return {"meta": meta, "seq": fields, "types": self.types, "enums": ENUMS}


class ShortSpec(SequenceSpec):
    """Makes a spec of fixed fields, behind them such as records or their headers may end before, and a tail."""

    def spec(self, spec_id: str) -> Tree:
        """The spec."""
        chance, known = self.chance, self.known
        fields = [*self.header(), {"id": "e", "type": chance.choice(("u1", "u1", "u2"))}]
        known.names.append("e")
        for number in range(chance.randrange(1, 5)):
            field = {"id": f"f{number}"} | self._fixed()
            if number or chance.random() < 0.5:
                field["if"] = self._end() if chance.random() < 0.85 else self.make.over(known).any_condition()
            fields.append(field)
        tree = self.whole(spec_id, fields + self._last())
        instances = self.make.instances("i", known)
        return tree | ({"instances": instances} if instances else {})

    def _fixed(self) -> Tree:
        make = self.chance.choice((words.number, words.number, words.bytes_))
        return make(self.chance, is_plain=self.make.is_plain)

    def _end(self) -> str:
        """That the record or its header does not end in front of a field; and nearly that."""
        return self.chance.choice(
            ("not _io.eof", "not _io.eof", "not _io.eof", "_io.pos < e", "_io.pos < e", "_io.pos < e",
             "_io.pos < e and not _io.eof", "_io.pos < 4", "_io.pos < _io.size", "_io.pos < e + 1", "_io.pos < n")
        )  # fmt: skip

    def _last(self) -> list[Tree]:
        """What fills the header or the record."""
        filling: Tree = {"id": "fill", "size": self.chance.choice(("e - _io.pos", "e - _io.pos", "e - 2", "n % 3"))}
        filling |= self.chance.choice(({}, {"if": "not _io.eof"}))
        return [filling] * (self.chance.random() < 0.35) + self.make.tail("f", self.known, often=0.75)
