"""What the cases reach of the specs."""

from __future__ import annotations

from functools import cache

from cases.files import CASES

from lmparse.review.coverage.files import Samples
from lmparse.review.docs.site import read_samples


@cache
def samples_of_cases() -> Samples:
    """Read once for the coverage and for the pages; files are named by their paths below `cases`."""
    return read_samples([str(CASES)])
