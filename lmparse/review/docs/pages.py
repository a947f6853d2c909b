"""Spec pages: the content of the page on a spec, from its layouts and from what samples reached.

Everything is plain data in words for readers; a template turns it into a page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from lmparse.review.coverage.coverage import Coverage
from lmparse.review.coverage.field_coverage import FieldCoverage, ValueCount
from lmparse.review.coverage.files import Samples
from lmparse.review.coverage.provenance import Provenance
from lmparse.review.coverage.reach import SpecReach
from lmparse.review.docs.manuals import Manuals
from lmparse.review.docs.review_order import family_of_layout, type_tree
from lmparse.review.docs.rows import (
    NOT_STATED,
    CaseRow,
    CodeRow,
    CodeSet,
    Counts,
    FieldRow,
    Instance,
    InstanceRow,
    LayoutSection,
    Link,
    Switch,
)
from lmparse.review.docs.words import Piece, Text, facts, first_sentence
from lmparse.spec.layout import Code, Field, Layout, spec_of

_STATUSES = ("documented", "inferred", "unknown", NOT_STATED)
_RESERVED_PAGES = frozenset(("index", "errors", "conformance", "samples"))
_MOST_INSTANCE_VALUES = 6
"""Number of values of an instance that a page shows."""
_WORDS = re.compile(r"`([^`]+)`|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b")


@dataclass(frozen=True)
class SpecPage:
    """The content of the page on a spec."""

    id: str
    layout: Layout
    reach: SpecReach
    records: Counts
    """Records of the samples that have a part of it."""
    params: tuple[tuple[str, CodeSet | None], ...]
    sections: tuple[LayoutSection, ...]
    """The section of the spec itself first, then those of its types, a whole before its parts."""
    code_sets: tuple[CodeSet, ...]

    @property
    def href(self) -> str:
        """Name of the file."""
        return file_name(self.id)

    @property
    def title(self) -> str:
        """The title of the spec."""
        return self.layout.title or self.id

    @property
    def sentence(self) -> str:
        """The first sentence of its documentation."""
        return first_sentence(self.layout.doc)

    @property
    def family(self) -> str:
        """The folder of the spec under `formats/`, or the first word of its id."""
        return family_of_layout(self.layout)

    @property
    def byte_order(self) -> str:
        """Its byte order in words."""
        if self.layout.endian is None:
            if "byte_order" in self.layout.params:
                return "big-endian or little-endian: a reader is told which by the parameter byte_order"
            return "that of the record around it" if self.root.used_by else "of no importance: it has no numbers"
        return {"be": "big-endian", "le": "little-endian"}[self.layout.endian]

    @property
    def statuses(self) -> list[tuple[str, int]]:
        """The number of fields of each status."""
        counts = Counter(row.status for row in self.rows)
        return [(status, counts[status]) for status in _STATUSES if counts[status]]

    @property
    def root(self) -> LayoutSection:
        """The section of the spec itself."""
        return self.sections[0]

    @cached_property
    def rows(self) -> list[FieldRow]:
        """The fields of all sections."""
        return [row for section in self.sections for row in section.rows]

    @property
    def without_sample(self) -> list[FieldRow]:
        """Fields that samples should reach and do not."""
        return [row for row in self.rows if row.is_goal and not row.is_reached]

    @property
    def with_unseen(self) -> list[FieldRow]:
        """Fields with listed values that no sample has."""
        return [row for row in self.rows if row.unseen]


def file_name(spec_id: str) -> str:
    """Name of the page of a spec. No spec id has a hyphen, so no page replaces another one."""
    return f"spec-{spec_id}.html" if spec_id in _RESERVED_PAGES else f"{spec_id}.html"


class Pages:
    """The pages of all specs that were built together."""

    def __init__(
        self,
        layouts: Mapping[str, Layout],
        samples: Samples,
        switches: Mapping[tuple[str, str], Switch],
        instances: Mapping[str, Sequence[Instance]],
        conditions: Mapping[tuple[str, str], str],
    ) -> None:
        self._layouts = layouts
        self._instances = instances
        self._conditions = conditions
        self._coverage = samples.coverage
        self._apart = [(one, samples.apart[one]) for one in Provenance if one in samples.apart]
        self._switches = switches

    @cached_property
    def manuals(self) -> Manuals:
        """The pages of manuals to which the specs refer."""
        found: list[str] = []
        for layout in self._layouts.values():
            found += [layout.doc_ref, *(entry.doc_ref for entry in layout)]
        return Manuals(found)

    @cached_property
    def all(self) -> tuple[SpecPage, ...]:
        """One page for each spec, by id."""
        return tuple(self._page(name) for name in sorted(self._layouts) if "." not in name)

    def link(self, layout_id: str) -> Link:
        """A link to the section of a layout."""
        spec, _, name = layout_id.partition(".")
        return Link(layout_id, file_name(spec) + (f"#type-{name}" if name else ""))

    def field_link(self, layout_id: str, field_id: str) -> Link:
        """A link to a field."""
        spec, _, name = layout_id.partition(".")
        return Link(f"{layout_id}.{field_id}", f"{file_name(spec)}#{_dotted(name, field_id)}")

    @cached_property
    def _users(self) -> Mapping[str, list[Link]]:
        """The fields that have a layout, by its id."""
        found: dict[str, list[Link]] = {}
        for layout in self._layouts.values():
            for entry in layout:
                for name in dict.fromkeys((entry.type, *entry.cases)):
                    if name:
                        found.setdefault(name, []).append(self.field_link(layout.id, entry.id))
        return found

    def _page(self, spec_id: str) -> SpecPage:
        layout = self._layouts[spec_id]
        tree = type_tree(spec_id, self._layouts)
        layouts = tuple(self._layouts[entry.id] for entry in tree)
        params = tuple(
            (name, _code_set("param", name, layout.param_codes[name]) if name in layout.param_codes else None)
            for name in layout.params
        )
        return SpecPage(
            id=spec_id,
            layout=layout,
            reach=SpecReach(spec_id, layouts, self._coverage),
            records=self._counts(lambda coverage: coverage.records[spec_id]),
            params=params,
            sections=tuple(self._section(self._layouts[entry.id], entry.depth) for entry in tree),
            code_sets=tuple(self._code_sets(layouts)),
        )

    def _section(self, layout: Layout, depth: int) -> LayoutSection:
        _, _, name = layout.id.partition(".")
        return LayoutSection(
            anchor=f"type-{name}" if name else "the-record",
            layout=layout,
            name=name or layout.id,
            depth=depth,
            doc=self._text(layout.doc, layout),
            reference=self.manuals.look_up(layout.doc_ref),
            rows=tuple(self._rows(layout)),
            used_by=tuple(self._users.get(layout.id, ())),
            instances=tuple(self._instance(layout, one) for one in self._instances.get(layout.id, ())),
        )

    def _instance(self, layout: Layout, one: Instance) -> InstanceRow:
        def count(text: str) -> Counts:
            return self._counts(lambda coverage: _values_of(coverage, layout.id, one.name).counts[text])

        seen = _values_of(self._coverage, layout.id, one.name).counts
        values = sorted(seen, key=lambda text: (text != "True", -seen[text], text))
        return InstanceRow(
            anchor=_dotted(layout.id.partition(".")[2], f"instance-{one.name}"),
            name=one.name,
            doc=self._text(one.doc, layout),
            words=self._text(one.words, layout),
            status=one.status or NOT_STATED,
            source=one.source,
            reference=self.manuals.look_up(one.doc_ref),
            counts=tuple((one.names.get(text, text), count(text)) for text in values[:_MOST_INSTANCE_VALUES]),
            unshown=max(0, len(values) - _MOST_INSTANCE_VALUES),
        )

    def _rows(self, layout: Layout) -> Iterable[FieldRow]:
        reached = 0  # fields of bits share a byte; the first of them gets its anchor
        for entry in layout:
            places = [place for place in _places(entry) if place >= reached]
            reached = max([reached, *(place + 1 for place in places)])
            yield self._row(layout, entry, places)

    def _row(self, layout: Layout, entry: Field, places: Iterable[int]) -> FieldRow:
        _, _, inner = layout.id.partition(".")
        anchor = _dotted(inner, entry.id)
        seen = self._coverage.of(layout.id, entry.id)
        switch = self._switches.get((layout.id, entry.id), Switch("", {}))
        return FieldRow(
            layout=layout.id,
            field=entry,
            seen=seen,
            anchor=anchor,
            bytes=tuple(_dotted(inner, f"byte-{place}") for place in places),
            type=self.link(entry.type) if entry.type else None,
            switch=self._text(switch.on, layout),
            cases=tuple(
                CaseRow(self.link(case), switch.when.get(case, ()), self._branches(layout.id, entry.id, case))
                for case in entry.cases
            ),
            codes=tuple(self._code_rows(layout, entry, anchor)),
            facts=tuple(
                self._text(fact, layout) for fact in facts(entry, self._conditions.get((layout.id, entry.id), ""))
            ),
            doc=self._text(entry.doc, layout),
            reference=self.manuals.look_up(entry.doc_ref),
            records=self._counts(lambda coverage: coverage.of(layout.id, entry.id).records),
            values=tuple(
                (one, seen.values)
                for one, coverage in self._apart
                if (seen := coverage.of(layout.id, entry.id)).samples and not entry.codes
            ),
        )

    def _counts(self, count: Callable[[Coverage], int]) -> Counts:
        found = ((one, count(coverage)) for one, coverage in self._apart)
        return tuple((one, number) for one, number in found if number)

    def _branches(self, *branch: str) -> Counts:
        return self._counts(lambda coverage: coverage.branches[branch[0], branch[1], branch[2]])

    def _code_rows(self, layout: Layout, entry: Field, anchor: str) -> Iterable[CodeRow]:
        """The listed values of a field in the order of the spec, then the unlisted values of samples."""

        def counted(count: Callable[[FieldCoverage], int]) -> Counts:
            return self._counts(lambda coverage: count(coverage.of(layout.id, entry.id)))

        width = entry.width if entry.kind == "code" else None
        for code in entry.codes:
            yield _code_row(code, anchor, width, counted(partial(_listed, code.value)))
        if entry.codes:
            for number, value in enumerate(sorted(self._coverage.of(layout.id, entry.id).unlisted)):
                counts = counted(partial(_unlisted, value))
                yield CodeRow(f"{anchor}.unlisted-{number}", value.strip(), "", "", "not listed", counts)

    def _code_sets(self, layouts: Iterable[Layout]) -> Iterable[CodeSet]:
        """Enumerations of a spec that no field has."""
        used = {_members(entry.codes) for layout in self._layouts.values() for entry in layout}
        for layout in layouts:
            for enum, codes in layout.enums.items():
                if _members(codes) not in used:
                    yield _code_set("values", _dotted(layout.id.partition(".")[2], enum), codes)

    def _text(self, text: str, layout: Layout) -> Text:
        """A text with links at the names of fields and specs."""
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
        for owner in (layout, self._layouts[spec_of(layout.id)]):
            if word in owner.by_id:
                return self.field_link(owner.id, word).href
        return self.link(word).href if word in self._layouts else None


def _values_of(coverage: Coverage, layout_id: str, name: str) -> ValueCount:
    """The values of an instance; none if there are too many to be counted."""
    return coverage.instances.get((layout_id, name)) or ValueCount()


def _listed(value: int, seen: FieldCoverage) -> int:
    return seen.codes[value]


def _unlisted(value: str, seen: FieldCoverage) -> int:
    return seen.unlisted[value]


def _code_set(prefix: str, name: str, codes: Iterable[Code]) -> CodeSet:
    anchor = f"{prefix}-{name}"
    listed = tuple(codes)
    letters = _letters(listed)
    rows = (_code_row(code, anchor) for code in listed)
    shown = (replace(row, value=text) if text else row for row, text in zip(rows, letters, strict=True))
    return CodeSet(anchor, name, tuple(shown))


def _letters(codes: Sequence[Code]) -> list[str]:
    """The values as EBCDIC letters, if all of them are four letters or digits; else an empty text for each."""
    texts = [code.value.to_bytes(4, "big").decode("cp037") if 0 <= code.value < 1 << 32 else "" for code in codes]
    return texts if all(text.isascii() and text.isalnum() for text in texts) else [""] * len(texts)


def _code_row(code: Code, anchor: str, width: int | None = None, counts: Counts = ()) -> CodeRow:
    raw = f"{code.value:X}"
    raw = raw.zfill(2 * width if width else len(raw) + len(raw) % 2)
    shown = str(code.value) if code.text is None else code.text.strip()
    return CodeRow(f"{anchor}.value-{raw}", shown, raw, code.id, code.doc, counts, code.status)


def _members(codes: Iterable[Code]) -> frozenset[tuple[int, str]]:
    return frozenset((code.value, code.id) for code in codes)


def _places(entry: Field) -> Iterable[int]:
    """The bytes that a field has in every record."""
    if entry.offset is None or entry.width == 0:
        return ()
    return range(entry.offset, entry.offset + (entry.width or 1))


def _dotted(*words: str) -> str:
    return ".".join(word for word in words if word)
