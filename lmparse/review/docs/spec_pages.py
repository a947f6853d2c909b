"""Spec pages: what the page on each spec shows, from the layouts, the text of the specs, and samples.

Everything is plain data in words for readers; the template `spec.md` turns it into a page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from lmparse.review.coverage.coverage import Coverage
from lmparse.review.coverage.reports import FieldReach, SpecReach
from lmparse.review.docs.diagrams import Diagram, diagrams
from lmparse.review.docs.spec_texts import Manuals, SpecTexts
from lmparse.review.docs.words import facts, split_sentence
from lmparse.spec.layout import Code, Field, Layout, spec_of

NOT_STATED = "not stated"
_STATUSES = ("documented", "inferred", "unknown", NOT_STATED)
RESERVED = frozenset(("index", "errors", "conformance", "samples", "search", "genindex"))
"""Names of pages that no spec may have."""
_NO_ID = re.compile("[^a-z0-9]+")
"""What Sphinx has a hyphen for in the anchor of a heading."""
_LINK, _CODE = Markup('<a href="{}"><code>{}</code></a>'), Markup("<code>{}</code>")
_WORDS = re.compile(r"`([^`]+)`|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b")


@dataclass(frozen=True, slots=True)
class CodeRow:
    """A listed value, or an unlisted value that a sample has."""

    anchor: str
    value: str
    """As records show it; empty for blank."""
    raw: str
    """Its bytes, or the number, in upper-case hex."""
    code: Code | None
    """None for an unlisted value."""
    count: int = 0
    """How many values of samples it is."""


@dataclass(frozen=True)
class FieldRow(FieldReach):
    """A field as a row of a table."""

    anchor: str
    bytes: tuple[str, ...]
    """Anchors of its bytes."""
    facts: tuple[str, ...]
    """Bounds, checks, and when the field is present, a sentence each."""
    switch: str
    """The expression, in words, that decides between the cases."""
    cases: tuple[tuple[str, Sequence[str], int], ...]
    """The layouts that it may have, each with the values that choose it and the number of records that have it."""
    codes: tuple[CodeRow, ...]

    @property
    def status(self) -> str:
        """Its status, or that the spec does not state one."""
        return self.field.status or NOT_STATED

    @property
    def unseen(self) -> list[CodeRow]:
        """Listed values that no sample has."""
        return [row for row in self.codes if row.code and not row.count]

    @property
    def unlisted(self) -> list[CodeRow]:
        """Values of samples that the list does not have."""
        return [row for row in self.codes if not row.code]


@dataclass(frozen=True)
class LayoutSection:
    """A layout: the spec itself, or a type inside it."""

    layout: Layout
    rows: tuple[FieldRow, ...]
    helpers: list[tuple[Field, str]]
    """What only decides how the record is read, each with where it comes from, in words."""

    @property
    def diagrams(self) -> list[tuple[str, Diagram]]:
        """The drawings of its bytes, by the screens that they are for."""
        return diagrams(self.layout, [row.anchor for row in self.rows if not row.is_calculated])


@dataclass(frozen=True)
class SpecPage:
    """The page on a spec."""

    layout: Layout
    reach: SpecReach
    sections: tuple[LayoutSection, ...]
    """The spec itself first, then its types, a whole before its parts."""
    code_sets: tuple[tuple[str, str, tuple[CodeRow, ...]], ...]
    """Anchor, name and values of the parameters, and of the enumerations that no field has."""

    @property
    def id(self) -> str:
        """Id of the spec."""
        return self.layout.id

    @property
    def title(self) -> str:
        """The title of the spec."""
        return self.layout.title or self.id

    @property
    def short_title(self) -> str:
        """Its title without the file or product that it belongs to, which comes before a comma."""
        short = self.title.partition(", ")[2] or self.title
        return short[:1].upper() + short[1:]

    @property
    def sentence(self) -> str:
        """The first sentence of its documentation."""
        return split_sentence(self.layout.doc.replace("`", ""))[0]

    @property
    def statuses(self) -> list[tuple[str, int]]:
        """The number of fields of each status."""
        counts = Counter(row.status for row in self.rows)
        return [(status, counts[status]) for status in _STATUSES if counts[status]]

    @cached_property
    def rows(self) -> list[FieldRow]:
        """The fields of all sections."""
        return [row for section in self.sections for row in section.rows]

    @property
    def words(self) -> Iterator[tuple[str, str, int]]:
        """What the search finds, with its anchor and rank: values and fields by all names before the bytes of these."""
        for row in self.rows:
            for name in filter(None, dict.fromkeys((row.anchor, row.field.orig_id))):
                yield name, row.anchor, 0
                yield from ((f"{name} byte {row.field.offset}", row.anchor, 1) for _ in row.bytes[:1])
        for name, codes in (*((row.anchor, row.codes) for row in self.rows), *(one[1:] for one in self.code_sets)):
            yield from ((f"{name} {one.value} {one.code.id}", one.anchor, 0) for one in codes if one.code)

    @property
    def without_sample(self) -> list[FieldRow]:
        """Fields that samples should reach and do not."""
        return [row for row in self.rows if row.is_goal and not row.is_reached]

    @property
    def with_unseen(self) -> list[FieldRow]:
        """Fields with listed values that no sample has."""
        return [row for row in self.rows if row.unseen and not row.is_calculated]


class SpecPages:
    """The pages of all specs that were built together."""

    def __init__(self, layouts: Mapping[str, Layout], coverage: Coverage) -> None:
        self.layouts = layouts
        self._coverage = coverage
        self._texts = SpecTexts(layouts)
        self.manuals = Manuals(text for x in layouts.values() for text in (x.doc_ref, *(e.doc_ref for e in x.columns)))
        """The pages of manuals to which the specs refer."""

    @cached_property
    def all(self) -> dict[str, SpecPage]:
        """One page for each spec, by id."""
        return {name: self._page(name) for name in sorted(self.layouts) if "." not in name}

    def href(self, layout_id: str, field_id: str = "") -> str:
        """The address of the section of a layout, or of a field."""
        spec, _, name = layout_id.partition(".")
        anchor = _dotted(name, field_id) if field_id else f"type-{_NO_ID.sub('-', name)}" if name else ""
        return f"{page_name(spec)}.html" + (f"#{anchor}" if anchor else "")

    def link(self, layout_id: str, field_id: str = "", text: str = "") -> Markup:
        """A link to a layout, or to a field, which shows its name or a text."""
        return _LINK.format(self.href(layout_id, field_id), text or _dotted(layout_id, field_id))

    @cached_property
    def users(self) -> Mapping[str, list[Markup]]:
        """Links to the fields that have a layout, by its id."""
        found = defaultdict[str, list[Markup]](list)
        for layout in self.layouts.values():
            for entry in layout:
                for name in dict.fromkeys((entry.type, *entry.cases)):
                    if name:
                        found[name].append(self.link(layout.id, entry.id))
        return found

    def byte_order(self, page: SpecPage) -> str:
        """The byte order of a spec in words."""
        if page.layout.endian is None:
            if "byte_order" in page.layout.params:
                return "big-endian or little-endian: a reader is told which by the parameter byte_order"
            return "that of the record around it" if self.users[page.id] else "of no importance: it has no numbers"
        return {"be": "big-endian", "le": "little-endian"}[page.layout.endian]

    def _page(self, spec_id: str) -> SpecPage:
        layout = self.layouts[spec_id]
        # A type stands below the first one that has a field of it, those without a user last.
        types = [spec_id, *sorted(name for name in self.layouts if spec_of(name) == spec_id != name)]
        parts = {name: _parts(self.layouts[name]) for name in types}
        layouts = tuple(self.layouts[name] for name, _ in _in_order(types, parts))
        params = ((f"param-{name}", name, layout.param_codes.get(name, ())) for name in layout.params)
        code_sets = (*params, *self._enums(layouts))
        return SpecPage(
            layout,
            SpecReach(spec_id, layouts, self._coverage),
            tuple(self._section(one) for one in layouts),
            tuple((anchor, name, tuple(_code_set(anchor, codes))) for anchor, name, codes in code_sets),
        )

    def _enums(self, layouts: Iterable[Layout]) -> Iterator[tuple[str, str, Sequence[Code]]]:
        """Enumerations of a spec that no field has: of kinds of records, of single bits."""
        used = {_members(entry.codes) for layout in self.layouts.values() for entry in layout.columns}
        for layout in layouts:
            for enum, codes in layout.enums.items():
                if _members(codes) not in used:
                    name = _dotted(layout.id.partition(".")[2], enum)
                    yield f"values-{name}", name, codes

    def _section(self, layout: Layout) -> LayoutSection:
        rows, reached = [], 0  # fields of bits share a byte; the first of them gets its anchor
        for entry in layout.columns:
            begin = entry.offset or 0
            width = 0 if entry.offset is None else 1 if entry.width is None else entry.width
            places = range(max(reached, begin), begin + width)
            reached = places.stop if places else reached
            rows.append(self._row(layout, entry, places))
        return LayoutSection(layout, tuple(rows), self._texts.helpers(layout))

    def _row(self, layout: Layout, entry: Field, places: Iterable[int]) -> FieldRow:
        inner = layout.id.partition(".")[2]
        anchor = _dotted(inner, entry.id)
        switch, when = self._texts.switch(layout, entry)
        return FieldRow(
            layout=layout.id,
            field=entry,
            seen=self._coverage.of(layout.id, entry.id),
            is_calculated=entry.id in layout.computed,
            anchor=anchor,
            bytes=tuple(_dotted(inner, f"byte-{place}") for place in places),
            facts=(*self._texts.calculation(layout, entry), *facts(entry, self._texts.condition(layout, entry))),
            switch=switch,
            cases=tuple(
                (case, when.get(case, ()), self._coverage.branches[layout.id, entry.id, case]) for case in entry.cases
            ),
            codes=tuple(self._code_rows(layout, entry, anchor)),
        )

    def _code_rows(self, layout: Layout, entry: Field, anchor: str) -> Iterator[CodeRow]:
        """The listed values of a field in the order of the spec, then the unlisted values of samples."""
        seen = self._coverage.of(layout.id, entry.id)
        for code in entry.codes:
            digits = 2 * entry.width if entry.kind == "code" and entry.width else 0
            yield _code_row(anchor, code, seen.codes[code.value], digits=digits)
        for number, (value, count) in enumerate(sorted(seen.unlisted.items())):
            yield CodeRow(f"{anchor}.unlisted-{number}", value.strip(), "", None, count)

    def text(self, text: str, layout: Layout) -> Markup:
        """A text as HTML, with links at the names of fields and specs; code stands between backquotes."""
        pieces: list[str] = []
        reached = 0
        for match in _WORDS.finditer(text):
            quoted, word = match.groups()
            name = quoted or word
            owner = next((one for one in (layout, self.layouts[spec_of(layout.id)]) if name in one.by_id), None)
            if owner is not None:
                shown = self.link(owner.id, name, name)
            elif name in self.layouts:
                shown = self.link(name)
            elif quoted:
                shown = _CODE.format(quoted)
            else:
                continue
            pieces += [text[reached : match.start()], shown]
            reached = match.end()
        return Markup("").join([*pieces, text[reached:]])

    def split(self, text: str, layout: Layout) -> tuple[Markup, Markup]:
        """The first sentence of a text, and the rest, each as `text` gives it."""
        first, rest = (self.text(part, layout) for part in split_sentence(text))
        return first, rest if rest.startswith("<") else Markup(rest[:1].upper() + rest[1:])


def page_name(spec_id: str) -> str:
    """Name of the page of a spec. No spec id has a hyphen, so no page replaces another one."""
    return f"spec-{spec_id}" if spec_id in RESERVED else spec_id


def specs_in_order(specs: Iterable[str], layouts: Mapping[str, Layout], first: str) -> list[tuple[str, int]]:
    """Specs with their depths, a whole before its parts; the spec `first`, and those named after it, come first."""
    parts: dict[str, list[str]] = {}
    for layout in layouts.values():
        parts.setdefault(spec_of(layout.id), []).extend(map(spec_of, _parts(layout)))
    held = {part for spec, found in parts.items() for part in found if part != spec}
    roots = sorted(specs, key=lambda spec: (spec != first, spec in held, not spec.startswith(first), spec))
    return _in_order(roots, parts)


def _in_order(names: Sequence[str], parts: Mapping[str, Sequence[str]]) -> list[tuple[str, int]]:
    met: dict[str, int] = {}
    left = [(name, 0) for name in reversed(names)]
    while left:
        name, depth = left.pop()
        if name in names and name not in met:
            met[name] = depth
            left += [(part, depth + 1) for part in reversed(parts[name])]
    return [*met.items()]


def _parts(layout: Layout) -> list[str]:
    """Ids of the layouts that the fields of a layout have, in their order."""
    return [part for entry in layout for part in (*entry.cases, entry.type) if part]


def _code_set(anchor: str, codes: Sequence[Code]) -> Iterator[CodeRow]:
    """The rows of values that no field has; values that are four EBCDIC letters are shown as letters."""
    texts = [code.value.to_bytes(4, "big").decode("cp037") if 0 <= code.value < 1 << 32 else "" for code in codes]
    are_letters = all(text.isascii() and text.isalnum() for text in texts)
    for code, text in zip(codes, texts, strict=True):
        yield _code_row(anchor, code, shown=text if are_letters else "")


def _code_row(anchor: str, code: Code, count: int = 0, *, digits: int = 0, shown: str = "") -> CodeRow:
    raw = f"{code.value:X}"
    raw = raw.zfill(digits or len(raw) + len(raw) % 2)
    value = str(code.value) if code.text is None else code.text.strip()
    return CodeRow(f"{anchor}.value-{raw}", shown or value, raw, code, count)


def _members(codes: Iterable[Code]) -> frozenset[tuple[int, str]]:
    return frozenset((code.value, code.id) for code in codes)


def _dotted(*words: str) -> str:
    return ".".join(word for word in words if word)
