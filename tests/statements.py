"""Draws statements of the specs by a number, with what is known of them: for an independent reading beside the manuals.

`python tests/statements.py --number 7 --count 60 --pages FOLDER` prints for each drawn field what the pages call
documented, its reference, the lines of the tables beside the specs, and the lines of the files in FOLDER (text of the
manuals' pages, one file each) with the vendor's name. `--of values`, `instances` or `bounds` draws listed values, what
specs calculate from fields, and what they demand of values, whatever their status. The same number draws the same
statements.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from lmparse.review.docs.conformance import Conformance, compare
from lmparse.review.docs.spec_texts import SpecTexts
from lmparse.spec import catalog
from lmparse.spec.build.specs import FORMATS
from lmparse.spec.layout import Code, Field, Layout


@dataclass(frozen=True)
class Statement:
    """What the pages call documented about one field."""

    name: str
    field: Field
    printed: tuple[str, ...]
    """Lines of tables about it: source, name, type, offset and length of the manual."""
    values: tuple[str, ...]
    """Its listed values that a manual has, in the words of the manual."""

    def text(self, pages: Mapping[str, Sequence[str]]) -> str:
        """A paragraph."""
        entry = self.field
        place = f"offset {entry.offset}, {entry.width} bytes, {entry.kind}"
        lines = [f"{self.name} ({place})", f"  says: {entry.doc.strip()}", f"  ref: {entry.doc_ref}"]
        if entry.source:
            lines.append(f"  not in the manual: {entry.source.strip()}")
        lines += [f"  table: {line}" for line in self.printed]
        lines += [f"  value: {line}" for line in self.values]
        lines += [f"  page: {found}" for found in self.found(pages)]
        return "\n".join(lines)

    def found(self, pages: Mapping[str, Sequence[str]]) -> Iterator[str]:
        """Where the pages have the vendor's name."""
        if self.field.orig_id:
            name = re.compile(rf"(?<!\w){re.escape(self.field.orig_id.rpartition(': ')[2])}(?!\w)", re.IGNORECASE)
            for page, lines in pages.items():
                for number, line in enumerate(lines, 1):
                    if name.search(line):
                        yield f"{page}:{number}: {line.strip()}"


def documented(layouts: Mapping[str, Layout]) -> list[Statement]:
    """All documented fields with bytes of their own, by their names."""
    compared = compare(layouts)
    return [
        Statement(
            f"{layout.id}.{entry.id}",
            entry,
            tuple(_printed(compared, layout, entry)),
            tuple(_values(layout, entry)),
        )
        for layout in sorted(layouts.values(), key=lambda one: one.id)
        for entry in layout
        if entry.status == "documented" and entry.kind != "body"
    ]  # fmt: skip


def _printed(compared: Conformance, layout: Layout, entry: Field) -> Iterator[str]:
    for row in compared.rows:
        if row.line is None or row.field is None:
            continue
        line = row.line
        within = (line.spec, line.record, line.id.partition(".")[0]) == (*f"{layout.id}.".split(".")[:2], entry.id)
        if (row.layout, row.field.id) == (layout.id, entry.id) or within:
            yield f"{line.source}: {line.vendor_name} | {line.type} | {line.offset}({line.length}): {row.verdict}"


def _values(layout: Layout, entry: Field) -> Iterator[str]:
    codes = {str(code.value) if code.text is None else code.text.strip(): code.doc for code in entry.codes}
    for row in csv.DictReader((FORMATS / "value-tables.csv").read_text("utf-8").splitlines()):
        if (row["layout"], row["id"]) == (layout.id, entry.id):
            yield f"{row['value']!r}: {row['meaning']} | {codes.get(row['value'].strip())}"


@dataclass(frozen=True)
class Claim:
    """A statement that is not a field: a listed value, an instance, or a bound."""

    name: str
    lines: tuple[str, ...]

    def text(self, pages: Mapping[str, Sequence[str]]) -> str:
        """A paragraph."""
        return "\n  ".join((self.name, *self.lines))


def values(layouts: Mapping[str, Layout]) -> list[Claim]:
    """All listed values: of fields, then of enumerations that no field has."""
    found = []
    for layout in _sorted(layouts):
        for entry in layout:
            for code in entry.codes:
                status = code.status or entry.status
                lines = (f"says: {code.id}: {code.doc} ({status})", f"ref: {entry.doc_ref}")
                found.append(Claim(f"{layout.id}.{entry.id} = {code.text or code.value}", lines))
    for layout, enum, codes in without_field(layouts):
        for code in codes:
            lines = (f"says: {code.id}: {code.doc} ({code.status})", f"ref: {layout.doc_ref}")
            found.append(Claim(f"{layout.id}, {enum} = {code.value:#x}", lines))
    return found


def without_field(layouts: Mapping[str, Layout]) -> list[tuple[Layout, str, tuple[Code, ...]]]:
    """The enumerations that no field has: of kinds of records, single bits, parameters, instances."""
    of_fields = {_members(entry.codes) for layout in layouts.values() for entry in layout}
    return [
        (layout, enum, codes)
        for layout in _sorted(layouts)
        for enum, codes in layout.enums.items()
        if _members(codes) not in of_fields
    ]


def _members(codes: Sequence[Code]) -> frozenset[tuple[int, str]]:
    return frozenset((code.value, code.id) for code in codes)


def instances(layouts: Mapping[str, Layout]) -> list[Claim]:
    """All instances that have no bytes of their own: calculated values, and what only decides how fields are read."""
    texts = SpecTexts(layouts)
    return [
        Claim(
            f"{layout.id}.{one.id}",
            (f"says: {one.doc} ({one.status})", f"from: {words}", f"ref: {one.doc_ref}", f"source: {one.source}"),
        )
        for layout in _sorted(layouts)
        for one, words in (
            *((entry, "".join(texts.calculation(layout, entry))) for entry in layout.calculated),
            *texts.helpers(layout),
        )
    ]


def bounds(layouts: Mapping[str, Layout]) -> list[Claim]:
    """All that the specs demand of values."""
    return [
        Claim(
            f"{layout.id}.{entry.id}",
            (
                f"demands: least {entry.minimum}, largest {entry.maximum}, {entry.checks or 'nothing else'}",
                f"status: {entry.valid_status or entry.status} ({entry.doc})",
                f"ref: {entry.doc_ref}",
                f"source: {entry.source}",
            ),
        )
        for layout in _sorted(layouts)
        for entry in layout
        if entry.minimum is not None or entry.maximum is not None or entry.checks
    ]


def _sorted(layouts: Mapping[str, Layout]) -> list[Layout]:
    return sorted(layouts.values(), key=lambda one: one.id)


Drawn = TypeVar("Drawn", Statement, Claim, "Statement | Claim")
DRAWN: Mapping[str, Callable[[Mapping[str, Layout]], Sequence[Statement | Claim]]] = {
    "documented fields": documented, "values": values, "instances": instances, "bounds": bounds,
}  # fmt: skip


def draw(statements: Sequence[Drawn], number: int, count: int) -> list[Drawn]:
    """`count` of them, or all if there are fewer; always the same for a number."""
    return random.Random(number).sample(list(statements), min(count, len(statements)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the statements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--of", choices=[*DRAWN], default="documented fields")
    parser.add_argument("--pages", type=Path)
    given = parser.parse_args(arguments)
    pages = {
        path.name: path.read_text("utf-8", "replace").splitlines()
        for path in (sorted(given.pages.glob("*")) if given.pages else ())
        if path.is_file()
    }
    statements = DRAWN[given.of](catalog.load("bmc_lldf").layouts)
    drawn = draw(statements, given.number, given.count)
    print(f"{len(drawn)} of {len(statements)} {given.of}, number {given.number}")
    for number, statement in enumerate(drawn, 1):
        print(f"\n{number}. {statement.text(pages)}")


if __name__ == "__main__":
    main()
