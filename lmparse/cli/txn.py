"""`lmparse txn`: the transactions of a log, or its units of recovery, one line each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from lmparse.changes.transaction_summary import total
from lmparse.cli.arguments import Commands, add_command, add_options, add_show_errors, given_options
from lmparse.cli.messages import GOOD, ErrorPrinter, fail, note, print_json, print_lines, report_tally
from lmparse.errors import DataError, not_installed
from lmparse.storage.arrow_alone import load_arrow

if TYPE_CHECKING:
    from lmparse.changes.transaction_summary import TransactionSummary

_TOGETHER = 1000
"""Lines that are held to align their columns; later lines are aligned with them, or further to the right."""
_TITLES = (
    "TXN_ID", "DISPOSITION", "COMMIT_TS", "USER", "RECORDS", "BYTES", "CHANGES", "TAKEN BACK", "COMPLETE", "TABLES",
)  # fmt: skip
_NUMBERS = ("RECORDS", "BYTES", "CHANGES", "TAKEN BACK")
_COMPLETE = {True: "yes", False: "no", None: "not testable"}


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "txn", run, "list the transactions of a log, one line each")
    command.add_argument("files", nargs="+", metavar="FILE", help="several files, and those of a folder, are one log")
    command.add_argument("--json", action="store_true", help="one JSON object a transaction")
    add_show_errors(command)
    add_options(command, "txn")


def run(parsed: argparse.Namespace) -> int:
    """Print the transactions."""
    from lmparse.logs.families import read_options
    from lmparse.logs.open import open_resumed
    from lmparse.logs.transactions import transaction_summaries

    errors, given = ErrorPrinter(parsed.show_errors), given_options(parsed)
    try:
        load_arrow()  # without pandas, before anything else loads it
    except ImportError as error:
        if given.get("engine", "kaitai") != "kaitai":
            raise not_installed(error) from None
    options = read_options(given)
    log = open_resumed(parsed.files, options, needs_control=False, on_error=errors, say=note)
    code = GOOD
    try:
        if parsed.json:
            for summary in transaction_summaries(log):
                print_json(summary.to_row())
        else:
            print_lines(_lines(transaction_summaries(log)))
    except DataError as error:
        code = fail(error)
    errors.total()
    return report_tally(log.tally, code)


def _lines(summaries: Iterator[TransactionSummary]) -> Iterator[str]:
    """A table with a line for each transaction; those before an error that ends reading are in it."""
    rows: list[tuple[str, ...]] = [_TITLES]
    widths = [0] * len(_TITLES)
    is_last = False
    while not is_last:
        fault: DataError | None = None
        before = len(rows)
        try:
            rows.extend(map(_cells, islice(summaries, _TOGETHER)))
        except DataError as error:
            fault = error
        is_last = len(rows) - before < _TOGETHER
        widths = [max([width, *map(len, cells)]) for width, *cells in zip(widths, *rows, strict=True)]
        yield from (_aligned(row, widths) for row in rows)
        if fault is not None:
            raise fault
        rows = []


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    cells = zip(_TITLES, row, widths, strict=True)
    return "  ".join([
        cell.rjust(width) if title in _NUMBERS else cell.ljust(width) for title, cell, width in cells
    ]).rstrip()  # fmt: skip


def _cells(summary: TransactionSummary) -> tuple[str, ...]:
    """One line, without the places that only JSON has."""
    users = [summary.auth_id or "", *filter(None, (summary.plan, summary.correlation_id))]
    tables = [f"{table} {_numbers(counts)}" for table, counts in sorted(summary.tables.items())]
    taken_back = [f"{table} {_numbers(counts)}" for table, counts in sorted(summary.compensated.items())]
    said = [", ".join(tables), f"taken back: {', '.join(taken_back)}" if taken_back else ""]
    said.append(f"({summary.why})" if summary.complete is False else "")
    return (
        summary.txn_id, summary.disposition, summary.commit_ts or "", " ".join(users), str(summary.records),
        str(summary.bytes), str(total(summary.tables)), str(total(summary.compensated)), _COMPLETE[summary.complete],
        " ".join(filter(None, said)),
    )  # fmt: skip


def _numbers(counts: dict[str, int]) -> str:
    return " ".join(f"{op}={number}" for op, number in sorted(counts.items()))
