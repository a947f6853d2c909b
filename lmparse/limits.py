"""Limits: how much of what others send is read, in one place. Files without a fault stay far below them.

Each field of `Limits` is one limit: a default, the code of its error, and what it counts. The option `limits` raises
them by these names, in any spelling: `documentBytes=1G,numberDigits=500`. To add a limit, add a field.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lmparse.errors import LimitError, OptionError

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_ENTRY = re.compile(r"\s*([A-Za-z_-]{1,40})\s*=\s*([0-9]{1,18})\s*([KMGkmg]?)\s*").fullmatch


def _limit(default: int, code: str, counted: str) -> int:
    """A field of Limits: `code` is that of the error, `counted` says what the number is of."""
    found: int = field(default=default, metadata={"code": code, "counted": counted})
    return found


@dataclass(frozen=True, kw_only=True)
class Limits:
    """All limits, each the largest number that is allowed."""

    document_bytes: int = _limit(64 << 20, "LMP-L001", "bytes of a YAML or JSON document")
    document_depth: int = _limit(100, "LMP-L001", "levels of a YAML or JSON document")
    document_nodes: int = _limit(5_000_000, "LMP-L001", "values of a YAML or JSON document, aliases written out")
    number_digits: int = _limit(128, "LMP-L001", "characters of a number in a YAML or JSON document")

    @classmethod
    def parse(cls, text: str) -> Limits:
        """The limits with those that `text` names. Raises OptionError LMP-S003."""
        return _parsed(text)

    def check(self, name: str, found: int, **place: Any) -> None:
        """Raise LimitError when `found` is above the limit `name`; `place` is that of DataError."""
        if found > getattr(self, name):
            raise self.error(name, found, **place)

    def error(self, name: str, found: int | str | None = None, **place: Any) -> LimitError:
        """The error of a limit that is exceeded: it names the limit and how to raise it."""
        entry = type(self).__dataclass_fields__[name]
        most: int = getattr(self, name)
        return LimitError(
            f"above the limit {_camel(name)}",
            code=entry.metadata["code"],
            expected=f"at most {most} {entry.metadata['counted']}",
            found=None if found is None else str(found),
            hint=f"raise it with the option limits, as {_camel(name)}={2 * most}",
            **place,
        )


@cache
def _parsed(text: str) -> Limits:
    names = {_plain(entry.name): entry.name for entry in dataclasses.fields(Limits)}
    given: dict[str, int] = {}
    for part in filter(str.strip, text.split(",")):
        match = _ENTRY(part)
        name = names.get(_plain(match[1])) if match else None
        if match is None or name is None or int(match[2]) == 0:
            known = ", ".join(map(_camel, names.values()))
            hint = f"NAME=NUMBER, where K, M and G may follow the number; names: {known}"
            raise OptionError(f"limits has no value {part.strip()[:60]!r}", hint=hint)
        given[name] = int(match[2]) * _UNITS[match[3].upper()]
    return Limits(**given)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
