from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from amounts import examples
from hypothesis import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "spark: needs a running Spark; `pytest -m 'not spark'` leaves it out")
    config.addinivalue_line("markers", "browser: needs a Chromium and what drives it; `make test-pages` has both")
    settings.register_profile("lmparse", examples(40, 400))
    settings.load_profile("lmparse")


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
        # What runs for a minute gains nothing from the second compiler, which takes half of the time.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.local.dir": scratch / "local",
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.warehouse.dir": scratch / "warehouse",
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
    }
    builder = SparkSession.builder.master("local[2]").appName("lmparse tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
