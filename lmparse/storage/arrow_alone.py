"""Arrow alone: Arrow loaded without pandas, into a process that makes no DataFrames."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import Any


class _WithoutPandas(MetaPathFinder):
    """Finds no pandas."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)


def load_arrow() -> None:
    """Load Arrow. Raises ImportError if it is not installed.

    Arrow loads pandas, where that is installed, for the first array that it makes, which takes longer than all else
    that a command loads. Code that makes a DataFrame later still gets it.
    """
    if "pandas" in sys.modules:
        return
    finder = _WithoutPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow

        pyarrow.array([])
    finally:
        sys.meta_path.remove(finder)
