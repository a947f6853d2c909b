"""One noun for one thing: no two modules have a public class of the same name."""

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "lmparse"
FAMILIES = {"bmc", "db2"}


def public_classes() -> dict[str, set[str]]:
    """The modules by the names of the classes that they define; the parsers that are generated left out."""
    modules: dict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        package = path.relative_to(PACKAGE).parts[0]
        if package.startswith("_") and package not in ("__init__.py", "__main__.py"):
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].add(str(path.relative_to(PACKAGE)))
    return modules


def families(modules: set[str]) -> list[str]:
    """The families that modules belong to, by their package or, for the sample logs, by their name."""
    return sorted(family for module in modules for family in FAMILIES & {*Path(module).parts, Path(module).stem[:3]})


def test_a_class_name_says_one_thing() -> None:
    """The two families have the same names for the same parts of them; nobody else shares a name."""
    found = public_classes()
    assert len(found) > 200
    shared = {name: modules for name, modules in found.items() if len(modules) > 1}
    assert {name: modules for name, modules in shared.items() if families(modules) != sorted(FAMILIES)} == {}
