"""The rows and changes of Db2 LUW tables that are landed file by file, with runs killed, are those of the database.

With `land --current`: keys of every type that may be one, statements whose keys are unique only at their end, rows from
before the log, LOB values, tables that are emptied, dropped and created again.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from random_logs.landed_check import check_current
from random_logs.landed_db2 import db2_log

LOGS = 4


def check(seed: int, folder: Path) -> Counter[str]:
    """Land a log, and compare its tables."""
    chance = random.Random(seed)
    log = db2_log(chance, folder)
    return check_current(chance, log, log.commits, folder)
