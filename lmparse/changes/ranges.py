"""Change ranges: selection of changes by `seq` or by the time of their commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lmparse.options import Options
from lmparse.values import text_times

OUTSIDE = "outside the range"
"""The reason that is reported for changes outside the range."""


def following(seq: str) -> str:
    """The first sort key behind a `seq`, of as many digits; a text behind all of them for the last one."""
    number = int(seq, 16) + 1
    return f"{number:0{len(seq)}X}" if number >> 4 * len(seq) == 0 else "G"


@dataclass(frozen=True)
class ChangeRange:
    """Bounds of changes, all inclusive; None for no bound."""

    first_seq: str | None = None
    last_seq: str | None = None
    """Upper-case hex of fixed width, as in changes; sorts as the order of commits."""
    first_time: int | None = None
    last_time: int | None = None
    """Microseconds since 1970-01-01T00:00:00. A change without a commit time is outside any bound of time."""

    @classmethod
    def of(cls, options: Options) -> ChangeRange:
        """The range that the options specify."""
        first, last = options.starting_timestamp, options.ending_timestamp
        seqs = [options.starting_seq or "", following(options.starting_after) if options.starting_after else ""]
        return cls(
            max(seqs) or None, options.ending_seq, None if first is None else text_times.iso_micros(first),
            None if last is None else text_times.iso_micros(last),
        )  # fmt: skip

    @property
    def bounds(self) -> list[tuple[str, str, str | int]]:
        """Each bound as a column of changes, a comparison and a value; `commit_ts` in microseconds."""
        every = (
            ("seq", ">=", self.first_seq), ("seq", "<=", self.last_seq),
            ("commit_ts", ">=", self.first_time), ("commit_ts", "<=", self.last_time),
        )  # fmt: skip
        return [(column, comparison, value) for column, comparison, value in every if value is not None]

    def holds(self, seq: Callable[[], str], time: Callable[[], int | None]) -> bool:
        """Whether a change is inside. A function is called only if its value is bounded."""
        if (self.first_seq or self.last_seq) and not (self.first_seq or "") <= seq() <= (self.last_seq or "G"):
            return False
        if self.first_time is None and self.last_time is None:
            return True
        found = time()
        if found is None or (self.first_time is not None and found < self.first_time):
            return False
        return self.last_time is None or found <= self.last_time
