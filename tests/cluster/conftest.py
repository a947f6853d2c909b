from __future__ import annotations

import json
import os
import resource
import select
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cluster.standalone import ROOT, Cluster
from short_runs import JAVA_OPTIONS, SHORT_SPARK

from bench import data
from bench.data import Truth

PART_BYTES = 1 << 20
"""Of the parts of a small log; those of a large one have the default size."""
_SMALL = 200 << 20


class Driver:
    """A driver's process, which does one order after the other."""

    def __init__(self, cluster: Cluster, settings: dict[str, Any], patience: float) -> None:
        here, there = os.pipe()
        script = str(Path(__file__).with_name("driver.py"))
        command = [sys.executable, script, str(there), json.dumps(settings)]
        self._log = cluster.folder / f"driver-{there}-{os.urandom(2).hex()}.log"
        with open(self._log, "wb") as log:
            self._process = cluster.start(command, stdin=subprocess.PIPE, stdout=log, stderr=log, pass_fds=(there,))
        os.close(there)
        self._answers = os.fdopen(here)
        self._patience = patience
        self.seconds = 0.0
        """What the last order took."""

    def ask(self, do: str, **order: Any) -> Any:
        """The answer to an order. Raises RuntimeError with the text of what the order raised."""
        self.begin(do, **order)
        return self.answer()

    def begin(self, do: str, **order: Any) -> None:
        """Give an order without waiting for the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **order}).encode() + b"\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        """The answer to the order that was begun. Raises TimeoutError: executors that do not start never answer."""
        if not self.answers_within(self._patience):
            raise TimeoutError("no answer: " + self._log.read_text(errors="replace")[-3000:])
        line = self._answers.readline()
        if not line:
            raise RuntimeError("the driver ended: " + self._log.read_text(errors="replace")[-3000:])
        found = json.loads(line)
        self.seconds = found["seconds"]
        if "error" in found:
            raise RuntimeError(found["error"])
        return found["answer"]

    def answers_within(self, seconds: float) -> bool:
        """Wait for the answer; whether it has come."""
        return bool(select.select([self._answers], [], [], seconds)[0])

    def close(self) -> None:
        """End the session, so that its executors end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._answers.close()
        try:
            self._process.wait(60)
        finally:
            self._process.kill()
            self._process.wait()


@pytest.fixture(scope="session")
def kills(request: pytest.FixtureRequest) -> int:
    """How many executors are killed."""
    return int(request.config.getoption("--cluster-kills"))


@pytest.fixture(scope="session")
def log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Truth]:
    """A log of as many bytes as were asked for; it is removed in the end."""
    folder = tmp_path_factory.mktemp("log")
    truth = data.make("lldf", folder, size=data.parse_size(request.config.getoption("--cluster-bytes")))
    yield truth
    Path(truth.path).unlink()


@pytest.fixture(scope="session")
def options(log: Truth) -> dict[str, str]:
    """Options that read the records of the log, as the data source has them."""
    size = {"maxPartitionBytes": str(PART_BYTES)} if log.bytes < _SMALL else {}
    return {"spec": "bmc_lldf", "framing": "rdw", **size}


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers; nothing of it is left in the end."""
    if not sys.platform.startswith("linux"):
        pytest.skip("processes are found in /proc, and end with their parent by prctl: Linux only")
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def driver(cluster: Cluster, log: Truth) -> Iterator[Callable[..., Driver]]:
    """Makes a driver with some executors; one at a time, since the cluster has two cores."""
    last: list[Driver] = []

    def make(executors: int, *, python: str = sys.executable, **settings: Any) -> Driver:
        while last:
            last.pop().close()
        common = {
            "spark.cores.max": executors,
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": JAVA_OPTIONS,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "768m",
            "spark.executor.cores": 1,
            "spark.executor.extraJavaOptions": JAVA_OPTIONS,
            "spark.executor.memory": "768m",
            "spark.executorEnv.PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
            "spark.python.daemon.module": "spark_daemon",
            "spark.local.dir": str(cluster.folder / "driver-local"),
            "spark.master": cluster.master,
            "spark.pyspark.python": python,
            "spark.sql.warehouse.dir": str(cluster.folder / "warehouse"),
        }
        last.append(Driver(cluster, {**SHORT_SPARK, **common, **settings}, 300 + log.bytes / 1e6))
        return last[0]

    yield make
    while last:
        last.pop().close()


@pytest.fixture(scope="session")
def two(driver: Callable[..., Driver], kills: int) -> Driver:
    """A driver with two executors, whose tasks may fail more often than executors are killed."""
    return driver(2, **{"spark.task.maxFailures": max(4, kills + 1)})


@pytest.fixture(scope="module")
def limited_python(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Makes a Python whose memory of its own and whose files have limits in bytes.

    The file `limits` beside it sets them: without it, processes that start later have none.
    """

    def make(**limits: int) -> str:
        flags = {"memory": ("d", 1024), "file": ("f", 512)}
        path = tmp_path_factory.mktemp("python") / "python"
        lines = [f"ulimit -S -{flags[name][0]} {limit // flags[name][1]}" for name, limit in limits.items()]
        limited = path.with_name("limits")
        limited.write_text("\n".join([*lines, ""]))
        check = f"if [ -f {shlex.quote(str(limited))} ]; then . {shlex.quote(str(limited))}; fi"
        path.write_text("\n".join(["#!/bin/sh", check, f'exec {shlex.quote(sys.executable)} "$@"', ""]))
        path.chmod(0o755)
        return str(path)

    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    return make
