"""The process of one target: `python -m fuzz.worker TARGET FOLDER SECONDS FUZZER`.

It writes the input that it tries, its counts each second, and findings to files, so that nothing is lost when it ends.
With `atheris` the inputs that reach more of lmparse are kept and changed further; with `plain` changes are by chance.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from fuzz.bounds import SECONDS, bounded
from fuzz.findings import Findings
from fuzz.mutations import mutation
from lmparse.spec import catalog

ADDRESS_BYTES = 6 << 30
"""Address space of the process: more than this is never asked for, whatever an input claims."""
LONGEST_INPUT = 600
_SOME = 4
"""One case of so many is read to import what is imported late."""
CURRENT, COUNTS, CORPUS = "current", "counts.json", "corpus"


@dataclass
class Worker:
    """Tries inputs, and keeps those under which a target raises."""

    target: Callable[[bytes], None]
    findings: Findings
    folder: Path
    inputs: int = 0
    begun: float = field(default_factory=time.monotonic)
    _told: float = 0.0

    def try_input(self, data: bytes) -> None:
        """One input. Nothing that is an Exception leaves this function."""
        (self.folder / CURRENT).write_bytes(data)
        try:
            bounded(self.target, data, seconds=SECONDS)
        except Exception as error:
            self.findings.keep(data, error)
        self.inputs += 1
        if time.monotonic() - self._told > 1:
            self._told = time.monotonic()
            counts = {"inputs": self.inputs, "seconds": self._told - self.begun}
            (self.folder / COUNTS).write_text(json.dumps(counts))


def main(name: str, place: str, seconds: str, fuzzer: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
    folder = Path(place) / "runs" / name
    atheris = import_module("atheris") if fuzzer == "atheris" else None
    with atheris.instrument_imports(include=["lmparse"]) if atheris else nullcontext():
        module = import_module(f"fuzz.{name}")
        for data in module.SEEDS[::_SOME]:
            _load(module.target, data)
        # A file of one family may be looked at as one of another, of which no case tells.
        for spec in catalog.spec_ids():
            _ = catalog.load(spec).layouts
    worker = Worker(module.target, Findings(Path(place) / "findings", name), folder)
    corpus = folder / CORPUS
    if atheris is None:
        _by_chance(worker, module.SEEDS, float(seconds))
    corpus.mkdir(exist_ok=True)
    for number, data in enumerate(module.SEEDS):
        (corpus / f"seed-{number}").write_bytes(data)
    left = max(1, int(float(seconds) - (time.monotonic() - worker.begun)))
    _follow_coverage(atheris, worker, [
        name, str(corpus), f"-max_total_time={left}", f"-max_len={LONGEST_INPUT}", "-len_control=0", "-handle_alrm=0",
        "-rss_limit_mb=0", f"-artifact_prefix={folder}/", f"-seed={int.from_bytes(os.urandom(3), 'big')}",
    ])  # fmt: skip


def _follow_coverage(atheris: Any, worker: Worker, words: list[str]) -> None:
    def changed(data: bytes, most: int, seed: int) -> bytes:
        chance = Random(seed)
        found = mutation([data], chance) if len(data) > 1 and chance.random() < 0.5 else atheris.Mutate(data, most)
        return bytes(found[:most])

    atheris.Setup(words, worker.try_input, custom_mutator=changed)
    atheris.Fuzz()  # ends the process


def _load(target: Callable[[bytes], None], data: bytes) -> None:
    """Import what is imported late: its time, with instruments more than ten seconds, is not that of an input."""
    with suppress(Exception):  # the input is tried again
        target(data)


def _by_chance(worker: Worker, seeds: list[bytes], seconds: float) -> None:
    for data in seeds:
        worker.try_input(data)
    chance = Random()
    while time.monotonic() - worker.begun < seconds:
        worker.try_input(mutation(seeds, chance))
    sys.exit()


if __name__ == "__main__":
    main(*sys.argv[1:])
