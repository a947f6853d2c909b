"""The wheel, as someone gets it who has no checkout: what is in it, and that it reads a log.

It is installed into environments of its own, with the versions that are locked.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ROOT / "requirements"
NEEDED = ["kaitaistruct", "numpy", "pyyaml"]
NEEDED_BY_SPARK = ["pandas", "py4j", "pyarrow", "pyspark", "python-dateutil", "pytz", "tzdata"]


class Environment:
    """A virtual environment outside the checkout."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder)
        self.folder = folder
        self.programs = folder / "bin"
        self.site_packages = next(folder.glob("lib/python*/site-packages"))

    def install(self, *arguments: str | Path) -> None:
        self.pip("install", "--quiet", "--no-compile", *arguments)

    def pip(self, *arguments: str | Path) -> str:
        """Run the pip of this environment for the other one, which needs none of its own."""
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", self.programs / "python"]
        return self._run([*pip, *arguments])

    def install_locked(self, lock: Path, names: Iterable[str]) -> None:
        """Those of a lock's packages that have one of these names."""
        text = lock.read_text(encoding="utf-8")
        entries = [entry for entry in re.split(r"(?m)^(?=\S)", text) if re.split("[= ]", entry)[0] in names]
        chosen = self.folder / lock.name
        chosen.write_text("".join(entries), encoding="utf-8")
        self.install("--require-hashes", "--no-deps", "--no-build-isolation", "-r", chosen)

    def run(self, program: str, *arguments: str | Path, **environment: str) -> str:
        """Run a program of it and return what it prints; stderr is shown if it fails."""
        return self._run([self.programs / program, *arguments], **environment)

    def _run(self, command: list[str | Path], **environment: str) -> str:
        inherited = {
            name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "PYSPARK_", "SPARK_"))
        }
        run = subprocess.run(
            command,
            env=inherited | environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, f"{' '.join(map(str, command))}\n{run.stdout}\n{run.stderr}"
        return run.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Built from a copy: the build leaves folders behind that later builds would take up.
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("lmparse", "generated", "formats"):
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    subprocess.run([*pip, "wheel", "--quiet", *options, source], check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def plain(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel alone, without any extra."""
    environment = Environment(tmp_path_factory.mktemp("plain") / "venv")
    environment.install_locked(LOCKS / "dev.txt", NEEDED)
    environment.install("--no-deps", "--no-index", wheel)
    return environment


@pytest.fixture(scope="module")
def log(plain: Environment) -> tuple[Path, Path]:
    """Data file and control file of a synthetic log that the installed program made."""
    plain.run("python", "-m", "lmparse", "demo", "--out", "made", "--no-spark")
    folder = plain.folder / "made" / "log"
    return min(folder.glob("*.dat")), min(folder.glob("*.ctl"))


def files_below(folder: str, *endings: str) -> set[str]:
    """Files of the checkout with these endings."""
    base = ROOT / folder
    found = (path.relative_to(base).as_posix() for path in base.rglob("*") if path.name.endswith(endings))
    return {name for name in found if "__pycache__" not in name}


def test_the_wheel_holds_two_names_and_no_others(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"lmparse", "pyspark_lmparse.py"}


def test_the_wheel_holds_all_specs_parsers_and_stubs(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    inside = {
        folder: {name.removeprefix(folder) for name in names if name.startswith(folder)}
        for folder in ("lmparse/_formats/", "lmparse/_generated/")
    }
    specs = {name for name in inside["lmparse/_formats/"] if not name.startswith("_build/")}
    assert specs == files_below("formats", ".ksy", ".csv", ".yaml") != set()
    assert inside["lmparse/_generated/"] == files_below("generated", ".py", ".pyi", "MANIFEST.json") != set()
    assert {"lmparse/py.typed", "lmparse/cli.py", "lmparse/spark.py"} <= set(names)


def test_the_environment_is_complete_and_holds_no_stray_package(plain: Environment) -> None:
    assert plain.pip("check").strip() == "No broken requirements found."
    assert (plain.site_packages / "lmparse" / "_formats").is_dir()
    assert not list(plain.site_packages.glob("generated*")) + list(plain.site_packages.glob("formats*"))
    assert not list(plain.site_packages.glob("pyspark")) + list(plain.site_packages.glob("pyarrow"))


def test_formats_lists_the_specs(plain: Environment) -> None:
    assert "bmc_lldf" in plain.run("lmparse", "formats")


def test_a_log_is_read_without_the_spark_extra(plain: Environment, log: tuple[Path, Path]) -> None:
    data, control = log
    lines = plain.run("lmparse", "changes", data, "--control", control).splitlines()
    assert {"I", "U", "D"} <= {json.loads(line)["op"] for line in lines}


def test_specs_are_compared_without_compiler_and_arrow(plain: Environment) -> None:
    """A spec beside the installed ones imports from them, and shows its columns."""
    shown = plain.site_packages / "lmparse" / "_formats" / "bmc" / "bmc_lldf.ksy"
    text = shown.read_text(encoding="utf-8").replace("id: plan\n", "id: plan_name\n")
    (plain.folder / "changed.ksy").write_text(text, encoding="utf-8")
    printed = plain.run("lmparse", "diff", "installed", "changed.ksy", "--fail-on", "none")
    assert "breaking    plan_name: field renamed: plan -> plan_name [Spark: column removed, column added]" in printed
    assert plain.run("lmparse", "diff", shown, "installed").strip() == "nothing differs"


@pytest.mark.spark
def test_a_log_is_read_with_the_spark_extra(
    wheel: Path, plain: Environment, log: tuple[Path, Path], tmp_path: Path
) -> None:
    """Spark finds the source by itself, and counts the changes that the program prints."""
    from lmparse.spark.java import ensure_java

    lock = next(lock for lock in LOCKS.glob("*.txt") if f"pyspark=={version('pyspark')} " in lock.read_text())
    environment = Environment(tmp_path / "venv")
    environment.install("--require-hashes", "-r", LOCKS / "build.txt")
    environment.install_locked(lock, NEEDED + NEEDED_BY_SPARK)
    environment.install("--no-deps", "--no-index", wheel)
    assert environment.pip("check").strip() == "No broken requirements found."

    data, control = log
    program = tmp_path / "read.py"
    program.write_text(
        "import sys\n"
        "from pyspark.sql import SparkSession\n"
        "builder = SparkSession.builder.master('local[1]').config('spark.ui.enabled', False)\n"
        "spark = builder.config('spark.driver.extraJavaOptions', '-XX:TieredStopAtLevel=1').getOrCreate()\n"
        "print(spark.read.format('lmparse').option('control', sys.argv[2]).load(sys.argv[1]).count())\n"
    )
    printed = environment.run(
        "python",
        program,
        data,
        control,
        JAVA_HOME=str(ensure_java()),
        PYSPARK_PYTHON=str(environment.programs / "python"),
        SPARK_LOCAL_IP="127.0.0.1",
        SPARK_LOCAL_DIRS=str(tmp_path),
    )
    changes = plain.run("lmparse", "changes", data, "--control", control).splitlines()
    assert int(printed.split()[-1]) == len(changes) > 0
