"""A standalone cluster of Spark on this machine: a master and workers from the jars of pyspark, on the loopback.

Every process has a token in its environment, by which it is found. Master, workers and drivers end with the process
that started them, whatever happens to it; executors end with their worker, and Python workers with their executor.
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import pyspark
from short_runs import JAVA_OPTIONS

from lmparse.spark.java import ensure_java

ROOT = Path(__file__).parents[2]
_BOUND = Path(__file__).with_name("bound.py")
_TOKEN = "LMPARSE_CLUSTER"
_WITHIN_SECONDS = 60
_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"
Found = TypeVar("Found")


class Cluster:
    """A master and `workers` workers of one core each; a context, which ends all of them."""

    def __init__(self, folder: Path, *, workers: int = 2, memory: str = "1g") -> None:
        self.folder = folder
        self.token = secrets.token_hex(8)
        self._count, self._memory = workers, memory
        self._workers: list[subprocess.Popen[bytes]] = []
        self._started: list[subprocess.Popen[bytes]] = []
        self.master = ""
        """Its address, spark://HOST:PORT."""

    def __enter__(self) -> Cluster:
        home = ensure_java()
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SPARK_")},
            _TOKEN: self.token,
            "JAVA_HOME": str(home),
            "PYTHONPATH": os.pathsep.join(
                [str(ROOT), str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
        }
        try:
            log = self._daemon("master", _MASTER, [])
            port = wait_for(lambda: re.search(r"'sparkMaster' on port (\d+)", log.read_text()), "the master")[1]
            self.master = f"spark://127.0.0.1:{port}"
            for number in range(self._count):
                options = ["--cores", "1", "--memory", self._memory, "--work-dir", str(self.folder / f"work-{number}")]
                self._daemon(f"worker-{number}", _WORKER, [*options, self.master])
            self._workers = self._started[1:]
            logs = [self.folder / f"worker-{number}.log" for number in range(self._count)]
            wait_for(lambda: all("registered with master" in log.read_text() for log in logs), "the workers")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _daemon(self, name: str, main: str, options: Sequence[str]) -> Path:
        """Start a master or worker; returns its log."""
        spark = Path(pyspark.__file__).parent
        settings = "-Dspark.deploy.maxExecutorRetries=-1 -Dspark.master.rest.enabled=false"
        daemons = {
            "SPARK_HOME": str(spark),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": f"{JAVA_OPTIONS} {settings}",
        }
        places = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        log = self.folder / f"{name}.log"
        with open(log, "wb") as output:
            command = [str(spark / "bin" / "spark-class"), main, *places, *options]
            self._started.append(self.start(command, daemons, stdout=output, stderr=output, stdin=subprocess.DEVNULL))
        return log

    def start(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, **named: object
    ) -> subprocess.Popen[bytes]:
        """Start a process that ends with this one, and is one of the cluster's."""
        bound = [sys.executable, "-I", "-S", str(_BOUND), str(os.getpid()), *command]
        return subprocess.Popen(bound, env={**self._environment, **(environment or {})}, **named)  # type: ignore[call-overload, no-any-return]

    def executors(self) -> list[int]:
        """Process ids of the executors that run now: the children of the workers."""
        parents = {worker.pid for worker in self._workers}
        return [pid for pid, parent in _parents() if parent in parents]

    def processes(self) -> list[int]:
        """Process ids of all that the cluster and its drivers started and that have not ended."""
        token = f"{_TOKEN}={self.token}".encode()
        return [pid for pid, _ in _parents() if token in _environment_of(pid).split(b"\0")]

    def close(self) -> None:
        """End master and workers, wait for all others, and raise AssertionError for what is left."""
        for process in reversed(self._started):
            process.kill()
            process.wait()
        self._started.clear()
        try:
            wait_for(lambda: not self.processes(), "the end of all processes", seconds=30)
        except TimeoutError:
            left = {pid: _command_of(pid) for pid in self.processes()}
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            raise AssertionError(f"processes of the cluster were left: {left}") from None


def wait_for(found: Callable[[], Found | None], what: str, *, seconds: float = _WITHIN_SECONDS) -> Found:
    """What a function returns as soon as it is true. Raises TimeoutError."""
    end = time.monotonic() + seconds
    while not (value := found()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return value


def _parents() -> Iterator[tuple[int, int]]:
    """Process id and that of the parent, for each process that has not ended."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # The name of the program is in parentheses and may hold any characters.
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state not in "ZX":
            yield int(folder.name), int(parent)


def _environment_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200]
    except OSError:
        return ""
