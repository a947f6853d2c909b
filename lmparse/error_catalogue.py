"""The catalogue of error codes: meaning, cause and cure of each code. Its texts are in `error_codes.toml`.

`page()` returns the text of `docs/errors.md`, which `make pages` writes.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cause:
    """Meaning, cause and cure of an error code."""

    title: str
    cause: str
    cure: str


FAMILIES = {
    "F": "framing: records cannot be cut out of the file",
    "R": "record: one record is not what its kind should be",
    "V": "value: the bytes of one field are not a value of its type",
    "C": "control: the control file is damaged, contradicts the data, or is incomplete",
    "L": "limit: something is larger than a limit allows, which can be raised",
    "S": "spec and options: a name or a value that does not exist",
}


CATALOGUE: dict[str, Cause] = {
    code: Cause(**texts)
    for code, texts in tomllib.loads(Path(__file__).with_name("error_codes.toml").read_text("utf-8")).items()
}
"""All codes, grouped by family. A code never changes its meaning."""


_HEAD = """\
# Error codes

Every error has a code that keeps its meaning, and names the place and the reason:

```text
a.bin: record 17 at 0x4c10: bmc_lldf.length: expected at least 277, found 12 [LMP-V003]
```

Records count from 0. The offset of a record is that of its first byte behind the descriptor word; the
offset of a field counts from there, as in the vendor's table.
"""


def page() -> str:
    """The catalogue as Markdown."""
    text = _HEAD
    for letter, family in FAMILIES.items():
        text += f"\n## LMP-{letter}: {family}\n"
        for code, cause in CATALOGUE.items():
            if code.startswith(f"LMP-{letter}"):
                title = cause.title[0].upper() + cause.title[1:]
                text += f"\n### {code}\n{title}.\n\n- Cause: {cause.cause}\n- Cure: {cause.cure}\n"
    return text
