"""`lmparse docs`: writes the pages on which the specs are reviewed."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from lmparse.cli.arguments import given_options
from lmparse.cli.messages import DATA, GOOD, message, report


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
