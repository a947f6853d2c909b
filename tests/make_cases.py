"""Makes the cases under tests/cases and tests/cases_bad: `python tests/make_cases.py`.

The bytes come from the encoder of the tests, which is written from the vendor's tables; what is expected comes from
the values that were put in. The same run always gives the same files, and test_cases.py holds them against it. A case
may also be put there by hand: it then names another provenance.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import cases_bad.control
import cases_bad.framings
import cases_bad.images
import cases_bad.lldf
import cases_bad.luw
import cases_bad.luw_logs
from cases import control, data, images, lldf, luw, luw_changes, luw_filled, raw, words

MAKERS = (
    *(module.cases for module in (lldf, data, images, control, words, luw, luw_changes, luw_filled, raw)),
    *(
        module.cases
        for module in (
            cases_bad.framings,
            cases_bad.lldf,
            cases_bad.images,
            cases_bad.control,
            cases_bad.luw,
            cases_bad.luw_logs,
        )
    ),
)


def made_files() -> dict[Path, bytes]:
    """Every file, by its place."""
    made: dict[Path, bytes] = {}
    for case in chain.from_iterable(maker() for maker in MAKERS):
        files = case.files()
        if made.keys() & files.keys():
            raise ValueError(f"two cases are called {case.spec}/{case.name}")
        made |= files
    return made


def main() -> None:
    """Write the files that differ, and say which."""
    for path, content in made_files().items():
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(path.relative_to(Path(__file__).parent))


if __name__ == "__main__":
    main()
