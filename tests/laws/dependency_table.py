"""docs/dependencies.md: the packages of other people that are used, with their licences as they state them.

python tests/laws/dependency_table.py    write it anew; lines of packages that are not installed here stay as they are
"""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "dependencies.md"
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_INTRODUCTION = """\
# Dependencies

The packages of other people in `requirements/dev.txt` and, for the site, `requirements/docs.txt`, with the licence that
each states of itself. Those of the first group come with `lmparse` alone. Written by `make pages`.

The site has style sheets and scripts of Furo and Sphinx in it, and nothing else of other people.

None of them is part of the distribution of lmparse. The Kaitai Struct compiler (GPL-3.0) is not a Python package: it is
downloaded by its hash and run when specs are built, and what it generates is not under its licence. The Java of the
extra `java` is an OpenJDK (GPL-2.0 with the Classpath Exception), which runs Spark as a process of its own.

`make audit` compares all locks with the known vulnerabilities.

| package | licence | comes with |
| --- | --- | --- |
"""


def locked(names: tuple[str, ...] = ("dev", "docs")) -> list[str]:
    """The names of the packages of some locks, once each."""
    texts = [(ROOT / "requirements" / f"{name}.txt").read_text("utf-8") for name in names]
    lines = [line for text in texts for line in text.splitlines()]
    return list(dict.fromkeys(line.partition("==")[0] for line in lines if "==" in line and line[0] not in " #"))


def licence(name: str) -> str | None:
    """The licence of an installed package, in the package's own words; None if it is not installed here."""
    try:
        stated = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    classifiers = [entry for entry in stated.get_all("Classifier", []) if entry.startswith("License :: ")]
    words = stated.get("License-Expression") or ", ".join(entry.rpartition(" :: ")[2] for entry in classifiers)
    return words or str(stated.get("License", "")).partition("\n")[0]


def comes_with() -> dict[str, str]:
    """Of each package that pyproject.toml names: `lmparse`, or the extras that name it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found: dict[str, list[str]] = {}
    for place, needs in {"lmparse": project["dependencies"], **project["optional-dependencies"]}.items():
        for need in needs:
            name = _first_word(need)
            if name != "lmparse":
                found.setdefault(name, []).append(place if place == "lmparse" else f"extra `{place}`")
    return {name: ", ".join(places) for name, places in found.items()}


def _first_word(need: str) -> str:
    match = _NAME.match(need)
    assert match is not None
    return match[0].lower().replace("_", "-")


def rows() -> dict[str, str]:
    """The line of each package of the locks that is installed here."""
    named = comes_with()
    found = {}
    for name in sorted(locked(), key=lambda name: ("lmparse" not in named.get(name, ""), name)):
        if (words := licence(name)) is not None:
            found[name] = f"| {name} | {words} | {named.get(name, 'another package')} |"
    return found


def listed() -> dict[str, str]:
    """The lines that the page has, by package."""
    lines = PAGE.read_text("utf-8").splitlines()
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines if line.startswith("| ")}


def page() -> str:
    """The page."""
    named, before, own = comes_with(), listed(), rows()
    found = {name: own.get(name, before.get(name, "")) for name in locked()}
    ordered = sorted(filter(found.get, found), key=lambda name: ("lmparse" not in named.get(name, ""), name))
    return _INTRODUCTION + "\n".join(found[name] for name in ordered) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
