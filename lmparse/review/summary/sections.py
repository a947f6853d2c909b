"""Sections: a summary as tables with notes, the same for text and for the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from lmparse.changes.transaction_summary import NO_OPERATION
from lmparse.logs.summary import LogSummary
from lmparse.logs.summary_counts import Distribution, NamedCounts

EPOCH = datetime(1970, 1, 1)
SHOWN_OPERATIONS = {"I": "inserts", "U": "updates", "D": "deletes"}
"""Operations with a column of their own; all others are counted together."""
_OTHER_OPERATIONS = {
    "M": "mass deletes", "T": "truncates", "X": "exchanges", "S": "changes of a status", "C": "commands",
    "O": "changes of objects", NO_OPERATION: "of a type that is not listed",
}  # fmt: skip
_TIME_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
WHO_WORDS = {"auth_id": "user", "plan": "plan", "connect_id": "connection", "correlation_id": "correlation id"}
UNREADABLE = "cannot be read"
NONE_STATED = "none stated"
Cell = int | str


@dataclass(frozen=True)
class SummarySection:
    """One table of a summary."""

    id: str
    title: str
    heads: tuple[str, ...] = ()
    """Titles of the columns; `#` in front marks a column of numbers."""
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()
    """What the numbers mean, and what is not in them."""
    bar: int | None = None
    """Number of the column that text draws as bars."""


def sections(found: LogSummary, *, bins: int, most: int) -> list[SummarySection]:
    """A summary as tables, with about so many bins of time, and at most so many rows for names."""
    made = [_records(found, most), _time(found, bins), _tables(found, most), _units(found)]
    if found.has_units:
        made += [_sizes(found), _who(found, most)]
    made.append(_damage(found))
    if found.notices:
        made.append(SummarySection("notices", "Noticed while reading", notes=tuple(found.notices)))
    return made


def _records(found: LogSummary, most: int) -> SummarySection:
    rows = [
        (kind_name(found, kind), counts["records"], counts["bytes"]) for kind, counts in found.kinds.ordered("records")
    ]
    notes = ["Bytes are those of the records, without descriptor words and prefixes."]
    return SummarySection(
        "records", "Records by kind", ("kind", "#records", "#bytes"), *_cut(rows, most, notes, found.kinds), bar=1
    )


def kind_name(found: LogSummary, kind: str | None) -> str:
    """A kind of records, with the word of the spec if it is a code."""
    return UNREADABLE if kind is None else " ".join(filter(None, (kind or "blank", found.meanings.get(kind, ""))))


def _time(found: LogSummary, bins: int) -> SummarySection:
    step, start, changes, units = found.over_time(bins)
    rows = [
        ((EPOCH + timedelta(seconds=start + step * place)).isoformat(" "), *counts)
        for place, counts in enumerate(zip(changes, units, strict=True))
    ]
    zone = f"in {found.zone}" if found.zone else "as the log has them: it names no time zone"
    notes = []
    if found.first_commit and found.last_commit:
        notes = [f"Times of commit, {zone}, from {found.first_commit} to {found.last_commit}."]
        notes.append(f"Each row covers {in_words(step)}, from the time in its first column on.")
    else:
        notes = ["No unit of work has a time of commit."]
    if found.without_time:
        notes.append(f"Committed units without a time of commit: {found.without_time}.")
    return SummarySection("time", "Over time", ("from", "#changes", "#units"), tuple(rows), tuple(notes), bar=1)


def in_words(seconds: int) -> str:
    """The width of a time bin."""
    size, word = next(one for one in _TIME_UNITS if seconds % one[0] == 0)
    count = seconds // size
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def _tables(found: LogSummary, most: int) -> SummarySection:
    rows = [
        (name, counts["changes"], *by_operation(counts), counts["bytes"])
        for name, counts in found.tables.ordered("changes")
    ]
    notes = [
        "The changes that were committed, which the command lmparse changes prints. Bytes are those of their records, "
        "each counted once; values stored outside of the row are not in them."
    ]
    other = ", ".join(f"{_OTHER_OPERATIONS[op]} {count}" for op, count in operations(found) if op in _OTHER_OPERATIONS)
    if other:
        notes.append(f"Other operations: {other}.")
    left_out = ", ".join(f"{count} {why}" for why, count in sorted(found.left_out.items()))
    notes.append(f"Left out of them: {left_out}." if left_out else "No change is left out of them.")
    heads = ("table", "#changes", *(f"#{word}" for word in SHOWN_OPERATIONS.values()), "#other", "#bytes")
    return SummarySection("tables", "Changes by table", heads, *_cut(rows, most, notes, found.tables), bar=1)


def by_operation(counts: Mapping[str, int]) -> list[int]:
    """The changes of a table: inserts, updates, deletes, and all others."""
    shown = [counts[op] for op in SHOWN_OPERATIONS]
    return [*shown, counts["changes"] - sum(shown)]


def operations(found: LogSummary) -> Iterator[tuple[str, int]]:
    """The operations that occur, with the number of changes."""
    for op in found.tables.columns[2:]:
        if count := found.tables.total(op):
            yield op, count


def _units(found: LogSummary) -> SummarySection:
    if not found.has_units:
        none = "Logs of this kind have no transactions that could be listed."
        return SummarySection("units", "Units of work", notes=(none,))
    columns = found.units.columns
    rows = [(name, *(counts[column] for column in columns)) for name, counts in found.units.ordered("units")]
    complete = ", ".join(f"{word} {count}" for word, count in sorted(found.complete.items(), reverse=True))
    notes = [
        "A unit of work is a transaction of Db2 LUW or a unit of recovery of Log Master, committed or not; the command "
        "lmparse txn lists each. Changes that a unit took back itself are counted apart."
    ]
    if complete:
        notes.append(f"Units by whether all their records are in the log: {complete}.")
    if found.why:
        reasons = ", ".join(f"{why} ({count})" for why, count in found.why.most_common())
        notes.append(f"Units without all their records, by reason: {reasons}.")
    heads = ("disposition", *("#" + column.replace("_", " ") for column in columns))
    return SummarySection("units", "Units of work", heads, tuple(rows), tuple(notes))


def _sizes(found: LogSummary) -> SummarySection:
    rows: list[tuple[Cell, ...]] = [
        (name, *("" if number is None else number for number in _four(one))) for name, one in found.sizes.items()
    ]
    notes = [
        "Of committed units. 95 per cent of them are not above p95; a median or p95 of 10,000 and more may be up to "
        "0.1 % too low."
    ]
    if found.durations.count:
        rows.append(("duration", *(duration(number or 0) for number in _four(found.durations))))
        missing = found.sizes["changes"].count - found.durations.count
        notes.append("A duration is the time from the beginning of a unit to its commit, as the log states both.")
        if missing:
            notes.append(f"Units without a duration: {missing}.")
    else:
        notes.append("No duration is known: no unit states when it began and when it was committed.")
    if found.backwards:
        notes.append(f"Units whose beginning is later than their commit: {found.backwards}.")
    heads = ("of a unit", "#least", "#median", "#p95", "#greatest")
    return SummarySection("sizes", "Sizes and durations of units", heads, tuple(rows), tuple(notes))


def _four(one: Distribution) -> tuple[int | None, ...]:
    return one.least, one.quantile(50), one.quantile(95), one.greatest


def duration(micros: int) -> str:
    """A duration with its unit: `12.5 ms`, `1.25 s`, `2:03:04` hours."""
    if micros < 1_000_000:
        return f"{micros / 1000:.6g} ms"
    if micros < 3_600_000_000:
        return f"{micros / 1_000_000:.6g} s"
    seconds = micros // 1_000_000
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} h"


def _who(found: LogSummary, most: int) -> SummarySection:
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for name, counts in found.who.items():
        ordered = counts.ordered("changes")
        if not any(person for person, _ in ordered):
            notes.append(f"No unit states a {WHO_WORDS[name]}.")
            continue
        some = [
            (WHO_WORDS[name], person or NONE_STATED, *(one[column] for column in counts.columns))
            for person, one in ordered
        ]
        kept, more = _cut(some, most, [], counts)
        rows += kept
        notes += [f"{WHO_WORDS[name]}: {note}" for note in more]
    heads = ("who", "name", "#units", "#changes", "#bytes")
    return SummarySection("who", "Who", heads, tuple(rows), tuple(notes), bar=3)


def _damage(found: LogSummary) -> SummarySection:
    notes = [f"Reading ended before the end of the log: {fault}." for fault in found.faults]
    if found.bad_records:
        notes.append(f"Bad records: {found.bad_records}.")
    if found.bad_values:
        notes.append(f"Bad values: {found.bad_values}.")
    rows = tuple(sorted(found.error_codes.items()))
    if not rows and not notes:
        notes.append(
            "None was found while reading. The command lmparse check also tests what the log states about itself."
        )
    heads = ("code of the error", "#errors") if rows else ()
    return SummarySection("damage", "Damage", heads, rows, tuple(notes))


def _cut(
    rows: Iterable[tuple[Cell, ...]], most: int, notes: list[str], counts: NamedCounts
) -> tuple[tuple[tuple[Cell, ...], ...], tuple[str, ...]]:
    """The first rows; the notes say how many more there are, and what is not counted apart."""
    found = tuple(rows)
    more = [f"{len(found) - most} more names are not shown; JSON has them."] if len(found) > most else []
    if counts.others is not None:
        numbers = ", ".join(f"{number} {name}" for name, number in counts.others.items() if number)
        more.append(f"Names beyond the first {len(counts)} are counted together: {numbers}.")
    return found[:most], (*notes, *more)
