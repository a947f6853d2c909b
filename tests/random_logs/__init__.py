"""Random logs whose changes are known from how they were made, read in all the ways that must agree.

Each target is a module with `check(seed, folder)`: it makes the log of a seed, reads it, and raises AssertionError if
what is read is not what was made. What is known comes from the statements that were written, never from a reading.
`make random-logs` runs them for long; the tests run a few seeds of each.
"""

from __future__ import annotations

TARGETS: tuple[str, ...] = ("landed_rows", "landed_units", "landed_changes")
"""The modules here that are targets."""
