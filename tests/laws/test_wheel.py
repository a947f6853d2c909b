"""The wheel, as someone gets it who has no checkout: what is in it, and that it reads a log.

It is installed into environments of its own, with the versions that are locked.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Collection
from importlib.metadata import Distribution, distribution, version
from pathlib import Path
from zipfile import ZipFile

import pytest
from amounts import IS_THOROUGH
from laws.guide_pages import WALKED, blocks, check_printed, spark_programs
from short_runs import SHORT_JAVA

from lmparse import open_log
from lmparse.samples import bmc_log, db2_log
from lmparse.spec.build import compiler

ROOT = Path(__file__).parents[2]
LOCKS = ROOT / "requirements"
NEEDED = ["kaitaistruct", "numpy", "pyyaml", "tqdm"]
NEEDED_BY_BUILD = ["dukpy"]
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

    def install_locked(self, lock: Path, names: Collection[str]) -> None:
        """Those of a lock's packages that have one of these names."""
        text = lock.read_text(encoding="utf-8")
        entries = [entry for entry in re.split(r"(?m)^(?=\S)", text) if re.split("[= ]", entry)[0] in names]
        installed = {f"{name}=={version(name)}" for name in names}
        if not IS_THOROUGH and installed <= {entry.split()[0] for entry in entries}:
            for name in names:
                self.link(distribution(name))
            return
        if "pyspark" in names:  # it comes as source
            self.install("--require-hashes", "-r", LOCKS / "build.txt")
        chosen = self.folder / lock.name
        chosen.write_text("".join(entries), encoding="utf-8")
        self.install("--require-hashes", "--no-deps", "--no-build-isolation", "-r", chosen)

    def link(self, installed: Distribution) -> None:
        """A package of the environment of these tests, which came from the same lock, without a copy of it."""
        tops = {file.parts[0] for file in installed.files or ()} - {"..", "__pycache__"}
        for top in tops:
            (self.site_packages / top).symlink_to(Path(str(installed.locate_file(top))).absolute())

    def run(self, program: str, *arguments: str | Path, **environment: str) -> str:
        """Run a program of it and return what it prints; stderr is shown if it fails."""
        return self._run([self.programs / program, *arguments], **environment)

    def process(self, program: str, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a program of it, whatever comes of it."""
        return self._process([self.programs / program, *arguments], **environment)

    def _run(self, command: list[str | Path], **environment: str) -> str:
        run = self._process(command, **environment)
        assert run.returncode == 0, f"{' '.join(map(str, command))}\n{run.stdout}\n{run.stderr}"
        return run.stdout

    def _process(self, command: list[str | Path], **environment: str) -> subprocess.CompletedProcess[str]:
        inherited = {
            name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "PYSPARK_", "SPARK_"))
        }
        return subprocess.run(
            command,
            env=inherited | environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
        )


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


def test_the_wheel_holds_two_names_and_no_others(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"lmparse", "pyspark_lmparse.py"}


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    """Modules, templates, specs and what is made of them: the files of the checkout, by the links that lead to them."""
    paths = glob.glob("lmparse/**", root_dir=ROOT, recursive=True)
    files = {path for path in paths if (ROOT / path).is_file() and "__pycache__" not in path}
    assert {name for name in ZipFile(wheel).namelist() if name.startswith("lmparse/")} == files
    endings = {name.rpartition(".")[2] for name in files}
    assert {"py", "pyi", "typed", "ksy", "csv", "yaml", "json", "html", "css", "js"} <= endings
    assert {"lmparse/cli/build.py", "lmparse/spark/source.py", "lmparse/_generated/MANIFEST.json"} <= files


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


OWN = """\
meta: {id: acme_reading, imports: [../shared/acme_place, /common/common_rid], endian: be, encoding: ASCII}
seq:
  - {id: number, type: u2}
  - {id: place, type: acme_place}
  - {id: rid, type: common_rid}
"""
SHARED = "meta: {id: acme_place}\nseq:\n  - {id: name, size: 4, -codec: cp037}\n"


def test_specs_of_ones_own_are_built_with_the_build_extra(wheel: Path, tmp_path: Path) -> None:
    """The compiler is taken from the user's cache; specs import each other's and the wheel's."""
    environment = Environment(tmp_path / "venv")
    environment.install_locked(LOCKS / "dev.txt", NEEDED + NEEDED_BY_BUILD)
    environment.install("--no-deps", "--no-index", f"lmparse[build] @ {wheel.as_uri()}")
    assert environment.pip("check").strip() == "No broken requirements found."
    cache = tmp_path / "cache"
    (cache / "lmparse").mkdir(parents=True)
    shutil.copy(compiler.fetched(), cache / "lmparse")
    for name, text in (("meters/acme/acme_reading", OWN), ("meters/shared/acme_place", SHARED)):
        path = environment.folder / "specs" / f"{name}.ksy"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (environment.folder / "readings.dat").write_bytes(b"\0\7" + "HALL".encode("cp037") + b"\0\0\x12\0\1")

    printed = environment.run("lmparse", "build", "--formats", "specs", "--out", "built", XDG_CACHE_HOME=str(cache))
    assert printed == "13 files in built\n"
    words = ["--spec", "built/acme_reading", "--framing", "fixed", "--record-length", "11"]
    (row,) = map(json.loads, environment.run("lmparse", "records", "readings.dat", *words).splitlines())
    assert row == {"number": 7, "place": {"name": "HALL"}, "rid": "0000120001"}


def test_without_the_build_extra_it_is_named(plain: Environment, tmp_path: Path) -> None:
    (tmp_path / "acme_place.ksy").write_text(SHARED)
    words = ["--formats", tmp_path, "--out", tmp_path / "out"]
    done = plain.process("lmparse", "build", *words)
    said = "dukpy is not installed: pip install 'lmparse[build]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


COUNT = """\
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()
print(spark.read.format("lmparse").option("control", sys.argv[2]).load(sys.argv[1]).count())
assert "lmparse" not in sys.modules
"""


@pytest.mark.spark
def test_logs_are_read_with_the_spark_extra(wheel: Path, tmp_path: Path) -> None:
    """Spark finds the source by itself, in an interpreter that imports nothing of lmparse, and counts the changes.

    The programs of the guides run behind it, since a Spark of its own for each would take longer than all else.
    """
    from lmparse.spark.java import ensure_java

    lock = next(lock for lock in LOCKS.glob("*.txt") if f"pyspark=={version('pyspark')} " in lock.read_text())
    environment = Environment(tmp_path / "venv")
    environment.install_locked(lock, NEEDED + NEEDED_BY_SPARK)
    environment.install("--no-deps", "--no-index", wheel)
    assert environment.pip("check").strip() == "No broken requirements found."

    control, data = bmc_log.make().write(environment.folder / "demo" / "log")
    db2_log.make().write(environment.folder / "demo" / "luw")
    pages = [page for page in sorted((ROOT / "docs").glob("*.md")) if page not in WALKED]
    program, shown = spark_programs([block for page in pages for block in blocks(page)])
    assert shown
    (tmp_path / "read.py").write_text(f"{COUNT}{program}")
    printed = environment.run(
        "python", tmp_path / "read.py", data, control, JAVA_HOME=str(ensure_java()), SPARK_LOCAL_IP="127.0.0.1",
        PYSPARK_PYTHON=str(environment.programs / "python"), SPARK_LOCAL_DIRS=str(tmp_path), **SHORT_JAVA,
    )  # fmt: skip
    count, _, printed = printed.partition("\n")
    assert int(count) == len(list(open_log(data, control=control).changes())) > 0
    check_printed(shown, printed)
