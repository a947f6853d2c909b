"""Specs whose records have a body: the data choose which fields are behind the header."""

from __future__ import annotations

from constructs.bare import Tree
from constructs.grammar.sequences import Known, SequenceSpec


class BodySpec(SequenceSpec):
    """Makes a spec of a header, a body of one of several types, and a trailer."""

    def spec(self, spec_id: str) -> Tree:
        """The spec."""
        chance, make, known = self.chance, self.make, self.known
        self.inner_types()
        fields = self.header()
        header = make.fields("h", chance.randrange(0, 4), known)
        instances = make.instances("i", known) if chance.random() < 0.6 else {}
        if known.types and chance.random() < 0.4:
            header.append(self._part())
        fields += [*header, self._body(), *self._trailer()]
        tree = self.whole(spec_id, fields + make.tail("e", known, often=0.3))
        return tree | ({"instances": instances} if instances else {})

    def _part(self) -> Tree:
        """A part of the header, or a list of parts, whose numbers may be named."""
        chance = self.chance
        name = chance.choice(self.known.types)
        part: Tree = {"id": "st", "type": self.make.typed(name, self.known)}
        numbers = [one["id"] for one in self.types.get(name, {}).get("seq", []) if one.get("type") in ("u1", "u2")]
        if chance.random() < 0.3:
            part |= {"repeat": "expr", "repeat-expr": chance.choice((1, 2, "n % 3"))}
            self.known.odd += [f"st[0].{one}" for one in numbers] + ["st.size"]
        else:
            self.known.odd += [f"st.{one}" for one in numbers]
            if chance.random() < 0.4:
                part["if"] = chance.choice(("n == 2", "n > 0", "n != 3"))
        return part

    def _body(self) -> Tree:
        chance, known = self.chance, self.known
        names = [self._kind(number) for number in range(chance.choice((1, 2, 2, 3)))]
        over = self.make.over(known)
        on = chance.choice(("n", "n", "n", "n % 3", over.name(), over.number(1), "_io.size", "_io.size - _io.pos"))
        cases: Tree = {key: self._typed(chance.choice(names)) for key in chance.sample((0, 1, 2, 3), 2)}
        if chance.random() < 0.85:
            cases["_"] = self._typed(chance.choice(names))
        body: Tree = {"id": "body", "-lm-type": "body", "type": {"switch-on": on, "cases": cases}}
        if chance.random() < 0.1:
            body["type"] = self._typed(names[0])
        roll = chance.random()
        if "_" in cases and roll < 0.2:
            body["size"] = chance.choice((3, 4, 5, "n", "_io.size - _io.pos - 1", "_io.size - 2", over.size()))
        elif "_" in cases and roll < 0.35:
            body["size-eos"] = True
        if chance.random() < 0.15:
            body["if"] = over.any_condition()
        return body

    def _typed(self, name: str) -> str:
        return self.make.typed(name, self.known)

    def _kind(self, number: int) -> str:
        """A type of the body, with names of its own or with those that the other types have."""
        chance, make, name = self.chance, self.make, f"body{number}"
        outer = [f"_root.{one}" for one in self.known.names if one.isidentifier()]
        odd = [f"_root.{one}" for one in self.known.odd]
        inner = Known(
            chance.sample(outer, 1), chance.sample(odd, min(len(odd), 2)), self.known.types, self.known.params
        )
        if chance.random() < 0.2:
            inner.names.append("_parent.n")
        tree: Tree = {}
        if chance.random() < 0.4:
            tree["params"] = [{"id": "k", "type": chance.choice(("u8", "s8"))}]
            inner.names.append("k")
            self.known.params.add(name)
        prefix = chance.choice((f"b{number}_", "c"))
        tree["seq"] = make.fields(prefix, chance.randrange(1, 4), inner)
        if chance.random() < 0.3:
            tree["instances"] = make.instances(f"j{number}", inner)
            tree["seq"] += make.fields(f"{prefix}y", 1, inner)
        tree["seq"] += make.tail(f"g{number}", inner, often=0.3)
        if not tree.get("instances", True):
            del tree["instances"]
        if chance.random() < 0.1:
            tree["meta"] = {"endian": chance.choice(("le", {"switch-on": "_root.n", "cases": {1: "le", "_": "be"}}))}
        self.types[name] = tree
        return name

    def _trailer(self) -> list[Tree]:
        if self.chance.random() < 0.65:
            return []
        trailer: Tree = {"id": "tr", "type": self.chance.choice(("u1", "u2"))}
        if self.chance.random() < 0.7:
            trailer["if"] = self.make.over(self.known).any_condition()
        return [trailer]
