"""Fuzzing: targets that any bytes may be given to, one module each, and what runs them for long.

`run` runs every target for minutes, each in a process of its own; `test_targets` runs the same targets over every case
and a fixed number of changes of each. `edits` says what the bytes of an input mean, `seeds` where inputs begin,
`invariants` what must hold of a file, `bounds` how much memory and time an input may take.
"""

TARGETS = (
    "framing", "bmc_log", "db2_log", "control_file", "row_images", "tables_file", "specs", "records", "spark_options",
)  # fmt: skip
"""Modules of the targets. Each has `SEEDS`, inputs to begin with, and `target(data)`, which raises what is wrong."""
