"""Claims: statements of a log about itself, and how many records prove or contradict each statement.

`check` lists the claims of a file. A family adds claims by `ChangeLog.claims`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

KEPT_FAILURES = 100
"""Most failures of a claim kept in words; all failures are counted."""


@dataclass
class Statement:
    """The words of a claim."""

    says: str
    """The claim in words: `positions in the log ascend`."""
    of: str
    """The things that are counted, in the plural: `records`."""

    def claim(self) -> Claim:
        """The claim, still untested."""
        return Claim(self.says, self.of)


@dataclass
class Claim(Statement):
    """One claim. Each thing that the claim is about is tested, or cannot be tested for a reason."""

    tested: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)
    """The first failures in words."""
    untestable: Counter[str] = field(default_factory=Counter)
    """Number of things that could not be tested, by reason."""

    @property
    def passed(self) -> int:
        """Number of things that fulfil the claim."""
        return self.tested - self.failed

    @property
    def state(self) -> str:
        """`failed`, `passed` or, if nothing was tested, `not testable`."""
        if self.failed:
            return "failed"
        return "passed" if self.tested else "not testable"

    def test(self, failure: str | None = None) -> None:
        """Count a test; `failure` says how the test failed, or None."""
        self.tested += 1
        if failure is not None:
            self.failed += 1
            if len(self.failures) < KEPT_FAILURES:
                self.failures.append(failure)

    def fail(self, count: int, failures: Iterable[str]) -> None:
        """Count failures among things already counted as tested; the first failures are kept in words."""
        self.failed += count
        self.failures += islice(failures, max(0, KEPT_FAILURES - len(self.failures)))

    def add(self, other: Claim) -> None:
        """Add the results of the same claim from elsewhere."""
        self.tested += other.tested
        self.fail(other.failed, other.failures)
        self.untestable += other.untestable

    def to_dict(self) -> dict[str, Any]:
        """The claim as JSON."""
        return {
            "says": self.says, "state": self.state, "of": self.of, "tested": self.tested, "passed": self.passed,
            "failed": self.failed, "failures": self.failures, "not_testable": dict(self.untestable.most_common()),
        }  # fmt: skip

    def __str__(self) -> str:
        counts = f"{self.tested} {self.of} tested, {self.failed} failed"
        reasons = "".join(f"; {count} not testable: {why}" for why, count in self.untestable.most_common())
        return f"{self.state}: {self.says} ({counts}{reasons})"
