"""Field and Layout: the fields of a record with offsets and widths, as in the record's `.ksy`.

`build.py` writes instances of these classes to `generated/layouts.py`. No other file of the project states an offset,
width, constant or code of a format.
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
    """One listed value of a field. Lists are open: an unlisted value is data."""

    value: int
    """The value: its bytes as an unsigned integer."""
    text: str | None
    """The text shown for `value` (`UB`); None for a plain number."""
    id: str
    """The spec's word for the value (`update`)."""
    doc: str = ""
    status: str = ""
    """documented, inferred or unknown, if different from the field's status; else empty."""


Expression: TypeAlias = "int | float | str | bytes | tuple[Any, ...] | None"
"""An expression of a spec as data; None if the spec has none.

A number (true and false too), text or bytes; `("name", id)` of a field, parameter or instance of the object around, or
of a name with an underscore; `("get", object, id)`; `("call", object, id, argument, …)`; `("at", list, number)`;
`("in", value, value, …)`; `("?", if, then, else)`; `("as", object, type)`; an operator (`==`, `&`, `and`, `not`, `neg`,
…) with one or two expressions; `("rest",)` for the bytes to the stream's end; `("until", condition)` for items up to
one that fulfils the condition; `("none",)` for an error; `("unread", text)` for what only the parser can evaluate.
"""


@dataclass(frozen=True, slots=True)
class Ending:
    """Where a value ends within the bytes of a field."""

    terminator: bytes | None = None
    includes: bool = False
    """Whether the terminator belongs to the value."""
    consumes: bool = True
    """Whether the next field begins behind the terminator."""
    demands_terminator: bool = True
    """Whether a missing terminator is an error."""
    pad: int | None = None
    """The padding byte behind the value."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a switch type."""

    key: Expression
    """The value that selects the case; None for all other values."""
    type: str
    """Id of its layout; empty for a type of the compiler."""
    arguments: tuple[Expression, ...] = ()
    plain: Field | None = None
    """A field of the compiler's type."""


@dataclass(frozen=True, slots=True)
class Computed:
    """An instance without a field: a calculated value, or a number read ahead."""

    value: Expression
    """The value, or the position in the stream of the number."""
    condition: Expression = None
    width: int = 0
    """Bytes of the number; 0 for a calculated value."""
    is_signed: bool = False
    endian: str | None = None
    codes: tuple[Code, ...] | None = None
    """The codes of its enumeration, empty without one; None if only the parser knows the enumeration."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record, in the order of the spec."""

    id: str
    """Name in the spec, in Python, of the column and in every error."""
    offset: int | None
    """Bytes from the start of the record or type to the field; None if the data decide."""
    width: int | None
    """Width in bytes; None if the data decide."""
    kind: str
    """How the bytes are read: uint, int, boolean, float, hfp, packed, bcd, zoned (and its styles), char, code, hextext,
    decimaltext, timestamp17, lrsn10, rba10, lsn, rid6, bytes, str (text decoded by the parser), any (a value whose type
    the data decide, shown as JSON), struct (a nested record), switch (one of several `choices`), body (a nested record
    whose fields become fields of the record), variable (bytes whose number the data decide), rest (bytes behind the
    known fields)."""
    orig_id: str | None = None
    """The vendor's spelling."""
    type: str | None = None
    """Id of the layout of a nested type, if the field has one."""
    codec: str | None = None
    """Code page of text; `ebcdic` and `database` mean the page of the file."""
    unit: str | None = None
    scale: int | None = None
    """Digits behind the point of a decimal number."""
    enum: str | None = None
    codes: tuple[Code, ...] = ()
    minimum: int | None = None
    """Smallest value that the spec allows, if stated."""
    maximum: int | None = None
    checks: str = ""
    """Other conditions in the spec's `valid`, as text."""
    optional: bool = False
    """Whether a shorter record may end in front of the field."""
    ends: str | None = None
    """End of the part of the record that an optional field may be missing from, or that the field fills: id of the
    field with that offset, or `_io` for the end of the record."""
    conditional: bool = False
    """Whether the data decide if the field is present; fields behind it then have no fixed offset."""
    repeated: bool = False
    """Whether the field is a list."""
    number_width: int | None = None
    """Bytes of the widest number of the field, if `width` is None: in a list or a switch."""
    cases: tuple[str, ...] = ()
    """Ids of the layouts that a nested record may have, if the data decide."""
    choices: tuple[Field, ...] = ()
    """The choices of a `switch`, by the id of their type; numbers of several widths are one choice."""
    doc: str = ""
    doc_ref: str = ""
    status: str = ""
    """documented, inferred or unknown; empty if the spec does not state it."""
    valid_status: str = ""
    """The status of the values that the spec demands, if different from the field's status."""
    source: str | None = None
    bits: int | None = None
    """Width in bits of a bit field, which has no width in bytes."""
    endian: str | None = None
    """`be` or `le` if the type of a number states it (`u4le`); None for the byte order of the layout."""
    process: str = ""
    """How the parser changes the bytes before reading (`zlib`), as in the spec."""
    stream: str = ""
    """Expression of an instance's stream, if different from the stream of its type (`io`)."""
    is_instance: bool = False
    """Whether the field is an instance at a position (`pos`), behind the fields of `seq`."""
    condition: Expression = None
    """The `if` of the spec."""
    size: Expression = None
    """Bytes of the field by its spec; None if the type decides."""
    arguments: tuple[Expression, ...] = ()
    """Of `type`."""
    items: Expression = None
    """Number of items of a list; `("rest",)` if items fill the stream, or `("until", condition)`."""
    switch_on: Expression = None
    """The value that selects a case of `switch`."""
    switch: tuple[Case, ...] = ()
    demands: tuple[Expression, ...] = ()
    """Conditions of the spec on the value, `_`, beside `minimum` and `maximum`."""
    ending: Ending | None = None
    encoding: str = ""
    """Encoding of a text that the parser decodes, in the spec's spelling."""
    pos: Expression = None
    """Position of an instance in its stream."""
    io: Expression = None
    """The stream of an instance; None for the stream of its type."""
    restore: Expression = None
    """How the bytes are changed to those of the value (`process`): a name, and arguments."""

    @property
    def is_labelled(self) -> bool:
        """Whether the field is a number with an enumeration, whose words may be shown instead."""
        return bool(self.codes) and self.kind in ("uint", "int") and not self.scale

    def code_of(self, value: Any) -> Code | None:
        """The listed value shown as `value`: by its text, its word or its number."""
        texts = ((code, code.value if code.text is None else code.text.rstrip()) for code in self.codes)
        return next((code for code, text in texts if value == text or (self.is_labelled and value == code.id)), None)

    @property
    def is_plain(self) -> bool:
        """Whether the value is a fixed number of bytes, with nothing to decide or check."""
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
        """Offset of the first byte behind the field; None if the data decide."""
        return None if self.width is None or self.offset is None else self.offset + self.width


@dataclass(frozen=True)
class Layout:
    """The fields of a spec, or of a type inside a spec (`bmc_lldf_data.image`)."""

    id: str
    fields: tuple[Field, ...]
    width: int | None
    """Width of a record in bytes; None if records differ."""
    endian: str | None = None
    """`be`, `le`, or None if a parameter decides."""
    params: tuple[str, ...] = ()
    param_codes: dict[str, tuple[Code, ...]] = field(default_factory=dict)
    """Codes of the parameters that have an enumeration."""
    kind: str | None = None
    """Kind of a field of this type, if the type is one value (`-lm-type`)."""
    title: str = ""
    doc: str = ""
    doc_ref: str = ""
    path: str = ""
    """Path of the spec under `formats/`."""
    sha256: str = ""
    """Hash of the spec's text."""
    enums: dict[str, tuple[Code, ...]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    """Instances that are no columns, with the reason."""
    little: Expression = None
    """Whether numbers are little-endian, if the type itself states a condition for that."""
    computed: dict[str, Computed] = field(default_factory=dict)
    """Instances that are no fields, by id."""
    calculated: tuple[Field, ...] = ()
    """Calculated values, without bytes of their own; their expressions are in `computed`."""
    instances: tuple[str, ...] = ()
    """Ids of all instances that are columns, in the order of the spec, if some are calculated."""

    @cached_property
    def least_width(self) -> int:
        """Bytes in front of the first field that may be missing or has no fixed end."""
        end = 0
        for entry in self.fields:
            if entry.optional or entry.conditional or entry.end is None:
                break
            end = entry.end
        return end

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """All members with a value: the fields of `seq`, then the instances in the order of the spec."""
        known = {entry.id: entry for entry in (*self.fields, *self.calculated)}
        behind = [known.pop(name) for name in self.instances]
        return (*known.values(), *behind)

    @property
    def reads_on(self) -> bool:
        """Whether a calculated value may read bytes of its own, by a helper or in a way known only to the parser."""
        unread = (
            one.width or (isinstance(one.value, tuple) and one.value[0] == "unread") for one in self.computed.values()
        )
        return bool(self.calculated) and any(unread)

    def byte_order(self, entry: Field) -> Literal["little", "big"]:
        """The byte order of a field; `big` if a parameter or the data decide."""
        return "little" if (entry.endian or self.endian) == "le" else "big"

    @cached_property
    def steps(self) -> tuple[tuple[Field, ...], ...]:
        """The fields of `seq` in steps; consecutive fields of fixed width in all records are one step."""
        steps: list[list[Field]] = []
        for entry in self.fields:
            if steps and entry.is_plain and steps[-1][-1].is_plain:
                steps[-1].append(entry)
            elif not entry.is_instance:
                steps.append([entry])
        return tuple(map(tuple, steps))

    @cached_property
    def by_id(self) -> dict[str, Field]:
        """The fields by id."""
        return {entry.id: entry for entry in self.fields}

    def __getitem__(self, field_id: str) -> Field:
        return self.by_id[field_id]

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)
