"""Draws documented fields by a number, with what stands about them: for an independent reading beside the manuals.

`python tests/statements.py --number 7 --count 60 --pages FOLDER` prints for each drawn field what the pages call
documented, its reference, the lines of the tables beside the specs, and the lines of the files in FOLDER (text of the
manuals' pages, one file each) with the vendor's name. The same number draws the same fields.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lmparse.review.docs.conformance import Conformance, compare
from lmparse.spec import catalog
from lmparse.spec.layout import Field, Layout


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
            tuple(_values(compared, layout, entry)),
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


def _values(compared: Conformance, layout: Layout, entry: Field) -> Iterator[str]:
    for table in compared.values:
        if (table.layout, table.field_id) == (layout.id, entry.id):
            for row in table.rows:
                yield f"{row.value!r}: {row.printed} | {row.code.doc if row.code else None} ({row.verdict})"


def draw(statements: Sequence[Statement], number: int, count: int) -> list[Statement]:
    """`count` of them, always the same for a number."""
    return random.Random(number).sample(list(statements), count)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the statements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--pages", type=Path)
    given = parser.parse_args(arguments)
    pages = {
        path.name: path.read_text("utf-8", "replace").splitlines()
        for path in (sorted(given.pages.glob("*")) if given.pages else ())
        if path.is_file()
    }
    statements = documented(catalog.load("bmc_lldf").layouts)
    print(f"{given.count} of {len(statements)} documented fields, number {given.number}")
    for number, statement in enumerate(draw(statements, given.number, given.count), 1):
        print(f"\n{number}. {statement.text(pages)}")


if __name__ == "__main__":
    main()
