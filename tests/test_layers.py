"""Which module of lmparse may import which: from lower levels, in no circle."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

LEVELS = {
    0: "error_codes errors layout _codepage_tables",
    1: "codepages numeric catalog options sql_types vectors vector_times distinct prefetch filenames progress workers "
    "change_ranges templating workplaces manuals revisions _formats spec_files",
    2: "tracing descriptors storage framing detection walkers index schemas arrays filters",
    3: "records columns scans sync encoding texts comparing",
    4: "dissection control tables images headers header_columns lldf names luw luw_tables luw_rows luw_kinds",
    5: "families files segments claims changes readings decoder change_logs logs opening sources sniffing partitions "
    "accounting ledger gaps pieces units lobs luw_logs image_columns word_dissection file_dissection",
    6: "review sql sample luw_sample rows origins change_schemas version_pieces change_columns luw_images luw_places "
    "luw_columns frames outputs plans change_folders converting coverage coverage_files coverage_reports "
    "conformance spec_words spec_rows spec_pages spec_diagrams site_samples site_search site "
    "row_dissection luw_row_dissection explained explained_text explained_page explaining "
    "diff_rules diff_pairs diff_places diff_columns diff_codes diff_fields diff_walk diff_effects spec_diff "
    "diff_reports",
    7: "cli spark spark_parquet jre demo __init__ __main__",
}
LEVEL = {module: level for level, modules in LEVELS.items() for module in modules.split()}

THIRD_PARTIES = {
    "fsspec": "storage",
    "jinja2": "templating",
    "kaitaistruct": "catalog tracing descriptors records dissection images lldf luw luw_rows",
    "numpy": " ".join(module for module, level in LEVEL.items() if level >= 1),
    "pandas": "frames spark demo",
    "pyarrow": "schemas arrays filters columns rows origins change_schemas version_pieces image_columns change_columns "
    "luw_images luw_columns frames texts comparing outputs change_folders converting spark spark_parquet demo storage",
    "pyspark": "spark spark_parquet jre demo",
    "yaml": " ".join(module for module, level in LEVEL.items() if level >= 1),
}
IMPORTED_ONLY_BY = {"jre": "cli demo", "_formats": "spec_files"}

PACKAGE = Path(__file__).parent.parent / "lmparse"


def imported_names(tree: ast.Module) -> Iterator[str]:
    """Dotted names of all imports, those inside functions too: `from a import b` is `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = ["lmparse"] * node.level + [node.module] * bool(node.module)
            yield from (".".join([*map(str, parts), alias.name]) for alias in node.names)


def module_of(name: str) -> str | None:
    """The module of lmparse that a dotted name is of; `lmparse.x` is one only if there is an x."""
    package, _, rest = name.partition(".")
    if package != "lmparse":
        return None
    first = rest.partition(".")[0]
    return first if first in LEVEL or first in ("_generated", "_formats") else "__init__"


def complaints(package: Path) -> list[str]:
    """What is wrong with the imports of a folder of modules, one line each."""
    found = []
    graph: dict[str, set[str]] = {}
    for path in sorted(package.glob("*.py")):
        module = path.stem
        if module not in LEVEL:
            found.append(f"{module} stands on no level: give it one")
            continue
        names = list(imported_names(ast.parse(path.read_text(encoding="utf-8"))))
        graph[module] = {own for name in names if (own := module_of(name))} - {module}
        found += [f"{module} imports {other}" for other in sorted(graph[module]) if not may_import(module, other)]
        found += sorted(
            {f"{module} imports {top}" for name in names if not may_use(module, top := name.partition(".")[0])}
        )
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found.append("a circle: " + " > ".join(error.args[1]))
    return found


def may_import(module: str, other: str) -> bool:
    only = IMPORTED_ONLY_BY.get(other)
    return LEVEL.get(other, sys.maxsize) <= LEVEL[module] and (only is None or module in only.split())


def may_use(module: str, package: str) -> bool:
    if package == "lmparse" or package in sys.stdlib_module_names:
        return True
    return module in THIRD_PARTIES.get(package, "").split()


def test_modules_import_from_lower_levels_only() -> None:
    assert list(PACKAGE.glob("*.py"))
    assert complaints(PACKAGE) == []


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        ({"errors": "import os\nfrom lmparse import __version__"}, ["errors imports __init__"]),
        ({"records": "from lmparse.framing import Frame\nimport kaitaistruct"}, []),
        ({"framing": "from lmparse.records import Record"}, ["framing imports records"]),
        ({"framing": "from lmparse import records"}, ["framing imports records"]),
        ({"framing": "def late():\n    import lmparse.records"}, ["framing imports records"]),
        ({"framing": "from . import records"}, ["framing imports records"]),
        ({"framing": "from .records import Record"}, ["framing imports records"]),
        ({"records": "from lmparse._generated import bmc_lldf"}, ["records imports _generated"]),
        ({"cli": "from lmparse._formats._build.layouts import Layouts"}, ["cli imports _formats"]),
        ({"records": "import pyspark.sql"}, ["records imports pyspark"]),
        ({"logs": "from requests import get"}, ["logs imports requests"]),
        ({"spark": "from lmparse.jre import ensure_java"}, ["spark imports jre"]),
        ({"helpers": ""}, ["helpers stands on no level: give it one"]),
        (
            {"control": "import lmparse.tables", "tables": "from lmparse import control"},
            ["a circle: control > tables > control"],
        ),
    ],
)
def test_the_check_finds(tmp_path: Path, modules: dict[str, str], expected: list[str]) -> None:
    for name, text in modules.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert complaints(tmp_path) == expected


def test_the_build_step_takes_layouts_from_the_library_and_nothing_else() -> None:
    """What ships of it needs no compiler, and no module that in turn needs specs."""
    modules = sorted((PACKAGE / "_formats" / "_build").glob("*.py"))
    names = {path.stem: {*imported_names(ast.parse(path.read_text(encoding="utf-8")))} for path in modules}
    assert {name for found in names.values() for name in found if name.startswith("lmparse.layout.")}
    own = {f"lmparse.{stem}" for stem in names}  # relative imports stand as the library's
    others = {name for found in names.values() for name in found if name.startswith("lmparse.")}
    assert {name for name in others if not name.startswith(("lmparse.layout.", *own))} == set()


def test_import_lmparse_loads_neither_spark_nor_arrow(tmp_path: Path) -> None:
    program = "import lmparse, sys; print(*{'pandas', 'pyarrow', 'pyspark'}.intersection(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
