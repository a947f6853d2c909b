"""Dependencies: every one is listed with its licence, and all locks are audited."""

from __future__ import annotations

from laws.dependency_table import PAGE, ROOT, comes_with, listed, locked, rows


def test_every_package_is_listed_with_the_licence_it_states() -> None:
    """Some packages are installed on some systems only, so the page may have more."""
    found = rows()
    assert set(PAGE.read_text("utf-8").splitlines()) >= set(found.values()), "run `make pages`"
    assert set(comes_with()) & set(locked(("dev",))) <= set(found)
    assert not [line for line in found.values() if "|  |" in line], "a package states no licence"


def test_what_builds_the_site_is_listed_too() -> None:
    """The site is built in an environment of its own; on other systems it may need others."""
    elsewhere = {"colorama"}
    assert set(locked(("docs",))) - elsewhere <= set(listed())
    assert {"furo", "myst-parser", "sphinx"} <= set(listed())


def test_every_lock_is_audited() -> None:
    locks = {path.name for path in (ROOT / "requirements").glob("*.txt")}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "$(wildcard requirements/*.txt)" in makefile.partition("\naudit:")[2].partition("\n\n")[0]
    assert {"build.txt", "dev.txt", "lock.txt"} <= locks
