"""The rows and changes of Log Master extracts that are landed one by one, with runs killed, are those of the database.

With `land --current`: units of recovery are open at the end of an extract, and the next one has them as a whole or the
rest of them; changes are in segments; rows are taken back by rollbacks to savepoints.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from random_logs.landed_check import check_current
from random_logs.landed_log_master import log_master_log

LOGS = 4


def check(seed: int, folder: Path) -> Counter[str]:
    """Land a log, and compare its tables."""
    chance = random.Random(seed)
    log = log_master_log(chance, folder)
    return check_current(chance, log, log.commits, folder)
