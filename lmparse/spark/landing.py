"""Landing from a Spark job: executors read the log, and the driver commits what each table lacks.

from lmparse.spark import land
land(spark, "/logs/0900.log", "/lake/payroll", current=True, tables="/logs/tables.yaml")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmparse.errors import OptionError
from lmparse.export import land as landing
from lmparse.logs.partitions import DEFAULT_BYTES
from lmparse.options import positive
from lmparse.records.files import ignored
from lmparse.spark.read_job import hints_shown
from lmparse.spark.stages import runner
from lmparse.spelling import plain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PART_BYTES = "maxPartitionBytes"


def land(
    spark: SparkSession,
    path: str | Path | Sequence[str | Path],
    to: str | Path,
    *,
    as_: str = "delta",
    current: bool = False,
    **options: Any,
) -> landing.Landed:
    """Append the changes of a log to tables in a folder, each change once, as `lmparse.land` does with these arguments.

    Executors decode parts of `maxPartitionBytes` and keep their changes below the folder, so driver and executors must
    share it, and the log. The driver commits the tables. Works over Spark Connect too. After an error the tables are as
    they were, or the next run makes up for the rest.

    Raises OptionError, FramingError if the log is damaged, and as `open_log`.
    """
    named = {name: value for name, value in options.items() if plain(name) != plain(_PART_BYTES)}
    sizes = [value for name, value in options.items() if plain(name) == plain(_PART_BYTES) and value is not None]
    with hints_shown():
        if len(sizes) > 1:
            raise OptionError(f"{_PART_BYTES} is given twice, in two spellings", hint="leave one of them out")
        asked = landing.asked_for(path, to, as_, current, named)
        part_bytes = positive(_PART_BYTES, str(sizes[-1])) if sizes else DEFAULT_BYTES
        return landing.run(replace(asked, run=runner(spark), part_bytes=part_bytes), ignored, None)
