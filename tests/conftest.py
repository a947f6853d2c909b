from __future__ import annotations

import gc
import json
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache, lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from amounts import examples
from commands import Run
from hypothesis import settings
from short_runs import JAVA_OPTIONS, SHORT_SPARK

from lmparse import cli
from lmparse.bmc.control import find_control as control_search
from lmparse.cli import command_line
from lmparse.db2.record import log_record
from lmparse.limits import DEFAULT, Limits
from lmparse.records.reader import RecordReader
from lmparse.spec import ksy
from lmparse.spec.build import compiler, specs
from lmparse.storage import processes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES = str(Path(__file__).parent / "cases")
"""Where paths of the files of cases begin."""
MOST_TRIED = 1 << 14
"""Records or row images that are kept with what a layout says of them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cluster")
    group.addoption("--cluster-bytes", default="6M", help="size of the log for the tests of a cluster: 24M, 5G")
    group.addoption("--cluster-kills", default="2", help="number of executors that these tests kill")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "spark: needs a running Spark; `pytest -m 'not spark'` leaves it out")
    config.addinivalue_line(
        "markers", "cluster: starts a cluster of Spark on this machine; `make cluster-test` is long"
    )
    config.addinivalue_line("markers", "long: a test of a cluster that only `make cluster-test` runs")
    config.addinivalue_line("markers", "browser: needs a Chromium and what drives it; `make test-pages` has both")
    settings.register_profile("lmparse", examples(20, 400))
    settings.load_profile("lmparse")


def pytest_collection_finish() -> None:
    """Cases and tests stay until the end: the garbage collector need not go through them again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """Run a command in this process."""

    def run(*arguments: object) -> Run:
        try:
            code = cli.main(list(map(str, arguments)))
        except SystemExit as end:
            code = int(str(end.code))
        return Run(code, *capsys.readouterr())

    return run


@pytest.fixture(autouse=True, scope="session")
def _parser_of_commands_built_once() -> Iterator[None]:
    """It is the same each time, and takes as long as reading a small log."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command_line, "build_parser", cache(command_line.build_parser))
        yield


@pytest.fixture(autouse=True, scope="session")
def _evidence_is_weighed_once() -> Iterator[None]:
    """Whether a record or a row image is one of some layout does not depend on its log: it is tried once for each.

    Most logs of the tests hold the same records, and each time that one is opened they say again how it is read.
    """
    tried: dict[tuple[int, str], tuple[Any, Callable[[bytes], bool]]] = {}
    accepts, explains = RecordReader.accepts, log_record._explains

    def accepts_once(self: RecordReader, raw: bytes) -> bool:
        key = id(self.spec), str(self.arguments)
        if key not in tried:
            tried[key] = self.spec, lru_cache(MOST_TRIED)(partial(accepts, self))
        return tried[key][1](bytes(raw))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RecordReader, "accepts", accepts_once)
        patch.setattr(log_record, "_explains", cache(lambda *form: lru_cache(MOST_TRIED)(explains(*form))))
        yield


@pytest.fixture(autouse=True, scope="session")
def _compiler_started_once() -> Iterator[None]:
    """Half of the time of a build is the start of its compiler, which compiles any number of specs one after another.

    Each file and each thread has one of its own. What it made of specs it makes of the same ones again.
    """
    started: dict[tuple[str, str, int], compiler.Dukpy] = {}
    compiled: dict[tuple[int, bytes], list[dict[str, Any]]] = {}

    def run_once(self: compiler.Dukpy, job: dict[str, Any]) -> list[dict[str, Any]]:
        key = id(self), sha256(json.dumps(job).encode()).digest()
        if key not in compiled:
            compiled[key] = run(self, job)
        return deepcopy(compiled[key])

    def once(path: Path) -> compiler.Dukpy:
        key = str(path), compiler._sha256(path), threading.get_ident()
        if key not in started:
            started[key] = engine(path)
        return started[key]

    engine, run = compiler.Dukpy, compiler.Dukpy.run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "run", run_once)
        patch.setattr(compiler, "Dukpy", once)
        yield


@pytest.fixture(autouse=True, scope="session")
def _specs_of_the_package_parsed_once() -> Iterator[None]:
    """Pages, comparisons and builds read all of them, and nothing changes what it has read."""
    parsed = specs.parsed
    once = cache(parsed)

    def of_package(place: str, path: Path, data: bytes) -> specs.SpecFile:
        return (once if path.is_relative_to(specs.FORMATS) else parsed)(place, path, data)

    with pytest.MonkeyPatch.context() as patch:
        for module in (specs, ksy):
            patch.setattr(module, "parsed", of_package)
        yield


@pytest.fixture(autouse=True, scope="session")
def _control_files_of_cases_read_once() -> Iterator[None]:
    """Each log of a case lies beside the control files of the others, which are all looked at when it is opened."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(control_search, "_named_by", _once_for_cases(control_search._named_by))
        yield


def _once_for_cases(function: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[Any, Any] = {}

    def once(path: str, limits: Limits = DEFAULT) -> Any:
        place = os.path.abspath(path)
        if not place.startswith(CASES) or not os.path.isfile(place):
            return function(path, limits)
        found = os.stat(place)
        key = place, limits, found.st_mtime_ns, found.st_size
        if key not in known:
            known[key] = function(path, limits)
        return known[key]

    return once


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What processes of their own do is done in this one, which starts sooner; all goes through pickle as there."""

    def in_order(self: processes.Pool, function: Any, tasks: Any) -> Iterator[Any]:
        for task in tasks:
            yield pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(task)))))

    monkeypatch.setattr(processes.Pool, "in_order", in_order)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One small local Spark for all tests; what it writes lies in a temporary folder."""
    from pyspark.sql import SparkSession

    from lmparse.spark.java import spark_environment

    spark_environment()
    scratch = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.default.parallelism": 2,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.local.dir": scratch / "local",
        "spark.python.daemon.module": "spark_daemon",
        "spark.sql.warehouse.dir": scratch / "warehouse",
    }
    builder = SparkSession.builder.master("local[2]").appName("lmparse tests")
    for name, value in {**SHORT_SPARK, **settings}.items():
        builder = builder.config(name, value)
    places = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(places))  # Java keeps it for the workers
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
