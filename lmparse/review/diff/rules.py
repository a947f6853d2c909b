"""Rules: the kinds of changes of a spec, each with its class (what it does to readers of the data) and the reason.

`docs/diff.md` has the same table; a test compares both.
"""

from __future__ import annotations

from dataclasses import dataclass

CLASSES = ("breaking", "widening", "compatible", "doc")
"""The classes, worst first."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of change."""

    name: str
    cls: str
    """One of CLASSES."""
    says: str
    """The change in a few words."""
    reason: str
    """Why it is of its class."""


_BREAKING = (
    ("spec-removed", "spec removed", "Its records cannot be read any more."),
    ("param-added", "parameter added", "Readers must give a value that they do not know of."),
    ("param-removed", "parameter removed", "Readers that give a value for it fail."),
    ("param-changed", "parameter changed", "The value that readers give has another meaning or parameter."),
    ("field-removed", "field removed", "Readers that name the column fail, and its values are lost."),
    ("field-renamed", "field renamed", "The same bytes are in a column of another name; the old name is gone."),
    ("field-required", "field needs more bytes",
     "Records that end where they ended so far can no longer be read; a field with `if: not _io.eof` can be missing."),
    ("field-moved", "field moved", "Bytes at its old and its new place are read as something else."),
    ("width-changed", "width changed", "The value loses bytes, or takes in bytes that were no part of it."),
    ("kind-changed", "kind changed", "The same bytes give a value of another kind."),
    ("repetition-changed", "repetition changed", "One value and a list of values are different columns."),
    ("type-changed", "nested type changed", "The same bytes are cut into other fields."),
    ("byte-order-changed", "byte order changed", "The same bytes give another number."),
    ("codec-changed", "code page changed", "The same bytes give another text."),
    ("scale-changed", "scale changed", "The same number means another amount."),
    ("unit-changed", "unit changed", "The same number means another amount."),
    ("code-removed", "code removed", "Records that hold it no longer say what it means."),
    ("code-changed", "code changed", "Records that hold it say something else."),
    ("minimum-raised", "minimum raised", "Records that hold a lower value are bad now."),
    ("maximum-lowered", "maximum lowered", "Records that hold a higher value are bad now."),
    ("check-added", "check added or changed", "Records that were good may be bad now."),
    ("field-mandatory", "field no longer optional", "Records without it cannot be read, or not correctly."),
    ("case-removed", "case removed", "Records of this kind lose their columns."),
    ("case-changed", "case changed", "Records of this kind are cut into other fields."),
    ("reading-changed", "reading changed", "Another expression may read other bytes; the specs alone do not tell."),
    ("instance-removed", "instance removed", "Code that asks parsed objects for it fails; `kind` is a column."),
    ("instance-changed", "instance changed", "Another expression gives another value."),
    ("column-removed", "column removed", "Queries that name it fail."),
    ("column-retyped", "column of another type", "Tables and queries with the old type do not take its values."),
)  # fmt: skip
_WIDENING = (
    ("column-widened", "column widened", "Tables must take the wider type; every old value has it."),
    ("minimum-lowered", "minimum lowered", "Readers get values that the check refused before."),
    ("maximum-raised", "maximum raised", "Readers get values that the check refused before."),
    ("check-removed", "check removed", "Readers get values that the check refused before."),
    ("field-optional", "field may be missing", "Readers meet a null where there was always a value."),
)
_COMPATIBLE = (
    ("spec-added", "spec added", "Nobody reads with it yet."),
    ("field-added", "field added", "Nothing else moves, and every record that could be read still can."),
    ("case-added", "case added", "Records that no case described get columns; the others stay as they are."),
    ("code-added", "code added", "Lists of codes are open: a value without a word was data before."),
    ("column-added", "column added", "It is null in rows that were written before."),
    ("reserved-changed", "reserved bytes used", "What the vendor does not define, nobody can rely on."),
    ("kind-alike", "kind changed", "The value shown is the same."),
    ("type-added", "type added", "It has columns only where a field or a case holds it."),
    ("type-removed", "type removed", "Its columns are gone only where a field or a case held it."),
    ("list-changed", "list of codes added or removed", "Where a field has it, its codes are compared there."),
    ("instance-added", "instance added", "Parsed objects say more; no field changes."),
    ("status-changed", "status changed", "It says how certain the spec is, not what is read."),
    ("title-changed", "title changed", "It is read by people only."),
)
_DOC = (
    ("doc-changed", "doc changed", "Comments of columns and code change, values do not."),
    ("reference-changed", "doc-ref changed", "It is read by people only."),
    ("source-changed", "source changed", "It is read by people only."),
    ("orig-id-changed", "orig-id changed", "The vendor's spelling is read by people only."),
    ("unit-stated", "unit or scale stated",
     "The number is the same; a unit is stated for the first time, or no longer."),
    ("about-changed", "facts about the spec changed", "Licence, tags, imports and the like are not part of a record."),
    ("text-changed", "text changed", "Only comments, spelling or order of keys or codes differ."),
)  # fmt: skip

RULES: dict[str, Rule] = {
    name: Rule(name, cls, says, reason)
    for cls, rules in zip(CLASSES, (_BREAKING, _WIDENING, _COMPATIBLE, _DOC), strict=True)
    for name, says, reason in rules
}
"""All rules by name, worst class first."""


def table() -> str:
    """The rules as the table of the page."""
    lines = ["| rule | class | change | reason |", "| --- | --- | --- | --- |"]
    lines += [f"| `{rule.name}` | {rule.cls} | {rule.says} | {rule.reason} |" for rule in RULES.values()]
    return "\n".join(lines) + "\n"
