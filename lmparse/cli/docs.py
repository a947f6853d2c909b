"""`lmparse docs`: writes the pages on which the specs are reviewed."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from lmparse.cli.arguments import Commands, add_command, add_options, given_options
from lmparse.cli.messages import DATA, GOOD, message, report


def add(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "docs", run, "write the pages on which the specs are reviewed, as a folder")
    command.add_argument("out", metavar="OUTDIR", help="folder for the pages; a browser opens them from the disk")
    samples = "a log, a folder of logs or of cases whose values the pages show; may be repeated (default: synthetic)"
    command.add_argument("--samples", action="append", default=[], metavar="PATH", help=samples)
    command.add_argument("--specs", metavar="DIR", help="show the specs in this folder, written by lmparse build")
    command.add_argument("--overwrite", action="store_true", help="replace pages that lmparse wrote there")
    add_options(command, "docs")


def run(parsed: argparse.Namespace) -> int:
    """Write the pages."""
    from lmparse.review.coverage.cases import SYNTHETIC
    from lmparse.review.docs.site import write_site
    from lmparse.samples import write_samples

    with TemporaryDirectory() as folder:
        if not parsed.samples:
            write_samples(Path(folder))
        done = write_site(
            parsed.out, samples=parsed.samples or [folder], specs=parsed.specs, given=given_options(parsed),
            overwrite=parsed.overwrite, provenance=None if parsed.samples else SYNTHETIC,
        )  # fmt: skip
    for error in done.samples.faults:
        report(error)
    samples = ", ".join(f"{count} {provenance}" for provenance, count in done.samples.by_provenance) or "no"
    message(f"{parsed.out}: {done.specs} specs, with {samples} samples")
    return DATA if done.samples.faults else GOOD
