"""How large lmparse is: lines of each package and modules of each folder, generated code apart.

python tests/laws/size_table.py    print it beside what is allowed (`make size`)
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "lmparse"
BUDGET = Path(__file__).with_name("budget.yaml")
APART = ("_generated", "_formats")
"""Folders of lmparse/ that are links to what is generated, and to the specs."""


def budget() -> dict[str, dict[str, int]]:
    """What is allowed: `lines` of each package, `modules` of each folder, and lines of the largest module."""
    read: dict[str, dict[str, int]] = yaml.safe_load(BUDGET.read_text(encoding="utf-8"))
    return read


def modules(folder: Path = LIBRARY) -> list[Path]:
    """The Python files of a folder and those below it."""
    return sorted(path for path in folder.rglob("*.py") if not set(path.relative_to(ROOT).parts).intersection(APART))


def lines(path: Path) -> int:
    """Number of lines of a file."""
    return len(path.read_bytes().splitlines())


def package_of(path: Path) -> str:
    """The package that a module's lines count for; `spec/build` counts apart from `spec`, the top is `root`."""
    parts = path.relative_to(LIBRARY).parts[:-1]
    return "spec/build" if parts[:2] == ("spec", "build") else parts[0] if parts else "root"


def lines_by_package() -> dict[str, int]:
    """Lines of each package, and of `tests`."""
    found: Counter[str] = Counter()
    for path in modules():
        found[package_of(path)] += lines(path)
    found["tests"] = sum(map(lines, modules(ROOT / "tests")))
    return dict(found)


def modules_by_folder() -> dict[str, int]:
    """Number of modules directly in each folder of lmparse/, as `spec/build`; `__init__` is not counted."""
    found: Counter[str] = Counter()
    for path in modules():
        if path.name != "__init__.py":
            found[path.parent.relative_to(LIBRARY).as_posix()] += 1
    return dict(found)


def table() -> str:
    """One line a package: its lines, what is allowed, its modules."""
    allowed, size = budget()["lines"], lines_by_package()
    count = Counter(package_of(path) for path in modules())
    rows = [f"{name:12}{size.get(name, 0):8}{allowed.get(name, 0):8}{count[name] or '':8}" for name in allowed]
    whole = sum(number for name, number in size.items() if name != "tests")
    head = f"{'package':12}{'lines':>8}{'at most':>8}{'modules':>8}"
    return "\n".join([head, *rows, f"{'library':12}{whole:8}{'':8}{sum(count.values()):8}"])


if __name__ == "__main__":
    print(table())
