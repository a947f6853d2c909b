"""Summarizing: a log in numbers, and the ways to show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import cached_property
from html import escape
from pathlib import Path
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
from lmparse.review.coverage.files import stated_provenance
from lmparse.review.coverage.provenance import Provenance
from lmparse.review.summary.plots import BINS, STYLES, SummaryPlot, plots
from lmparse.review.summary.sections import EPOCH, operations, sections
from lmparse.review.summary.text import text_lines
from lmparse.review.templating import render, render_page
from lmparse.spec import catalog
from lmparse.spelling import plain
from lmparse.storage.addresses import paths_of

VERSION = 1
"""Version of the JSON form. Within a version keys are added, never changed."""
_NAMES = 200
_SECTIONS = {"changes": "sizes", "bytes": "sizes", "durations": "sizes", "users": "who"}
"""The sections of the plots that are not in that of their own name."""


class DrawnPlot:
    """One plot of a summary."""

    def __init__(self, plot: SummaryPlot) -> None:
        self._plot = plot

    def svg(self) -> str:
        """The plot as an SVG document. Raises OptionError LMP-S005 without Jinja2."""
        return render("summary_plot.svg", plot=self._plot)

    def _repr_svg_(self) -> str:
        """The output in a notebook."""
        return self.svg()

    def __repr__(self) -> str:
        return f"<plot: {self._plot.description}>"


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
    def has_errors(self) -> bool:
        """The same, or the reading ended before the end of the log."""
        return self.has_bad or bool(self._found.faults)

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
        return {
            "summary_version": VERSION,
            "files": found.files,
            "bytes": found.size,
            "spec": found.spec,
            "provenance": None if provenance is None else provenance.value,
            "records": {"count": found.kinds.total("records"), "by_kind": self._kinds()},
            "time": self._time(),
            "changes": {
                "count": found.changes,
                "by_operation": dict(operations(found)),
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

    def _time(self) -> dict[str, Any]:
        step, start, changes, units = self._found.over_time(BINS)
        return {
            "zone": self._found.zone,
            "first_commit": self._found.first_commit,
            "last_commit": self._found.last_commit,
            "units_without_time": self._found.without_time,
            "bin_seconds": step,
            "first_bin": (EPOCH + timedelta(seconds=start)).isoformat() if changes else None,
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
        """The summary as text, in lines of at most `width` characters, if names and numbers are not longer."""
        return list(text_lines(self._found, self._about, width))

    @property
    def _about(self) -> str:
        provenance = self._provenance
        return "" if provenance is None else f"{provenance.value}: {provenance.about}"

    @property
    def plots(self) -> dict[str, DrawnPlot]:
        """The plots by their names: records, time, tables, changes, bytes, durations (of committed units), users.

        One that would have nothing in it is left out.
        """
        return {one.name: DrawnPlot(one) for one in plots(self._found)}

    def html(self) -> str:
        """The summary as a page that loads nothing. Raises OptionError LMP-S005 without Jinja2."""
        found, drawn = self._found, plots(self._found)
        shown = sections(found, bins=BINS, most=_NAMES)
        by_section = {
            one.id: [plot for plot in drawn if _SECTIONS.get(plot.name, plot.name) == one.id] for one in shown
        }
        name = ", ".join(Path(file).name for file in found.files[:3]) + (", ..." if len(found.files) > 3 else "")
        return render_page(
            "summary.html", found=found, name=name, provenance=self._provenance, sections=shown, plots=by_section,
            styles=STYLES,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        """The output in a notebook: the text; `plots` has the drawings."""
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
