"""What is in a log, in numbers: its changes by table and operation, and by who made them, as text and as JSON.

The changes are those that `lmparse changes` prints. They are read once, by the engine that the options name, without
the columns of their rows. The file of a log may have any size: memory holds the batch that is read and the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from lmparse.changes.change_counts import ChangeCounts, counted_columns
from lmparse.errors import DataError, FramingError, OptionError
from lmparse.logs.arrow import log_batches
from lmparse.logs.families import check_changes, read_options
from lmparse.logs.joining import is_several
from lmparse.logs.open import open_resumed
from lmparse.options import Options, check_taken
from lmparse.records.files import OnError, ignored
from lmparse.review.explain.search import with_spec
from lmparse.storage.addresses import in_utf8, paths_of
from lmparse.storage.joined import names_in

VERSION = 1
"""Version of the JSON form. Within a version keys are added, never changed."""
_SHOWN = 20
"""Most groups of each kind in the text."""
_SECONDS = len("2026-03-14T10:11:12")
_TABLES = ("schema_name", "table_name", "op")
_WHO = {"auth_id": "user", "plan": "plan", "correlation_id": "correlation"}


@dataclass
class Summarized:
    """A log in numbers, and the ways to show them."""

    files: list[str]
    size: int
    """Bytes of all files; of what several have in common, once if it is read once."""
    spec: str
    title: str
    """Name of the family of the log."""
    zone: str | None
    """Time zone of the commit times; None if the log names none."""
    tables: ChangeCounts = field(default_factory=lambda: ChangeCounts(*_TABLES))
    who: dict[str, ChangeCounts] = field(default_factory=lambda: {name: ChangeCounts(name) for name in _WHO})
    left_out: dict[str, int] = field(default_factory=dict)
    """Number of changes that `lmparse changes` leaves out, by reason: the outcome of their unit of work."""
    error_codes: Counter[str] = field(default_factory=Counter)
    """Bad records and bad values, by the code of their error."""
    bad_records: int = 0
    faults: list[DataError] = field(default_factory=list)
    """What ended the reading before the end of the log."""
    decisions: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def has_bad(self) -> bool:
        """Whether a record or a value is bad."""
        return bool(self.error_codes)

    def to_dict(self) -> dict[str, Any]:
        """The summary as one JSON object."""
        rows = self.tables.rows
        times = [row[name] for row in rows for name in ("first_commit", "last_commit") if row[name] is not None]
        time = {"first_commit": min(times, default=None), "last_commit": max(times, default=None)}
        return {
            "summary_version": VERSION, "files": self.files, "bytes": self.size, "spec": self.spec,
            "time": {"zone": self.zone, **time},
            "changes": {
                "count": sum(row["changes"] for row in rows) + self.tables.others, "left_out": self.left_out,
                "by_table": {"groups": rows, "others": self.tables.others},
            },
            "who": {name: counts.to_dict() for name, counts in self.who.items()},
            "damage": {
                "bad_records": self.bad_records,
                "bad_values": max(self.error_codes.total() - self.bad_records, 0),
                "codes": dict(sorted(self.error_codes.items())),
                "ended_by": [fault.to_dict() for fault in self.faults],
            },
            "decisions": self.decisions, "notices": self.notices,
        }  # fmt: skip

    def lines(self) -> list[str]:
        """The summary as text."""
        numbers = self.to_dict()
        sections = {
            "Changes by table": [*_table(_changes(numbers["changes"]["by_table"])), *self._notes(numbers)],
            "Who": _table(_people(numbers["who"])),
            "Damage": _damage(numbers["damage"], self.faults),
            **({"Noticed while reading": self.notices} if self.notices else {}),
        }
        lines = [*self.files, f"  {self.title}; {self.size} bytes, spec {self.spec}"]
        for title, notes in sections.items():
            lines += ["", title, *(f"  {note}" for note in notes)]
        return lines

    def _notes(self, numbers: Mapping[str, Any]) -> Iterator[str]:
        """What is said of the changes beside their numbers."""
        time = numbers["time"]
        if time["first_commit"] is None:
            yield "No change has a time of commit."
        else:
            zone = f"in {self.zone}" if self.zone else "as the log has them: it names no time zone"
            yield f"Times of commit, {zone}, from {time['first_commit']} to {time['last_commit']}."
        left_out = ", ".join(f"{count} {why}" for why, count in self.left_out.items())
        yield f"Left out of them: {left_out}." if left_out else "No change is left out of them."

    def _repr_html_(self) -> str:
        """The output in a notebook: the text."""
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<summary of {', '.join(self.files)}>"


# -- text -----------------------------------------------------------------------------------

Row = tuple[str, ...]


def _changes(counts: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = [("table", "op", "changes", "first commit", "last commit")]
    for row in counts["groups"][:_SHOWN]:
        name = ".".join(filter(None, (row["schema_name"], row["table_name"])))
        rows.append((name or "no table", row["op"] or "other", *_numbers(row)))
    return [*rows, *_rest("all others", "", counts)]


def _people(who: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = [("who", "name", "changes", "first commit", "last commit")]
    for column, word in _WHO.items():
        rows += [(word, row[column] or "none stated", *_numbers(row)) for row in who[column]["groups"][:_SHOWN]]
        rows += _rest(word, "all others", who[column])
    return rows


def _numbers(row: Mapping[str, Any]) -> Row:
    """The number of changes and the seconds of the first and the last commit."""
    return str(row["changes"]), *((row[name] or "")[:_SECONDS] for name in ("first_commit", "last_commit"))


def _rest(first: str, second: str, counts: Mapping[str, Any]) -> list[Row]:
    """The row of the groups that are not shown, if there are any; the first two cells say what it is."""
    rest = sum(row["changes"] for row in counts["groups"][_SHOWN:]) + counts["others"]
    return [(first, second, str(rest), "", "")] if rest else []


def _damage(numbers: Mapping[str, Any], faults: Sequence[DataError]) -> list[str]:
    notes = [f"Reading ended before the end of the log: {fault}." for fault in faults]
    notes += [f"Bad {what}: {count}." for what in ("records", "values") if (count := numbers[f"bad_{what}"])]
    notes += [f"Errors {code}: {count}." for code, count in numbers["codes"].items()]
    return notes or ["None was found while reading. lmparse check also tests what the log states about itself."]


def _table(rows: Sequence[Row]) -> list[str]:
    """A table in lines: texts to the left, the number of changes to the right. One without rows is none."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if name == "changes" else cell.ljust(width)
            for name, cell, width in zip(rows[0], row, widths, strict=True)
        ).rstrip()
        for row in rows if len(rows) > 1
    ]  # fmt: skip


# -- reading --------------------------------------------------------------------------------


def summary(path: str | Path | Sequence[str | Path], **options: Any) -> Summarized:
    """A log in numbers: its changes by table and operation, by user, plan and correlation id, and what is damaged.

    Several files are one log. `options` are those of `lmparse summary` under their Python names. What ends the reading
    before the end of the log is in `faults`. Raises as `open_log` and `Log.changes`; needs pyarrow.
    """
    check_taken(options, "summary", "summary")
    paths = paths_of("path", path)
    return summarized(paths, recognised(paths, options))


def recognised(paths: Sequence[str | Path], given: Mapping[str, Any]) -> Options:
    """The options parsed, with the spec of a single file if none is given: nothing may be known of it yet.

    Raises OptionError.
    """
    with suppress(FramingError, OptionError):  # reading says what the file is not
        options = read_options(dict(given) if is_several(paths) else with_spec(paths[0], given))
        check_changes(options)
        return options
    return read_options(given)


def summarized(paths: Sequence[str | Path], options: Options, *, on_error: OnError = ignored) -> Summarized:
    """The same with parsed options. Bad records and values are passed to `on_error`.

    Raises EngineDifferenceError with engine `check`, where the engines differ.
    """
    family = check_changes(options)
    codes: Counter[str] = Counter()

    def count_error(error: DataError) -> None:
        codes[error.code] += 1
        if on_error is not None:
            on_error(error)

    log = open_resumed(paths, replace(options, mode="permissive"), on_error=count_error)
    log.check_changes()
    files = [in_utf8(name) for name in names_in(log.path)]
    found = Summarized(files, len(log.buffer), log.spec.id, family.title, family.commit_zone, error_codes=codes)
    try:
        for batch in log_batches(log, counted_columns(*_TABLES, *_WHO)):
            for counts in (found.tables, *found.who.values()):
                counts.add(batch)
    except DataError as error:
        found.faults.append(error)
    found.left_out, found.bad_records = dict(sorted(log.left_out.items())), log.tally.dropped
    found.decisions, found.notices = [str(decision) for decision in log.decisions], list(log.tally.notices)
    return found
