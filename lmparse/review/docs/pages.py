"""Spec pages: what a page on a spec shows, from its layouts and from what samples reached.

Everything is plain data in the words of a reader; a template turns it into a page and decides nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from lmparse.review.coverage.coverage import Coverage, FieldCoverage, is_never_there, spec_of
from lmparse.review.coverage.reach import FieldReach
from lmparse.review.docs.manuals import Manuals
from lmparse.review.docs.rows import CaseRow, CodeRow, CodeSet, FieldRow, LayoutSection, Link, SampleRow, SpecPage
from lmparse.review.docs.words import Piece, Text, facts, first_sentence, is_open, kind_in_words
from lmparse.spec.layout import Code, Field, Layout

_SHOWN_BYTES = 32
_SHOWN_TEXT = 120
_RESERVED_PAGES = frozenset(("index", "errors", "conformance", "samples"))
_WORDS = re.compile(r"`([^`]+)`|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b")


def file_name(spec_id: str) -> str:
    """Name of a spec's page. No id of a spec has a hyphen, so that no page hides another one."""
    return f"spec-{spec_id}.html" if spec_id in _RESERVED_PAGES else f"{spec_id}.html"


class Pages:
    """The pages of all specs that were built together."""

    def __init__(
        self, layouts: Mapping[str, Layout], coverage: Coverage, cases: Mapping[tuple[str, str], Switch] | None = None
    ) -> None:
        self._layouts = layouts
        self._coverage = coverage
        self._cases = cases or {}

    @cached_property
    def manuals(self) -> Manuals:
        """The pages of manuals that the specs name."""
        found: list[str] = []
        for layout in self._layouts.values():
            found += [layout.doc_ref, *(entry.doc_ref for entry in layout)]
        return Manuals(found)

    @cached_property
    def all(self) -> tuple[SpecPage, ...]:
        """One page for each spec, by id."""
        return tuple(self._page(name) for name in sorted(self._layouts) if "." not in name)

    def link(self, layout_id: str, text: str | None = None) -> Link:
        """A link to the section of a layout."""
        spec, _, name = layout_id.partition(".")
        return Link(text or layout_id, file_name(spec) + (f"#type-{name}" if name else ""))

    def field_link(self, layout_id: str, field_id: str) -> Link:
        """A link to a field."""
        spec, _, name = layout_id.partition(".")
        return Link(f"{layout_id}.{field_id}", f"{file_name(spec)}#{_dotted(name, field_id)}")

    @cached_property
    def _users(self) -> Mapping[str, list[Link]]:
        """What has a field of some layout, by its id."""
        found: dict[str, list[Link]] = {}
        for layout in self._layouts.values():
            for entry in layout:
                for name in dict.fromkeys((entry.type, *entry.cases)):
                    if name:
                        found.setdefault(name, []).append(self.field_link(layout.id, entry.id))
        return found

    def _page(self, spec_id: str) -> SpecPage:
        layout = self._layouts[spec_id]
        names = [spec_id, *sorted(name for name in self._layouts if name.startswith(f"{spec_id}."))]
        params = tuple(
            (name, self._param(name, layout.param_codes[name]) if name in layout.param_codes else None)
            for name in layout.params
        )
        return SpecPage(
            id=spec_id,
            href=file_name(spec_id),
            title=layout.title or spec_id,
            sentence=first_sentence(layout.doc),
            family=layout.path.partition("/")[0] if "/" in layout.path else spec_id.partition("_")[0],
            layout=layout,
            params=params,
            sections=tuple(self._section(self._layouts[name]) for name in names),
            code_sets=tuple(self._code_sets(names)),
            records=self._coverage.records[spec_id],
        )

    def _section(self, layout: Layout) -> LayoutSection:
        _, _, name = layout.id.partition(".")
        return LayoutSection(
            anchor=f"type-{name}" if name else "the-record",
            layout=layout,
            name=name or layout.id,
            doc=self._text(layout.doc, layout),
            reference=self.manuals.look_up(layout.doc_ref),
            rows=tuple(self._rows(layout)),
            used_by=tuple(self._users.get(layout.id, ())),
        )

    def _rows(self, layout: Layout) -> Iterable[FieldRow]:
        reached = 0  # fields of bits share a byte, which the first of them has
        for entry in layout:
            places = [place for place in _places(entry) if place >= reached]
            reached = max([reached, *(place + 1 for place in places)])
            yield self._row(layout, entry, places)

    def _row(self, layout: Layout, entry: Field, places: Iterable[int]) -> FieldRow:
        _, _, inner = layout.id.partition(".")
        anchor = _dotted(inner, entry.id)
        seen = self._coverage.fields.get((layout.id, entry.id))
        reach = FieldReach(layout.id, entry, seen or FieldCoverage(layout.id, entry))
        switch = self._cases.get((layout.id, entry.id))
        return FieldRow(
            anchor=anchor,
            id=entry.id,
            orig_id=entry.orig_id,
            offset=entry.offset,
            width=entry.width,
            bytes=tuple(_dotted(inner, f"byte-{place}") for place in places),
            kind=kind_in_words(entry),
            unit=entry.unit,
            type=self.link(entry.type) if entry.type else None,
            switch="" if switch is None else switch.on,
            cases=tuple(self._case(layout, entry, name, switch) for name in entry.cases),
            codes=tuple(code_rows(entry, seen, anchor)),
            is_open=is_open(entry),
            facts=tuple(self._text(fact, layout) for fact in facts(entry)),
            doc=self._text(entry.doc, layout),
            reference=self.manuals.look_up(entry.doc_ref),
            status=entry.status,
            source=entry.source,
            is_part=entry.kind == "body",
            is_never_there=is_never_there(entry),
            present=reach.seen.present,
            is_goal=reach.is_goal,
            is_shown=reach.is_reached,
            sample=sample_row(seen),
        )

    def _case(self, layout: Layout, entry: Field, name: str, switch: Switch | None) -> CaseRow:
        when = () if switch is None else switch.when.get(name, ())
        counts = self._coverage.cases.get((layout.id, entry.id))
        return CaseRow(self.link(name), when, 0 if counts is None else counts[name])

    def _param(self, name: str, codes: tuple[Code, ...]) -> CodeSet:
        anchor = f"param-{name}"
        return CodeSet(anchor, name, tuple(_code_row(code, anchor) for code in codes))

    def _code_sets(self, names: list[str]) -> Iterable[CodeSet]:
        """Enumerations of a spec that none of its fields has."""
        used = {_members(entry.codes) for layout in self._layouts.values() for entry in layout}
        for layout_id in names:
            _, _, inner = layout_id.partition(".")
            for enum, codes in self._layouts[layout_id].enums.items():
                if _members(codes) not in used:
                    name = _dotted(inner, enum)
                    anchor = f"values-{name}"
                    yield CodeSet(anchor, name, tuple(_code_row(code, anchor) for code in codes))

    def _text(self, text: str, layout: Layout) -> Text:
        """A text with the fields and specs that it names linked."""
        pieces = []
        reached = 0
        for match in _WORDS.finditer(text):
            quoted, word = match.groups()
            href = self._named(quoted or word, layout)
            if word and href is None:
                continue
            pieces += [Piece(text[reached : match.start()]), Piece(quoted or word, is_code=True, href=href)]
            reached = match.end()
        return tuple(piece for piece in (*pieces, Piece(text[reached:])) if piece.text)

    def _named(self, word: str, layout: Layout) -> str | None:
        if word in layout.by_id:
            return self.field_link(layout.id, word).href
        root = self._layouts[spec_of(layout.id)]
        if word in root.by_id:
            return self.field_link(root.id, word).href
        if word in self._layouts:
            return self.link(word).href
        return None


@dataclass(frozen=True, slots=True)
class Switch:
    """What decides which layout a part of a record has."""

    on: str
    """The expression, as the spec has it."""
    when: Mapping[str, tuple[str, ...]]
    """By the id of a layout, the values that choose it."""


def code_rows(entry: Field, seen: FieldCoverage | None, anchor: str) -> Iterable[CodeRow]:
    """The listed values of a field in the order of the spec, then unlisted ones that samples show."""
    width = entry.width if entry.kind == "code" else None
    for code in entry.codes:
        yield _code_row(code, anchor, width, 0 if seen is None else seen.codes[code.value])
    if seen is not None and entry.codes:
        for number, (value, count) in enumerate(sorted(seen.unlisted.items())):
            yield CodeRow(f"{anchor}.unlisted-{number}", value.strip(), "", "", "not listed", count)


def _code_row(code: Code, anchor: str, width: int | None = None, count: int = 0) -> CodeRow:
    raw = f"{code.value:X}"
    raw = raw.zfill(2 * width if width else len(raw) + len(raw) % 2)
    shown = str(code.value) if code.text is None else code.text.strip()
    return CodeRow(f"{anchor}.value-{raw}", shown, raw, code.id, code.doc, count)


def _members(codes: Iterable[Code]) -> frozenset[tuple[int, str]]:
    return frozenset((code.value, code.id) for code in codes)


def sample_row(seen: FieldCoverage | None) -> SampleRow | None:
    """What a sample has in a field."""
    if seen is None or seen.sample is None:
        return None
    sample = seen.sample
    value = sample.value
    if value is not None and not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False)
    if value is not None and len(value) > _SHOWN_TEXT:
        value = value[:_SHOWN_TEXT] + "…"
    return SampleRow(
        value=value,
        raw=sample.raw[:_SHOWN_BYTES].hex(" ").upper(),
        left_out=max(0, len(sample.raw) - _SHOWN_BYTES),
        meaning=sample.meaning,
        file=sample.file,
        record=sample.record_index,
        offset=sample.record_offset + sample.field_offset,
    )


def _places(entry: Field) -> Iterable[int]:
    """The bytes that a field takes for sure."""
    if entry.offset is None or entry.width == 0:
        return ()
    return range(entry.offset, entry.offset + (entry.width or 1))


def _dotted(*words: str) -> str:
    return ".".join(word for word in words if word)
