"""Which package of lmparse may import which: those below it, in no circle; the order stands in pyproject.toml."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from laws.package_list import PAGE, ROOT, packages, with_list

PACKAGE = ROOT / "lmparse"
MAY_USE = packages()
ORDER = list(MAY_USE)
GROUND = ("errors", "error_catalogue", "limits", "options", "spelling", "terminal", "version")
"""Modules at the top of lmparse that every package may import; nothing may import the others that stand there."""
APART = ({"bmc", "db2"},)
"""Packages that never import each other."""
LAST = {"review": {"cli"}, "samples": {"cli"}, "spark": {"cli"}, "cli": set[str]()}
"""Packages that only some may import."""
OUTSIDE = ("_generated", "_formats")
"""What is generated or data: it is found by its name, and imported nowhere."""


def imported_names(tree: ast.Module, module: str) -> Iterator[str]:
    """Dotted names of all imports, those inside functions too: `from a import b` is `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: -node.level] if node.level else []
            parts = [*above, *[node.module] * bool(node.module)]
            yield from (".".join([*parts, alias.name]) for alias in node.names)


def package_of(module: str) -> str:
    """The package that a module is of: a name of ORDER, "" for the ground, or the module's own name at the top."""
    first = module.split(".")[1] if "." in module else "__init__"
    return "" if first in GROUND else first


def target_of(name: str) -> str:
    """The same of a name that is imported; what is no module stands in lmparse itself."""
    found = package_of(name)
    return found if found in ("", "__main__", *ORDER, *OUTSIDE) else "__init__"


def modules_in(package: Path) -> dict[str, Path]:
    """The modules of a folder by their dotted names; generated ones are left out."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        if parts[0] not in OUTSIDE and "__pycache__" not in parts:
            found[".".join(["lmparse", *(parts[:-1] if parts[-1] == "__init__" else parts)])] = path
    return found


def complaints(package: Path) -> list[str]:
    """What is wrong with the imports of a folder of modules, one line each."""
    modules = modules_in(package)
    found: list[str] = []
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        own = package_of(module)
        if own not in ("", "__init__", "__main__", *ORDER):
            found.append(f"{module} stands in no package of pyproject.toml")
            continue
        as_file = f"{module}.__init__" if path.stem == "__init__" else module
        names = list(imported_names(ast.parse(path.read_text(encoding="utf-8")), as_file))
        inside = [name for name in names if name.split(".")[0] == "lmparse"]
        graph[module] = {target for name in inside if (target := _longest(name, modules)) is not None} - {module}
        found += sorted(
            {f"{module} imports {other}" for name in inside if not may_import(own, other := target_of(name))}
        )
        tops = {name.partition(".")[0] for name in names} - {"lmparse"} - sys.stdlib_module_names
        if own not in ("__init__", "__main__"):
            found += [f"{module} imports {top}" for top in sorted(tops) if top not in MAY_USE.get(own, ())]
    try:
        # A package's own page hands on names of its modules, which is no circle.
        inner = {name: others for name, others in graph.items() if modules[name].stem != "__init__"}
        TopologicalSorter({name: others & inner.keys() for name, others in inner.items()}).prepare()
    except CycleError as error:
        found.append("a circle: " + " > ".join(error.args[1]))
    return found


def _longest(name: str, modules: dict[str, Path]) -> str | None:
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def may_import(own: str, other: str) -> bool:
    if own in ("__init__", "__main__") or own == other:
        return other not in ("__main__", *OUTSIDE)
    if own == "cli" and other == "__init__":
        return True  # for the version that it prints
    if other not in ("", *ORDER) or any({own, other} == pair for pair in APART):
        return False
    if other in LAST and own not in LAST[other]:
        return False
    return other == "" or (own != "" and ORDER.index(other) < ORDER.index(own))


def test_packages_import_those_below_them_only() -> None:
    assert set(ORDER) == {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - set(OUTSIDE)
    assert complaints(PACKAGE) == []


def test_few_modules_stand_at_the_top() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == {"__init__", "__main__", *GROUND}


def test_the_page_shows_the_packages_as_they_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert with_list(text) == text, "run: make pages"


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        ({"errors": "import os\nfrom lmparse import __version__"}, ["lmparse.errors imports __init__"]),
        ({"records/reader": "from lmparse.framing.framings import Frame\nimport kaitaistruct"}, []),
        ({"framing/rdw": "from lmparse.records.reader import Record"}, ["lmparse.framing.rdw imports records"]),
        ({"framing/rdw": "from lmparse import records"}, ["lmparse.framing.rdw imports records"]),
        ({"framing/rdw": "def late():\n    import lmparse.records"}, ["lmparse.framing.rdw imports records"]),
        ({"framing/rdw": "from .. import records"}, ["lmparse.framing.rdw imports records"]),
        ({"framing/rdw": "from ..records.reader import Record"}, ["lmparse.framing.rdw imports records"]),
        ({"bmc/log": "from lmparse.db2 import log_record"}, ["lmparse.bmc.log imports db2"]),
        ({"db2/log": "from lmparse.bmc import tables"}, ["lmparse.db2.log imports bmc"]),
        ({"spark/source": "from lmparse.review.explain import search"}, ["lmparse.spark.source imports review"]),
        ({"review/site": "from lmparse.samples import bmc_log"}, ["lmparse.review.site imports samples"]),
        ({"records/reader": "from lmparse._generated import bmc_lldf"}, ["lmparse.records.reader imports _generated"]),
        ({"records/reader": "import pyspark.sql"}, ["lmparse.records.reader imports pyspark"]),
        ({"logs/open": "from requests import get"}, ["lmparse.logs.open imports requests"]),
        ({"helpers": ""}, ["lmparse.helpers stands in no package of pyproject.toml"]),
        (
            {"bmc/control_file": "import lmparse.bmc.tables", "bmc/tables": "from lmparse.bmc import control_file"},
            ["a circle: lmparse.bmc.control_file > lmparse.bmc.tables > lmparse.bmc.control_file"],
        ),
    ],
)
def test_the_check_finds(tmp_path: Path, modules: dict[str, str], expected: list[str]) -> None:
    for name, text in modules.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.py").write_text(text)
    assert complaints(tmp_path) == expected


def test_import_lmparse_loads_neither_spark_nor_arrow(tmp_path: Path) -> None:
    program = "import lmparse, sys; print(*{'pandas', 'pyarrow', 'pyspark'}.intersection(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
