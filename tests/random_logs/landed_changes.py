"""Each committed change of a log is in the tables that are landed once, in Delta and in Parquet, for both families."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from random_logs.landed_check import check_changes
from random_logs.landed_db2 import db2_log
from random_logs.landed_log_master import log_master_log

LOGS = 4


def check(seed: int, folder: Path) -> Counter[str]:
    """Land a log, and compare its change tables."""
    chance = random.Random(seed)
    log = chance.choice((db2_log, log_master_log))(chance, folder)
    return check_changes(chance, log, log.commits, folder)
