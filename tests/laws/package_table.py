"""The table of packages in docs/architecture.md, from pyproject.toml and the first words of each package.

python tests/laws/package_table.py    write it anew
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


def table() -> str:
    """One line a package: its name, what it is for, where to begin reading, what else it may import."""
    lines = ["| package | what it is for | begin with | may import |", "| --- | --- | --- | --- |"]
    for name, outside in packages().items():
        doc = ast.get_docstring(ast.parse((ROOT / "lmparse" / name / "__init__.py").read_text())) or ""
        paragraphs = [" ".join(part.split()) for part in doc.split("\n\n")]
        begin = next((part for part in paragraphs if part.startswith("Begin with ")), "")
        words = paragraphs[0].rstrip("."), begin.removeprefix("Begin with ").split(". ")[0].rstrip("."), ", ".join(outside)
        lines.append(f"| `{name}` | " + " | ".join(words) + " |")
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """The page with the table in its place."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
