"""Specs of any field: each construct of a field inside and beside each other one."""

from __future__ import annotations

import random
from typing import Any

from constructs.bare import Tree

_NUMBERS = ("u1", "u2", "u4", "u8", "s1", "s2", "s4", "s8", "f4", "f8")
_SMALL = ("u1", "u1", "s1", "u2le", "u2be")
"""Types of fields that count or decide."""
_ENCODINGS = ("UTF-8", "ASCII", "UTF-16LE", "ISO-8859-1")
_DECIMALS = (
    "packed", "packed", "packed", "bcd", "zoned", "zoned", "zoned-leading", "zoned-separate", "zoned-leading-separate",
    "decimaltext", "hfp",
)  # fmt: skip
_PROCESSES = ("xor(0x5a)", "rol(3)", "ror(1)", "zlib")


class AnyField:
    """Makes specs whose fields are any constructs."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._enums: dict[str, dict[int, str]] = {}
        self._amounts: set[str] = set()
        """Types that are one value."""

    def spec(self, spec_id: str) -> Tree:
        """One spec with up to three types."""
        self._enums = {"color": {1: "red", 2: "green"}}
        names = [f"t{number}" for number in range(self._chance.randrange(4))]
        self._amounts = {name for name in names[-1:] if self._chance.random() < 0.2}
        types = {
            name: self._amount() if name in self._amounts else self._type(names[number + 1 :], inner=True)
            for number, name in enumerate(names)
        }
        meta = {"id": spec_id, "endian": self._chance.choice(("be", "le")), "encoding": "UTF-8"}
        if self._chance.random() < 0.3:
            meta["bit-endian"] = self._chance.choice(("be", "le"))
        body = self._type(names, inner=False)
        return {"meta": meta} | body | {"types": types, "enums": self._enums}

    def _type(self, names: list[str], *, inner: bool) -> Tree:
        """A type with fields of types in `names`."""
        chance = self._chance
        tree: Tree = {}
        if inner and chance.random() < 0.3:
            tree["meta"] = {"endian": chance.choice(("be", "le"))}
        deciding: list[str] = []
        fields: list[Tree] = []
        for number in range(chance.randrange(1, 6)):
            field = self._field(f"f{number}", names, deciding)
            fields.append(field)
            if field.get("type") in _SMALL and not {"repeat", "if", "valid", "enum"} & field.keys():
                deciding.append(field["id"])
        tree["seq"] = fields
        if chance.random() < 0.25:
            tree["instances"] = {"at": self._instance(names, deciding)}
        return tree

    def _field(self, name: str, names: list[str], deciding: list[str]) -> Tree:
        chance = self._chance
        if not deciding and chance.random() < 0.7:
            return {"id": name, "type": chance.choice(_SMALL)}
        makers = [self._number, self._number, self._bytes, self._text, self._bits, self._switch, self._decimal]
        field = {"id": name} | chance.choice([*makers, self._nested] if names else makers)(names, deciding)
        if chance.random() < 0.2:
            field |= self._repeat(deciding, field)
        if chance.random() < 0.15 and deciding:
            field["if"] = f"{chance.choice(deciding)} {chance.choice(('== 1', '> 2', '!= 0'))}"
        return field

    def _number(self, names: list[str], deciding: list[str]) -> Tree:
        chance = self._chance
        type_ = chance.choice(_NUMBERS)
        field: Tree = {"type": type_ + (chance.choice(("", "le", "be")) if type_[1] != "1" else "")}
        if type_[0] == "u" and chance.random() < 0.2:
            field["enum"] = "color"
        elif type_[0] in "us" and chance.random() < 0.2:
            field["-scale"] = chance.choice((0, 1, 2, 5, 20))
        elif type_[0] in "us" and chance.random() < 0.2:
            field["valid"] = chance.choice(
                [{"min": 1}, {"max": 100}, {"min": 0, "max": 2}, {"any-of": [0, 1, 2]}, {"expr": "_ != 3"}, 1]
            )
        return field

    def _bits(self, names: list[str], deciding: list[str]) -> Tree:
        return {"type": f"b{self._chance.choice((1, 3, 4, 8, 12))}" + self._chance.choice(("", "le", "be"))}

    def _size(self, deciding: list[str]) -> Tree:
        chance = self._chance
        if deciding and chance.random() < 0.5:
            name = chance.choice(deciding)
            return {"size": chance.choice((name, f"{name} % 4", f"{name} - 1", f"6 / {name}"))}
        return {"size": chance.choice((1, 2, 3, 4))}

    def _limits(self, deciding: list[str]) -> Tree:
        """Where bytes end, and which of them are the value."""
        chance = self._chance
        end = chance.choice(("size", "size", "terminator", "eos"))
        if end == "eos":
            return {"size-eos": True}
        field = self._size(deciding) if end == "size" else {"terminator": chance.choice((0, 0x20))}
        if end == "size":
            if chance.random() < 0.3:
                field["terminator"] = 0
            if chance.random() < 0.3:
                field["pad-right"] = chance.choice((0, 0x20))
        if "terminator" in field and chance.random() < 0.5:
            field |= chance.choice(({"include": True}, {"consume": False}, {"eos-error": False}))
        if "size" in field:
            field.pop("consume", None)
            field.pop("eos-error", None)
        return field

    def _bytes(self, names: list[str], deciding: list[str]) -> Tree:
        chance = self._chance
        if chance.random() < 0.1:
            return {"contents": chance.choice(([0], [1, 2], "A"))}
        field = self._limits(deciding)
        if chance.random() < 0.25:
            field["process"] = chance.choice(_PROCESSES)
        if chance.random() < 0.1 and not {"process", "terminator", "pad-right"} & field.keys():
            field["-codec"] = "cp037"
        return field

    def _decimal(self, names: list[str], deciding: list[str]) -> Tree:
        chance = self._chance
        kind = chance.choice(_DECIMALS)
        if kind == "hfp":
            field: Tree = {"size": chance.choice((4, 8)), "-lm-type": kind}
        else:
            field = {"size": chance.choice((2, 2, 3, 10, 19)), "-lm-type": kind}
            if chance.random() < 0.5:
                field["-scale"] = chance.choice((0, 1, 2, 7))
        if kind.startswith(("zoned", "decimaltext")) and chance.random() < 0.5:
            field["-codec"] = chance.choice(("ascii", "cp037", "ISO-8859-1"))
        if chance.random() < 0.1:
            field |= chance.choice(({"process": "xor(0xf0)"}, {"terminator": 0}, {"pad-right": 0x40}))
        return field

    def _amount(self) -> Tree:
        """A type that is one value."""
        kind = self._chance.choice(("packed", "bcd", "zoned"))
        return {"-lm-type": kind, "seq": [{"id": "high", "type": "u1"}, {"id": "low", "type": "u2le"}]}

    def _text(self, names: list[str], deciding: list[str]) -> Tree:
        field = {"type": "str", "encoding": self._chance.choice(_ENCODINGS)} | self._limits(deciding)
        return field

    def _switch(self, names: list[str], deciding: list[str]) -> Tree:
        chance = self._chance
        if not deciding:
            return {"type": "u1"}
        found = [*names, "u1", "u2", "s4le", "f4", "u8"]
        cases: dict[Any, str] = {value: chance.choice(found) for value in (0, 1, 2)}
        if chance.random() < 0.4:
            cases["_"] = chance.choice(found)
        field: Tree = {"type": {"switch-on": chance.choice(deciding), "cases": cases}}
        # A size is for types with fields: numbers read the bytes that they need.
        if names and chance.random() < 0.3:
            field["type"]["cases"] = {key: chance.choice(names) for key in cases}
            field |= {"size": chance.choice((3, 4, 8))}
        return field

    def _nested(self, names: list[str], deciding: list[str]) -> Tree:
        chance = self._chance
        field: Tree = {"type": chance.choice(names)}
        if field["type"] in self._amounts:
            return field | chance.choice(({}, {"size": 3}, {"size": 3, "process": "xor(0x5a)"}, {"-scale": 2}))
        if chance.random() < 0.4:
            field |= chance.choice((self._size(deciding), {"size-eos": True}))
            if chance.random() < 0.4:
                field["process"] = chance.choice(_PROCESSES)
        return field

    def _repeat(self, deciding: list[str], field: Tree) -> Tree:
        chance = self._chance
        kinds: list[Tree] = [{"repeat": "expr", "repeat-expr": chance.choice((0, 1, 2, 3))}]
        if deciding:
            kinds.append({"repeat": "expr", "repeat-expr": f"{chance.choice(deciding)} % 4"})
        if field.get("type") in ("u1", "u2", "u4le", "f4", "s8"):
            kinds += [{"repeat": "eos"}, {"repeat": "until", "repeat-until": "_ == 0"}]
        return chance.choice(kinds)

    def _instance(self, names: list[str], deciding: list[str]) -> Tree:
        chance = self._chance
        instance = chance.choice((self._number, self._bytes, self._text, self._decimal))(names, deciding)
        if chance.random() < 0.3:
            return {"value": f"{chance.choice(deciding)} * 2" if deciding else 7}
        instance["pos"] = chance.choice([0, 1, *deciding])
        if chance.random() < 0.3:
            instance["io"] = "_root._io"
        return instance
