"""Random logs whose changes are known from how they were made, read in all the ways that must agree.

Each target is a module with `check(seed, folder)`: it makes a log of the seed, reads it, and raises AssertionError
where what is read is not what was made. What is known comes from the statements that were written, never from a
reading; of `db2_transactions`, whose logs have no meaning, from an independent reader. `make random-logs` runs them for
long; the tests run a few seeds of each.
"""

from __future__ import annotations

TARGETS: tuple[str, ...] = (
    "db2_check",
    "db2_log_streams",
    "db2_statements",
    "db2_transactions",
    "landed",
    "log_master_controls",
    "log_master_cuts",
    "log_master_extracts",
    "log_master_parts",
    "log_master_values",
    "marked_rows",
)
"""The modules here that are targets."""
