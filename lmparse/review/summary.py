"""What is in a log, in numbers: as text and as JSON. What is counted is in `logs.summary`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any

from lmparse.errors import DataError, FramingError
from lmparse.logs.beside import Say
from lmparse.logs.families import family_of, read_options
from lmparse.logs.joining import is_several
from lmparse.logs.sniff import sniff
from lmparse.logs.summary import LogSummary, summarize
from lmparse.logs.summary_counts import NamedCounts
from lmparse.options import Options, check_taken
from lmparse.records.files import OnError, ignored
from lmparse.review.coverage.cases import Provenance, stated_provenance
from lmparse.spec import catalog
from lmparse.spelling import plain
from lmparse.storage.addresses import paths_of

VERSION = 1
"""Version of the JSON form. Within a version keys are added, never changed."""
_BINS, _BINS_OF_TEXT = 60, 24
_NAMES = 20
"""Most names of each kind in the text."""
_LEAST_WIDTH = 60
_EPOCH = datetime(1970, 1, 1)
_WHO = {"auth_id": "user", "plan": "plan", "connect_id": "connection", "correlation_id": "correlation id"}
Cell = int | str


class Summarized:
    """A log in numbers, and the ways to show them."""

    def __init__(self, found: LogSummary) -> None:
        self._found = found

    @property
    def faults(self) -> list[DataError]:
        """What ended the reading before the end of the log."""
        return self._found.faults

    @property
    def has_bad(self) -> bool:
        """Whether a record or a value is bad."""
        return bool(self._found.error_codes)

    @property
    def left_out(self) -> dict[str, int]:
        """Number of changes that `lmparse changes` leaves out, by reason."""
        return dict(sorted(self._found.left_out.items()))

    @cached_property
    def _provenance(self) -> Provenance | None:
        """What the bytes rest on, if all files state it."""
        stated = {stated_provenance(name) for name in self._found.files}
        return stated.pop() if len(stated) == 1 and stated != {Provenance.GIVEN} else None

    def to_dict(self) -> dict[str, Any]:
        """The summary as one JSON object."""
        found, provenance = self._found, self._provenance
        operations = {op: count for op in found.tables.columns[2:] if (count := found.tables.total(op))}
        return {
            "summary_version": VERSION,
            "files": found.files,
            "bytes": found.size,
            "spec": found.spec,
            "provenance": None if provenance is None else provenance.value,
            "records": {"count": found.kinds.total("records"), "by_kind": self._kinds()},
            "time": self._time(_BINS),
            "changes": {
                "count": found.changes,
                "by_operation": operations,
                "left_out": self.left_out,
                "by_table": _named(found.tables, "changes", "table"),
            },
            "units": self._units(),
            "who": {name: _named(counts, "changes", "name") for name, counts in found.who.items()},
            "damage": {
                "bad_records": found.bad_records,
                "bad_values": found.bad_values,
                "codes": dict(sorted(found.error_codes.items())),
                "ended_by": [fault.to_dict() for fault in found.faults],
            },
            "decisions": found.decisions,
            "notices": found.notices,
        }

    def _kinds(self) -> dict[str, Any]:
        counted = _named(self._found.kinds, "records", "kind")
        for row in counted["named"]:
            row["meaning"] = self._found.meanings.get(row["kind"])
        return counted

    def _time(self, bins: int) -> dict[str, Any]:
        step, start, changes, units = self._found.over_time(bins)
        return {
            "zone": self._found.zone,
            "first_commit": self._found.first_commit,
            "last_commit": self._found.last_commit,
            "units_without_time": self._found.without_time,
            "bin_seconds": step,
            "first_bin": (_EPOCH + timedelta(seconds=start)).isoformat() if changes else None,
            "changes": changes,
            "units": units,
        }

    def _units(self) -> dict[str, Any] | None:
        found = self._found
        if not found.has_units:
            return None
        return {
            "count": found.units.total("units"),
            "by_disposition": dict(found.units.ordered("units")),
            "complete": dict(sorted(found.complete.items())),
            "why": dict(found.why.most_common()),
            "committed": {
                **{name: one.to_dict() for name, one in found.sizes.items()},
                "microseconds": found.durations.to_dict(),
            },
            "backwards": found.backwards,
        }

    def lines(self, width: int = 80) -> list[str]:
        """The summary as text; sentences are folded at `width` characters, at least 60, and tables are not."""
        return list(self._lines(max(width, _LEAST_WIDTH)))

    def _lines(self, width: int) -> Iterator[str]:
        found, numbers = self._found, self.to_dict()
        yield from found.files
        yield from _folded(f"{found.title}; {found.size} bytes, spec {found.spec}", width)
        if self._provenance is not None:
            yield from _folded(f"{self._provenance.value}: {self._provenance.about}", width)
        sections = {
            "Records by kind": _records(numbers["records"]),
            "Over time": _times(self._time(_BINS_OF_TEXT)),
            "Changes by table": _changes(numbers["changes"]),
            **({} if numbers["units"] is None else _of_units(numbers["units"], numbers["who"])),
            "Damage": _damage(numbers["damage"], found.faults),
            **({"Noticed while reading": ([], found.notices)} if found.notices else {}),
        }
        for title, (rows, notes) in sections.items():
            yield ""
            yield title
            yield from _table(rows)
            for note in notes:
                yield from _folded(note, width)

    def _repr_html_(self) -> str:
        """The output in a notebook: the text."""
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<summary of {', '.join(self._found.files)}>"


def _named(counts: NamedCounts, by: str, name: str) -> dict[str, Any]:
    """Counts by name as JSON; operations that do not occur are left out."""
    rows = []
    for one, numbers in counts.ordered(by):
        fixed = {column: number for column, number in numbers.items() if column.islower() and column != "other"}
        operations = {column: number for column, number in numbers.items() if column not in fixed and number}
        rows.append({name: one, **fixed} | ({"operations": operations} if operations else {}))
    return {"named": rows, "others": counts.others}


# -- text -----------------------------------------------------------------------------------

Section = tuple[list[tuple[Cell, ...]], list[str]]
"""The rows of a table, of which the first one has the heads of its columns; and notes."""


def _records(numbers: Mapping[str, Any]) -> Section:
    rows: list[tuple[Cell, ...]] = [("kind", "records", "bytes")]
    for row in numbers["by_kind"]["named"]:
        kind = "cannot be read" if row["kind"] is None else row["kind"] or "blank"
        rows.append((" ".join(filter(None, (kind, row["meaning"]))), row["records"], row["bytes"]))
    return _cut(rows, [], numbers["by_kind"])


def _times(numbers: Mapping[str, Any]) -> Section:
    rows: list[tuple[Cell, ...]] = [("from", "changes", "units")]
    if numbers["first_bin"] is None:
        return rows, ["No unit of work has a time of commit."]
    start, step = datetime.fromisoformat(numbers["first_bin"]), timedelta(seconds=numbers["bin_seconds"])
    for place, counts in enumerate(zip(numbers["changes"], numbers["units"], strict=True)):
        rows.append(((start + step * place).isoformat(" "), *counts))
    zone = f"in {numbers['zone']}" if numbers["zone"] else "as the log has them: it names no time zone"
    notes = [f"Times of commit, {zone}, from {numbers['first_commit']} to {numbers['last_commit']}."]
    if numbers["units_without_time"]:
        notes.append(f"Committed units without a time of commit: {numbers['units_without_time']}.")
    return rows, notes


def _changes(numbers: Mapping[str, Any]) -> Section:
    rows: list[tuple[Cell, ...]] = [("table", "changes", "inserts", "updates", "deletes", "other", "bytes")]
    for row in numbers["by_table"]["named"]:
        shown = [row.get("operations", {}).get(op, 0) for op in "IUD"]
        rows.append((row["table"], row["changes"], *shown, row["changes"] - sum(shown), row["bytes"]))
    left_out = ", ".join(f"{count} {why}" for why, count in numbers["left_out"].items())
    notes = [f"Left out of them: {left_out}." if left_out else "No change is left out of them."]
    return _cut(rows, notes, numbers["by_table"])


def _of_units(numbers: Mapping[str, Any], who: Mapping[str, Any]) -> dict[str, Section]:
    columns = ("units", "changes", "taken_back", "records", "bytes")
    units: list[tuple[Cell, ...]] = [("disposition", *(column.replace("_", " ") for column in columns))]
    units += [(name, *(counts[column] for column in columns)) for name, counts in numbers["by_disposition"].items()]
    complete = ", ".join(f"{word} {count}" for word, count in sorted(numbers["complete"].items(), reverse=True))
    notes = [f"Units by whether all their records are in the log: {complete}."] if complete else []
    notes += [f"Units without all their records: {count}: {why}." for why, count in numbers["why"].items()]
    quantiles = ("least", "median", "p95", "greatest")
    sizes: list[tuple[Cell, ...]] = [("of a committed unit", *quantiles)]
    for name, one in numbers["committed"].items():
        if one["count"]:
            sizes.append((name, *(one[quantile] for quantile in quantiles)))
    late = [f"Units whose beginning is later than their commit: {count}." if (count := numbers["backwards"]) else ""]
    people: list[tuple[Cell, ...]] = [("who", "name", "units", "changes", "bytes")]
    more: list[str] = []
    for name, word in _WHO.items():
        named = who[name]["named"]
        if not any(one["name"] for one in named):
            more.append(f"No unit states a {word}.")
            continue
        rows: list[tuple[Cell, ...]] = [people[0]]
        rows += [(word, one["name"] or "none stated", one["units"], one["changes"], one["bytes"]) for one in named]
        (_, *kept), missing = _cut(rows, [], who[name])
        people += kept
        more += [f"{word}: {note}" for note in missing]
    return {
        "Units of work": (units, notes),
        "Sizes and durations of units": (sizes, [note for note in late if note]),
        "Who": (people, more),
    }


def _damage(numbers: Mapping[str, Any], faults: Sequence[DataError]) -> Section:
    notes = [f"Reading ended before the end of the log: {fault}." for fault in faults]
    notes += [f"Bad {what}: {count}." for what in ("records", "values") if (count := numbers[f"bad_{what}"])]
    rows: list[tuple[Cell, ...]] = [("code of the error", "errors"), *numbers["codes"].items()]
    if len(rows) == 1 and not notes:
        notes = ["None was found while reading. lmparse check also tests what the log states about itself."]
    return rows, notes


def _cut(rows: list[tuple[Cell, ...]], notes: list[str], named: Mapping[str, Any]) -> Section:
    """The first rows; the notes say how many more there are, and what is not counted apart."""
    if len(rows) > _NAMES + 1:
        notes = [*notes, f"{len(rows) - _NAMES - 1} more names are not shown; JSON has them."]
    if named["others"] is not None:
        numbers = ", ".join(f"{number} {name}" for name, number in named["others"].items() if number)
        notes = [*notes, f"Names beyond the first {len(named['named'])} are counted together: {numbers}."]
    return rows[: _NAMES + 1], notes


def _table(rows: list[tuple[Cell, ...]]) -> Iterator[str]:
    """A table in lines: texts to the left, numbers to the right. One without rows is none."""
    if len(rows) < 2:
        return
    is_number = [isinstance(cell, int) for cell in rows[1]]
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            str(cell).rjust(width) if right else str(cell).ljust(width)
            for cell, width, right in zip(row, widths, is_number, strict=True)
        ]
        yield f"  {'  '.join(cells)}".rstrip()


def _folded(text: str, width: int) -> list[str]:
    """A text in lines; a word is never cut."""
    return wrap(
        text, width, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


# -- reading --------------------------------------------------------------------------------


def summary(path: str | Path | Sequence[str | Path], **options: Any) -> Summarized:
    """A log in numbers: its records by kind, its changes by table and time, its units of work, who made them.

    Several files are one log. `options` are those of `lmparse summary` under their Python names. What ends the reading
    before the end of the log is in `faults`. Raises as `open_log` and `Log.changes`; needs pyarrow.
    """
    check_taken(options, "summary", "summary")
    paths = paths_of("path", path)
    return summarized(paths, recognised(paths, options))


def recognised(paths: Sequence[str | Path], given: Mapping[str, Any]) -> Options:
    """The options parsed, with the spec of the file if none is given and it is a log of another family.

    As for `explain` and `coverage`: they are for files of which nothing is known yet. Raises OptionError.
    """
    options = read_options(given)
    if is_several(paths) or options.files or "spec" in map(plain, given):
        return options
    with suppress(FramingError):  # reading says what the file is not
        found, own = sniff(paths[0], options.bounds), family_of(catalog.load(options.spec))
        if found.trial.is_proven and family_of(catalog.load(found.spec)) not in (own, None):
            return read_options({**given, "spec": found.spec})
    return options


def summarized(
    paths: Sequence[str | Path], options: Options, *, on_error: OnError = ignored, say: Say | None = None
) -> Summarized:
    """The same with parsed options. Bad records and values are passed to `on_error`; `say` is as in `open_described`.

    Raises OptionError LMP-S005 without pyarrow.
    """
    return Summarized(summarize(paths, options, on_error=on_error, say=say))
