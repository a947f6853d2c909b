"""How much the tests read: enough to pass every boundary, and far more where LMPARSE_THOROUGH is set."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings

IS_THOROUGH = bool(os.environ.get("LMPARSE_THOROUGH"))


def amount(quick: int, thorough: int) -> int:
    """A number of records, rows or repetitions: the first in `make test`, the second in `make test-thorough`."""
    return thorough if IS_THOROUGH else quick


def examples(quick: int, thorough: int, **more: Any) -> settings:
    """Settings of a generated test with this number of examples, whatever time each takes; the quick ones are fixed."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    settled = {"derandomize": not IS_THOROUGH, "deadline": None, "suppress_health_check": checks, **more}
    return settings(max_examples=amount(quick, thorough), **settled)
