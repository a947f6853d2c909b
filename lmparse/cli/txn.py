"""`lmparse txn`: the transactions of a log, or its units of recovery, one line each."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lmparse.changes.transaction_summary import total
from lmparse.cli.arguments import given_options
from lmparse.cli.messages import GOOD, ErrorPrinter, aligned, fail, print_json, print_lines, report_tally
from lmparse.errors import DataError, not_installed
from lmparse.storage.arrow_alone import load_arrow

if TYPE_CHECKING:
    from lmparse.changes.transaction_summary import TransactionSummary

_COLUMNS = {
    "TXN_ID": 28, "DISPOSITION": 11, "COMMIT_TS": 26, "USER": 24, "RECORDS": -7, "BYTES": -8, "CHANGES": -7,
    "TAKEN BACK": -10, "COMPLETE": 12, "TABLES": 0,
}  # fmt: skip
"""Titles of the columns and their widths; negative for numbers."""
_COMPLETE = {True: "yes", False: "no", None: "not testable"}


def run(parsed: argparse.Namespace) -> int:
    """Print the transactions."""
    from lmparse.logs.families import read_options
    from lmparse.logs.log import transaction_summaries
    from lmparse.logs.open import open_resumed

    errors, given = ErrorPrinter(parsed.show_errors), given_options(parsed)
    try:
        load_arrow()  # without pandas, before anything else loads it
    except ImportError as error:
        if given.get("engine", "kaitai") != "kaitai":
            raise not_installed(error) from None
    options = read_options(given)
    log = open_resumed(parsed.files, options, needs_control=False, on_error=errors)
    code = GOOD
    try:
        if parsed.json:
            for summary in transaction_summaries(log):
                print_json(summary.to_row())
        else:
            print_lines([aligned(_COLUMNS, _COLUMNS.values())])
            print_lines(aligned(_cells(summary), _COLUMNS.values()) for summary in transaction_summaries(log))
    except DataError as error:
        code = fail(error)
    errors.total()
    return report_tally(log.tally, code)


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
