"""Records of any spec with random values that the spec allows: listed codes, demanded values, lengths that agree.

What is invented is read back by the generated parser: a record that it does not accept, or that has bytes of no field,
is never written.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from lmparse.errors import DataError, OptionError
from lmparse.records.reader import RecordReader
from lmparse.records.record_ends import names_in
from lmparse.samples.rows import START, WORDS
from lmparse.samples.spec_expressions import Draft, InventionError, evaluated, literals_in
from lmparse.spec.catalog import Spec
from lmparse.spec.layout import Case, Field, Layout
from lmparse.values import codepages, kinds
from lmparse.values.codepages import page_of_field

_TRIES = 60
"""Records that are invented for one that is accepted, and values for one that fits a demand."""
_SMALL = 9
"""Numbers that say how much of something there is are below it."""
_DEEPEST = 30
_NOT_ENDED = ("not", ("get", ("name", "_io"), "eof"))
"""The condition of a field that a shorter record does not have."""


def records(spec: Spec, count: int, seed: int) -> list[bytes]:
    """Some different records of a spec. The same arguments give the same bytes.

    Raises OptionError for a spec whose records cannot be invented, with the field where that is so.
    """
    reader, chance = RecordReader(spec), random.Random(seed)
    made = []
    for _ in range(count):
        why: Exception | None = None
        for _ in range(_TRIES):
            inventor = _Inventor(spec, chance)
            try:
                raw = inventor.record()
                if not (found := reader.read(raw)).faults and not found.unread:
                    made.append(raw)
                    break
                why = found.faults[0] if found.faults else InventionError(f"{found.unread} bytes are in no field")
            except (
                InventionError,
                DataError,
                OptionError,
                ArithmeticError,
                TypeError,
                ValueError,
                LookupError,
            ) as error:
                why = error if isinstance(error, DataError) else InventionError(f"{inventor.field}: {error}")
        else:
            raise OptionError(f"no record of {spec.id} can be invented: {why}", hint="take a log of yours instead")
    return made


class _Inventor:
    """Invents one record."""

    def __init__(self, spec: Spec, chance: random.Random) -> None:
        self.chance, self.field = chance, spec.id
        self._spec = spec
        self._page = codepages.lookup("utf-8" if "database" in spec.codecs else "cp037")
        self._lengths = {
            name for layout in spec.layouts.values() for one in layout
            for expression in (one.size, one.items) for name in names_in(expression)
        }  # fmt: skip
        self._cases = {
            name: [case.key for case in one.switch]
            for layout in spec.layouts.values() for one in layout for name in names_in(one.switch_on)
        }  # fmt: skip

    def record(self) -> bytes:
        """A record; whether it is accepted is for the parser to say."""
        self._is_short = self.chance.random() < 0.2
        return bytes(self._object(self._spec.layout, None, {}).made)

    def _object(
        self,
        layout: Layout,
        parent: Draft | None,
        params: dict[str, Any],
        base: int = 0,
        room: int | None = None,
    ) -> Draft:
        if layout.little is not None:
            raise InventionError("its byte order depends on the data")
        one = Draft(layout, parent and (parent.root or parent), parent, dict(params), base=base, room=room)
        looked_at = {
            name: (self.chance.choice(keys), ahead) for name, ahead in layout.computed.items()
            if ahead.width and (keys := [key for key in self._cases.get(name, ()) if isinstance(key, int)])
        }  # fmt: skip
        one.values |= {name: value for name, (value, _) in looked_at.items()}
        if one.depth > _DEEPEST:
            raise InventionError("types inside of types without end")
        for entry in layout:
            if not entry.is_instance:
                self.field = f"{layout.id}.{entry.id}"
                self._add(one, entry)
        _end_bits(one)
        for name, (value, ahead) in looked_at.items():
            self.field, at = f"{layout.id}.{name}", evaluated(ahead.value, one) - one.base
            order = "little" if (ahead.endian or layout.endian) == "le" else "big"
            one.made[at : at + ahead.width] = value.to_bytes(ahead.width, order)  # type: ignore[arg-type]
        return one

    def _add(self, one: Draft, entry: Field) -> None:
        if entry.condition == _NOT_ENDED:
            one.has_ended |= self._is_short and self.chance.random() < 0.1
        if entry.kind == "rest" or (entry.condition == _NOT_ENDED and one.has_ended):
            return  # the record ends before what it need not have
        if entry.condition not in (None, _NOT_ENDED) and not evaluated(entry.condition, one):
            return
        if entry.items is None:
            one.values[entry.id] = self._item(one, entry)
            return
        items = one.values[entry.id] = list[Any]()
        for number in self._numbers(one, entry):
            one.values["_index"] = number
            items.append(self._item(one, entry))
            if isinstance(entry.items, tuple) and entry.items[0] == "until":
                one.values["_"] = items[-1]
                if evaluated(entry.items[1], one):
                    break

    def _numbers(self, one: Draft, entry: Field) -> Iterator[int]:
        """The numbers of the items of a list; those up to one that fulfils a condition are at most so many."""
        if entry.items == ("rest",):
            yield from range(self.chance.randint(1, 4))
        elif isinstance(entry.items, tuple) and entry.items[0] == "until":
            yield from range(_TRIES)
        else:
            count = evaluated(entry.items, one)
            if count > 1000:
                raise InventionError(f"{count} items")
            yield from range(count)

    def _item(self, one: Draft, entry: Field) -> Any:
        """Add one item; returns it as the parser has it."""
        if entry.restore is not None:
            raise InventionError("the parser changes its bytes before it reads them")
        type_, arguments = entry.type, entry.arguments
        if entry.switch:
            case = self._case(one, entry)
            if case is None:
                return None
            if case.plain is not None:
                return self._plain(one, case.plain)
            type_, arguments = case.type, case.arguments
        if type_ is None:
            return self._plain(one, entry)
        layout = self._spec.layouts[type_]
        if layout.kind is not None:
            return self._plain(one, entry)
        params = {name: evaluated(value, one) for name, value in zip(layout.params, arguments, strict=True)}
        _end_bits(one)
        base = one.base + len(one.made) if entry.size is None else 0
        inside = self._object(layout, one, params, base, self._room(one, entry))
        self._fit(one, entry, len(inside.made))
        one.made += inside.made
        return inside

    def _case(self, one: Draft, entry: Field) -> Case | None:
        value = evaluated(entry.switch_on, one)
        keyed = next(
            (case for case in entry.switch if case.key is not None and evaluated(case.key, one) == value), None
        )
        return keyed or next((case for case in entry.switch if case.key is None), None)

    def _room(self, one: Draft, entry: Field) -> int | None:
        """The size that a part must have, as no number in front of it can be set to the one that it has."""
        if entry.size in (None, ("rest",)):
            return None if one.room is None else one.room - len(one.made)
        return None if any(name in one.places for name in names_in(entry.size)) else int(evaluated(entry.size, one))

    def _fit(self, one: Draft, entry: Field, length: int) -> None:
        """Let the number that says the size of a part say the size that it has."""
        if entry.size in (None, ("rest",)):
            return
        for name in (name for name in names_in(entry.size) if name in one.places):
            one.values[name] += length - evaluated(entry.size, one)
            known = one.layout[name]
            width, order = known.width or 0, one.layout.byte_order(known)
            one.made[one.places[name] : one.places[name] + width] = one.values[name].to_bytes(width, order)
        if evaluated(entry.size, one) != length:
            raise InventionError(f"{length} bytes do not fit its size")

    # -- values -------------------------------------------------------------------------------

    def _plain(self, one: Draft, entry: Field) -> Any:
        """Add a value that has no fields inside."""
        if entry.bits is not None:
            value = self._demanded(one, entry, lambda: (self._number(entry, entry.bits or 0), b""))[0]
            one.bits.append((int(value), entry.bits, entry.endian or "be"))
            return value
        _end_bits(one)
        value, raw = self._demanded(one, entry, lambda: self._encoded(one, entry))
        if entry.kind == "uint" and entry.id in self._lengths and not (entry.demands or entry.codes):
            one.places[entry.id] = len(one.made)
        one.made += raw
        return value

    def _demanded(self, one: Draft, entry: Field, invent: Callable[[], tuple[Any, bytes]]) -> tuple[Any, bytes]:
        demands = [one_ for one_ in entry.demands if "_io" not in names_in(one_)]  # the parser knows those, read back
        literals = [value for demand in demands for value in literals_in(demand)]
        for _ in range(_TRIES):
            value, raw = invent()
            if literals and self.chance.random() < 0.7:
                value = self.chance.choice(literals)
                with suppress(OptionError, OverflowError, TypeError, AttributeError):
                    raw = value if isinstance(value, bytes) else self._bytes(one, entry, value)
            one.values["_"] = value
            if all(evaluated(demand, one) for demand in demands):
                return value, raw
        raise InventionError("no value was found that the spec allows")

    def _encoded(self, one: Draft, entry: Field) -> tuple[Any, bytes]:
        """A value as the parser has it, and its bytes."""
        chance, width = self.chance, entry.width or entry.number_width
        if entry.kind in ("uint", "int", "boolean") and width is not None:
            number = self._number(entry, 8 * width)
            return number, self._bytes(one, entry, number)
        if entry.kind == "float" and width is not None:
            real = chance.randrange(-1 << 20, 1 << 20) / 64
            return real, self._bytes(one, entry, real)
        if entry.codes and width is not None:
            value = chance.choice(entry.codes).value
            return value, value.to_bytes(width, "big")
        if width is None:
            width = self._length(one, entry)
        if entry.kind == "str" or entry.ending is not None or entry.kind in ("bytes", "variable", "any"):
            return self._ended(entry, width)
        page, order = page_of_field(entry, self._page), one.layout.byte_order(entry)
        raw = kinds.encode(entry.kind, self._meant(entry, width), width, page, order, entry.scale)
        return raw, raw

    def _bytes(self, one: Draft, entry: Field, value: Any) -> bytes:
        if entry.kind == "str":
            return str(value).encode(entry.encoding)
        return kinds.encode(
            entry.kind, value, entry.width or entry.number_width or 0, self._page, one.layout.byte_order(entry)
        )

    def _length(self, one: Draft, entry: Field) -> int:
        if entry.size is None or entry.size == ("rest",):
            return self.chance.randrange(40) if one.room is None else max(one.room - len(one.made), 0)
        length = evaluated(entry.size, one)
        if not 0 <= length <= 1 << 16:
            raise InventionError(f"{length} bytes")
        return int(length)

    def _ended(self, entry: Field, width: int) -> tuple[Any, bytes]:
        """Bytes or text of some bytes, with what ends its value inside of these, or behind it."""
        chance, ending, encoding = self.chance, entry.ending, entry.encoding
        is_open = entry.width is None and entry.size is None
        room = width if is_open or ending is None else chance.randint(0, width)
        if ending is not None and ending.terminator is None and ending.pad is None:
            room = width
        raw = chance.randbytes(room)
        if encoding:
            raw = " ".join(chance.choices([*filter(str.isascii, WORDS)], k=8)).encode(encoding)[:room]
            unit = len(" ".encode(encoding.replace("UTF-16LE", "utf-16-le").replace("UTF-16BE", "utf-16-be")))
            raw = raw[: len(raw) // unit * unit]
        mark = (ending.terminator if ending else None) or b""
        if mark:
            raw = raw.replace(mark, b"")
        value: Any = raw.decode(encoding) if encoding else raw
        if is_open:
            return value, raw + mark
        pad = bytes([ending.pad]) if ending is not None and ending.pad is not None else b" " if encoding else b"\0"
        raw += mark[: width - len(raw)]
        return value, raw + pad * (width - len(raw))

    def _number(self, entry: Field, bits: int) -> int:
        chance, is_signed = self.chance, entry.kind == "int"
        if entry.codes and chance.random() < 0.9:
            return chance.choice(entry.codes).value
        if (keys := self._cases.get(entry.id)) and isinstance(key := chance.choice(keys), int):
            return key
        least = -1 << bits - 1 if is_signed else 0
        most = (1 << bits - is_signed) - 1
        if entry.id in self._lengths:
            least, most = 0, min(_SMALL, most)
        least = least if entry.minimum is None else max(entry.minimum, least)
        most = most if entry.maximum is None else entry.maximum
        return chance.randint(least, max(most, least))

    def _meant(self, entry: Field, width: int) -> Any:
        """A value of a kind that has a meaning beyond its bytes."""
        chance = self.chance
        if entry.kind == "timestamp17":
            return f"{START.replace(microsecond=chance.randrange(10**6)):%Y-%m-%dT%H:%M:%S.%f}"
        if entry.kind in ("char", "code"):
            return " ".join(chance.choices([*filter(str.isascii, WORDS)], k=4)).upper()[: chance.randint(0, width)]
        if entry.kind == "hextext":
            return f"{chance.randrange(16**width):0{width}X}"
        if entry.kind in ("lrsn10", "rba10", "lsn", "rid6"):
            return chance.randrange(1 << 8 * width - 1)
        if entry.kind == "hfp":
            return chance.randrange(-1 << 20, 1 << 20) / 64
        return chance.randrange(10 ** max(width - 1, 1))


def _end_bits(one: Draft) -> None:
    """Add the bit fields up to here as whole bytes."""
    for order in ("be", "le"):
        number = width = 0
        for value, bits, entry_order in one.bits:
            if entry_order == order:
                number = number << bits | value if order == "be" else number | value << width
                width += bits
        size = -(-width // 8)
        if order == "be":
            number <<= 8 * size - width
        one.made += number.to_bytes(size, "big" if order == "be" else "little")
    one.bits.clear()
