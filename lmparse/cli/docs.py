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
        count, samples = write_site(
            parsed.out, samples=parsed.samples or [folder], specs=parsed.specs, given=given_options(parsed),
            overwrite=parsed.overwrite, provenance=None if parsed.samples else SYNTHETIC,
        )  # fmt: skip
    for error in samples.faults:
        report(error)
    words = ", ".join(f"{files} {provenance}" for provenance, files in samples.by_provenance) or "no"
    message(f"{parsed.out}: {count} specs, with {words} samples")
    return DATA if samples.faults else GOOD
