"""Row plans: which way the columns of the rows of one table version go, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ImageWay:
    """How one column is made."""

    column: str
    """Its name."""
    kernel: str
    """What reads it, a word; empty when nothing does."""
    type: pa.DataType


@dataclass(frozen=True)
class DecodedImages:
    """The columns of n row images."""

    arrays: dict[str, pa.Array]
    """By column name, n values each. At irregular rows they mean nothing."""
    absent: dict[str, Flags]
    """Columns whose value is kept elsewhere: which rows have one, that is, are not null."""
    irregular: Flags
    """Rows that are to be read one by one."""


def joined(parts: Sequence[DecodedImages]) -> DecodedImages:
    return DecodedImages(
        {name: pa.concat_arrays([part.arrays[name] for part in parts]) for name in parts[0].arrays},
        {name: np.concatenate([part.absent[name] for part in parts]) for name in parts[0].absent},
        np.concatenate([part.irregular for part in parts]),
    )
