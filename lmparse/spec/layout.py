"""Field and Layout: the fields of a record with their offsets and widths, as in its `.ksy`.

`build.py` writes instances of these classes into `generated/layouts.py`. Nothing else in the project states an offset,
a width, a constant or a code of a format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

_RESERVED = re.compile(r"(?:^|_)(?:reserved|padding|filler|unused)_?\d*$")
NESTED = frozenset(("struct", "body", "switch"))
"""Kinds of fields that may have fields inside."""


def is_reserved(field_id: str) -> bool:
    """Whether a field is reserved, by the last word of its id: `reserved`, `padding`, `filler` or `unused`."""
    return _RESERVED.search(field_id) is not None


def spec_of(layout_id: str) -> str:
    """Id of the spec that a layout belongs to: `bmc_dicl` for `bmc_dicl.key_column`."""
    return layout_id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Code:
    """One listed value of a field. The lists are open: an unlisted value is data."""

    value: int
    """The value: its bytes as an unsigned integer."""
    text: str | None
    """The text that is shown for `value` (`UB`), or None for a plain number."""
    id: str
    """The word for it in the spec (`update`)."""
    doc: str = ""
    status: str = ""
    """documented, inferred or unknown, where it is not that of the field; empty where it is."""


Expression: TypeAlias = "int | float | str | bytes | tuple[Any, ...] | None"
"""An expression of a spec as data; None if the spec has none.

A number (true and false are numbers too), text or bytes; `("name", id)` of a field, parameter or instance of the
object around it, or of what begins with an underscore; `("get", object, id)`; `("call", object, id, argument, …)`;
`("at", list, number)`; `("in", value, value, …)`; `("?", if, then, else)`; `("as", object, type)`; an operator (`==`,
`&`, `and`, `not`, `neg`, …) with one or two expressions; `("rest",)` for the bytes to the end of the stream;
`("until", condition)` for the items of a list up to one; `("none",)` for what is an error; `("unread", text)` for
what only the parser can evaluate."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Where the value of bytes or text ends inside of these."""

    terminator: bytes | None = None
    includes: bool = False
    """Whether the terminator belongs to the value."""
    consumes: bool = True
    """Whether the next field begins behind the terminator."""
    demands_terminator: bool = True
    """Whether it is an error if there is none."""
    pad: int | None = None
    """The byte that fills up what is behind the value."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a type that switches."""

    key: Expression
    """The value that decides for it; None for all other values."""
    type: str
    """Id of its layout; empty for a type of the compiler."""
    arguments: tuple[Expression, ...] = ()
    plain: Field | None = None
    """A field of the type of the compiler."""


@dataclass(frozen=True, slots=True)
class Computed:
    """An instance that is not a field: a calculated value, or a number that is looked at ahead."""

    value: Expression
    """The value, or where in the stream the number is."""
    condition: Expression = None
    width: int = 0
    """Bytes of the number; 0 for a calculated value."""
    is_signed: bool = False
    endian: str | None = None
    codes: tuple[Code, ...] | None = None
    """Its enumeration, empty if it has none; None if only the parser knows that."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record, in the order of the spec."""

    id: str
    """Name in the spec, in Python, as a column and in every error."""
    offset: int | None
    """Bytes from the start of the record (or of the type) to the field, None when they depend on the data."""
    width: int | None
    """Width in bytes, or None when it depends on the data."""
    kind: str
    """How its bytes are read: uint, int, boolean, float, hfp, packed, bcd, zoned (and its styles), char, code, hextext,
    decimaltext, timestamp17, lrsn10, rba10, lsn, rid6, bytes, str (text that the parser decodes), any (a value whose
    type the data decide, shown as JSON), struct (a nested record), switch (one of several `choices`), body (a nested
    record whose fields become fields of the record), variable (bytes whose number depends on the data), rest (bytes
    behind the known fields)."""
    orig_id: str | None = None
    """The vendor's own spelling."""
    type: str | None = None
    """Id of the layout of a nested type, when the field has one."""
    codec: str | None = None
    """Code page of text; `ebcdic` and `database` mean the page of the file."""
    unit: str | None = None
    scale: int | None = None
    """Digits behind the point of a decimal number."""
    enum: str | None = None
    codes: tuple[Code, ...] = ()
    minimum: int | None = None
    """Smallest value that the spec allows, if it states one."""
    maximum: int | None = None
    checks: str = ""
    """Other conditions in the spec's `valid`, as text."""
    optional: bool = False
    """True when a shorter record may end before it."""
    ends: str | None = None
    """End of the part of the record that an optional field may be missing from, or that the field fills: id of the
    field with that offset, or `_io` for the end of the record."""
    conditional: bool = False
    """True when its presence depends on the data; fields behind it then have no fixed offset."""
    repeated: bool = False
    """True when it is a list."""
    number_width: int | None = None
    """Bytes of the widest number that the field may have, when `width` is None for it: in a list or a switch."""
    cases: tuple[str, ...] = ()
    """Ids of the layouts that a nested record may have, when the data decide."""
    choices: tuple[Field, ...] = ()
    """What a `switch` may be: one of these, by the id of its type; numbers of several widths are one."""
    doc: str = ""
    doc_ref: str = ""
    status: str = ""
    """documented, inferred or unknown; empty where the spec does not state it."""
    valid_status: str = ""
    """The status of the values that the spec demands, where it is not that of the field."""
    source: str | None = None
    bits: int | None = None
    """Width in bits of a bit field, which has no width in bytes."""
    endian: str | None = None
    """`be` or `le` of a number whose type states it (`u4le`); None for the byte order of the layout."""
    process: str = ""
    """How the parser changes the bytes before it reads them (`zlib`), as in the spec."""
    stream: str = ""
    """Expression of the stream that an instance is in, if that is not the one of its type (`io`)."""
    is_instance: bool = False
    """Whether it is an instance at a position (`pos`), behind the fields of `seq`."""
    condition: Expression = None
    """The `if` of the spec."""
    size: Expression = None
    """The bytes that the spec gives it; None if its type has them."""
    arguments: tuple[Expression, ...] = ()
    """Of `type`."""
    items: Expression = None
    """How many items a list has; `("rest",)` for as many as the stream has, `("until", condition)`."""
    switch_on: Expression = None
    """What decides which of `switch` it is."""
    switch: tuple[Case, ...] = ()
    demands: tuple[Expression, ...] = ()
    """What the spec demands of its value, `_`, beside `minimum` and `maximum`."""
    ending: Ending | None = None
    encoding: str = ""
    """Encoding of a text that the parser decodes, as the spec names it."""
    pos: Expression = None
    """Where an instance is in its stream."""
    io: Expression = None
    """The stream that an instance is in; None for the one of its type."""
    restore: Expression = None
    """How its bytes become those of its value (`process`): a name, and arguments."""

    @property
    def is_labelled(self) -> bool:
        """Whether it is a number with an enumeration, whose words may be shown in its place."""
        return bool(self.codes) and self.kind in ("uint", "int") and not self.scale

    def code_of(self, value: Any) -> Code | None:
        """The listed value that is shown as `value`: by its text, its word or its number."""
        texts = ((code, code.value if code.text is None else code.text.rstrip()) for code in self.codes)
        return next((code for code, text in texts if value == text or (self.is_labelled and value == code.id)), None)

    @property
    def is_plain(self) -> bool:
        """Whether its bytes are its value, as many in every record, with nothing to decide or to check."""
        decides = (
            self.condition,
            self.size,
            self.items,
            self.switch_on,
            self.ending,
            self.restore,
            self.bits,
            self.pos,
        )
        is_checked = self.demands or self.minimum is not None or self.maximum is not None
        is_one = self.type is None and self.width is not None and self.kind not in ("str", "rest", *NESTED)
        return is_one and not is_checked and all(one is None for one in decides)

    @property
    def is_always_empty(self) -> bool:
        """Whether the spec checks that the field has no bytes (`surplus`)."""
        return self.checks == "expr: _.size == 0"

    @property
    def end(self) -> int | None:
        """Offset of the first byte behind the field, None when it depends on the data."""
        return None if self.width is None or self.offset is None else self.offset + self.width


@dataclass(frozen=True)
class Layout:
    """The fields of one spec, or of one type inside a spec (`bmc_lldf_data.image`)."""

    id: str
    fields: tuple[Field, ...]
    width: int | None
    """Width of a record in bytes, or None when it is not the same for all records."""
    endian: str | None = None
    """`be`, `le`, or None when a parameter decides."""
    params: tuple[str, ...] = ()
    param_codes: dict[str, tuple[Code, ...]] = field(default_factory=dict)
    """Values of the parameters that have an enumeration."""
    kind: str | None = None
    """Kind of a field of this type, when the type is one value (`-lm-type`)."""
    title: str = ""
    doc: str = ""
    doc_ref: str = ""
    path: str = ""
    """Path of the spec under `formats/`."""
    sha256: str = ""
    """Hash of the spec's text."""
    enums: dict[str, tuple[Code, ...]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    """Instances that are not columns, and why."""
    little: Expression = None
    """Whether numbers have the least significant byte first, where the type itself says on what that depends."""
    computed: dict[str, Computed] = field(default_factory=dict)
    """Instances that are not fields, by their id."""
    calculated: tuple[Field, ...] = ()
    """Values that the spec calculates, which have no bytes of their own; their expressions are in `computed`."""
    instances: tuple[str, ...] = ()
    """Ids of all instances that are columns, in the order of the spec, if some are calculated."""

    @cached_property
    def least_width(self) -> int:
        """Bytes before the first field that may be missing or has no fixed end."""
        end = 0
        for entry in self.fields:
            if entry.optional or entry.conditional or entry.end is None:
                break
            end = entry.end
        return end

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """All that has a value: the fields of `seq`, then the instances in the order of the spec."""
        known = {entry.id: entry for entry in (*self.fields, *self.calculated)}
        behind = [known.pop(name) for name in self.instances]
        return (*known.values(), *behind)

    @property
    def reads_on(self) -> bool:
        """Whether a calculated value may read bytes of its own: of a helper, or in a way that only the parser knows."""
        unread = (
            one.width or (isinstance(one.value, tuple) and one.value[0] == "unread") for one in self.computed.values()
        )
        return bool(self.calculated) and any(unread)

    def byte_order(self, entry: Field) -> Literal["little", "big"]:
        """The byte order of one of its fields; `big` if a parameter or the data decide."""
        return "little" if (entry.endian or self.endian) == "le" else "big"

    @cached_property
    def steps(self) -> tuple[tuple[Field, ...], ...]:
        """The fields of `seq`; those of fixed width that follow one another in all records are one step."""
        steps: list[list[Field]] = []
        for entry in self.fields:
            if steps and entry.is_plain and steps[-1][-1].is_plain:
                steps[-1].append(entry)
            elif not entry.is_instance:
                steps.append([entry])
        return tuple(map(tuple, steps))

    @cached_property
    def by_id(self) -> dict[str, Field]:
        """The fields by their id."""
        return {entry.id: entry for entry in self.fields}

    def __getitem__(self, field_id: str) -> Field:
        return self.by_id[field_id]

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)
