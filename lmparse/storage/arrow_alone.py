"""Arrow alone: Arrow loaded without pandas, for a process that makes no DataFrames."""

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
    """Load Arrow. Raises ImportError if Arrow is not installed.

    With its first array, Arrow loads an installed pandas, which takes longer than loading everything else for a
    command. Code that makes a DataFrame later still gets pandas.
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
