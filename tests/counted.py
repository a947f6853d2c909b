"""Counts operations instead of time: lines of Python that run, which a busy machine does not change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest


def operations(run: Callable[[], object], *, within: str = "lmparse/") -> int:
    """Number of lines of Python that a call runs in files `within` a folder, each turn of a loop or comprehension.

    Of what runs elsewhere, only the methods that dataclasses make are counted, as one each.
    """
    count = 0
    counted: dict[str, Callable[..., Any] | None] = {}

    def begin(frame: Any, _event: str, _value: Any) -> Any:
        nonlocal count
        file = frame.f_code.co_filename
        if file not in counted:
            counted[file] = line if within in file else None
        count += counted[file] is not None or file == "<string>"
        return counted[file]

    def line(_frame: Any, _event: str, _value: Any) -> Any:
        nonlocal count
        count += 1
        return line

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


def growth(costs: Callable[[int], int], size: int) -> float:
    """How much the cost grows from 2 to 4 sizes, in parts of what it grows from 1 to 2: 2 if linear, 4 if quadratic."""
    one, two, four = costs(size), costs(2 * size), costs(4 * size)
    return (four - two) / max(1, two - one)


# -- work inside NumPy ---------------------------------------------------------------------

_FUNCTIONS = (
    "all", "any", "append", "arange", "argsort", "array", "array_equal", "asarray", "bincount", "concatenate", "cumsum",
    "diff", "flatnonzero", "full", "intersect1d", "isin", "lexsort", "nonzero", "ones", "repeat", "setdiff1d", "sort",
    "split", "take", "union1d", "unique", "where", "zeros",
)  # fmt: skip
"""Functions of NumPy whose time is that of their arrays; `searchsorted` takes that of what is searched for."""
_elements = 0


class _Counted(np.ndarray[Any, Any]):
    """An array whose operators and indices count the elements that they read and write."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        plain = {name: _plain(value) for name, value in named.items()}
        return _count(inputs, getattr(ufunc, method)(*map(_plain, inputs), **plain))

    def __getitem__(self, key: Any) -> Any:
        found = np.ndarray.__getitem__(_plain(self), _plain(key))
        return _count((key,), found) if isinstance(key, np.ndarray) else _seen(found)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(map(_plain, value))
    return value.view(np.ndarray) if isinstance(value, _Counted) else value


def _seen(value: Any) -> Any:
    """Arrays of a result as arrays that count; bytes of files are no items of a log, and are left out."""
    if isinstance(value, tuple | list) and any(isinstance(one, np.ndarray) for one in value):
        return type(value)(map(_seen, value)) if type(value) in (tuple, list) else value
    return value.view(_Counted) if type(value) is np.ndarray and value.dtype != np.uint8 and value.ndim else value


def _size(value: Any) -> int:
    if isinstance(value, tuple | list):
        return sum(_size(one) for one in value if isinstance(one, np.ndarray))
    return value.size if isinstance(value, np.ndarray) and value.dtype != np.uint8 else 0


def _count(given: Any, found: Any) -> Any:
    global _elements
    _elements += _size(list(given)) + _size(found)
    return _seen(found)


def elements(run: Callable[[], object]) -> int:
    """Number of elements that go through functions and operators of NumPy in a call, as far as they are counted.

    Work inside NumPy takes one line of Python, whatever its size, so `operations` does not see it.
    """

    def counting(function: Any) -> Any:
        return lambda *given, **named: _count(
            given, function(*map(_plain, given), **{name: _plain(value) for name, value in named.items()})
        )

    before = _elements
    with pytest.MonkeyPatch.context() as patch:
        for name in _FUNCTIONS:
            patch.setattr(np, name, counting(getattr(np, name)))
        run()
    return _elements - before
