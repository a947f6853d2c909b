"""The list of packages in docs/architecture.md, from pyproject.toml and the first words of each package.

python tests/laws/package_list.py    write it anew
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- packages: written by `make pages` -->\n", "<!-- end -->\n"


def packages() -> dict[str, list[str]]:
    """The packages from the ground up, each with the third-party packages it may import."""
    read: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["lmparse"]["packages"]
    return read


def listed() -> str:
    """One line a package: its name and what it is for."""
    lines = []
    for name in packages():
        doc = ast.get_docstring(ast.parse((ROOT / "lmparse" / name / "__init__.py").read_text())) or ""
        about = " ".join(doc.partition("\n\n")[0].split()).rstrip(".")
        lines.append(f"- `{name}`: {about}\n")
    return "".join(lines)


def with_list(text: str) -> str:
    """The page with the list in its place."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{listed()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_list(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
