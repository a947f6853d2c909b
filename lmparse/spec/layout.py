"""Field and Layout: where a record's fields stand, as read from its `.ksy`.

`build.py` writes instances of these classes into `generated/layouts.py`. Nothing
else in the project states an offset, a width, a constant or a code of a format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

_RESERVED = re.compile(r"(?:^|_)(?:reserved|padding|filler|unused)_?\d*$")


def is_reserved(field_id: str) -> bool:
    """Whether a field is for bytes that nobody may read: the last word of its id says so."""
    return _RESERVED.search(field_id) is not None


def spec_of(layout_id: str) -> str:
    """Id of the spec that a layout belongs to: `bmc_dicl` for `bmc_dicl.key_column`."""
    return layout_id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Code:
    """One listed value of a field. The lists are open: an unlisted value is data."""

    value: int
    """The value as it stands in the bytes, read as an unsigned integer."""
    text: str | None
    """What is shown: the text behind `value` (`UB`), or None for a plain number."""
    id: str
    """The word the spec uses for it (`update`)."""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record, in the order of the spec."""

    id: str
    """Name in the spec, in Python, as a column and in every error."""
    offset: int | None
    """Bytes from the start of the record (or of the type) to the field, None when
    its place depends on the data."""
    width: int | None
    """Bytes, or None when the field ends where the data says."""
    kind: str
    """How its bytes are read: uint, int, float, char, code, hextext, decimaltext,
    timestamp17, lrsn10, rba10, lsn, rid6, bytes, struct (a nested record), body (a nested
    record whose fields stand in the record itself), variable (bytes up to where the
    data says), rest (bytes behind the fields that are known)."""
    orig_id: str | None = None
    """The vendor's own spelling."""
    type: str | None = None
    """Id of the layout of a nested type, when the field has one."""
    codec: str | None = None
    """Code page of text; `ebcdic` and `database` stand for the page of the file."""
    unit: str | None = None
    scale: int | None = None
    enum: str | None = None
    codes: tuple[Code, ...] = ()
    minimum: int | None = None
    """Smallest value the spec allows, when it states one."""
    maximum: int | None = None
    checks: str = ""
    """What the spec's `valid` asks beyond that, as it stands there."""
    optional: bool = False
    """True when a shorter record may end before it."""
    ends: str | None = None
    """Where the part of the record ends that an optional field may be missing from, or that the field
    fills up: id of the field that holds that offset, or `_io` for the end of the record."""
    conditional: bool = False
    """True when the data decides whether it is there; what stands behind has no fixed place."""
    repeated: bool = False
    """True when it is a list."""
    cases: tuple[str, ...] = ()
    """Ids of the layouts that a nested record may have, when the data decides."""
    doc: str = ""
    doc_ref: str = ""
    status: str = "documented"
    """documented, inferred or unknown."""
    source: str | None = None

    @property
    def is_always_empty(self) -> bool:
        """Whether the spec checks that the field has no bytes (`surplus`)."""
        return self.checks == "expr: _.size == 0"

    @property
    def end(self) -> int | None:
        """Offset of the first byte behind the field, None when it is variable."""
        return None if self.width is None or self.offset is None else self.offset + self.width


@dataclass(frozen=True)
class Layout:
    """The fields of one spec, or of one type inside a spec (`bmc_lldf_data.image`)."""

    id: str
    fields: tuple[Field, ...]
    width: int | None
    """Bytes of the whole, or None when it is not the same for every record."""
    endian: str | None = None
    """`be`, `le`, or None when a parameter decides."""
    params: tuple[str, ...] = ()
    param_codes: dict[str, tuple[Code, ...]] = field(default_factory=dict)
    """Values of the parameters that have an enumeration."""
    kind: str | None = None
    """Kind that a field of this type takes, when the type is one value (`-lm-type`)."""
    title: str = ""
    doc: str = ""
    doc_ref: str = ""
    path: str = ""
    """Place of the spec under `formats/`."""
    sha256: str = ""
    """Hash of the spec's text."""
    enums: dict[str, tuple[Code, ...]] = field(default_factory=dict)

    @property
    def least_width(self) -> int:
        """Bytes up to the first field that need not be there or has no fixed place."""
        end = 0
        for entry in self.fields:
            if entry.optional or entry.conditional or entry.end is None:
                break
            end = entry.end
        return end

    @cached_property
    def by_id(self) -> dict[str, Field]:
        """The fields by their id."""
        return {entry.id: entry for entry in self.fields}

    def __getitem__(self, field_id: str) -> Field:
        return self.by_id[field_id]

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)
