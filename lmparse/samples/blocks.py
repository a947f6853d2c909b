"""Blocks: some thousand records that are written once, and again and again with their numbers moved on.

So a log takes as long as writing it, and no more memory than a block, however large it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count as numbers_from
from typing import BinaryIO, Literal, Protocol

import numpy as np

from lmparse.samples.rows import Story
from lmparse.values.byte_arrays import Bytes, Int64s

BLOCK_ROWS = 4000
"""Changes that last in a block of a log."""


@dataclass(frozen=True)
class Moved:
    """Fields of one width that differ from one repetition of a block to the next."""

    places: Int64s
    """(n, width): where the bytes of each field are in the block."""
    written: Callable[[int], Bytes]
    """For the number of a repetition, the (n, width) bytes of the fields."""


def counter(data: Bytes, places: Int64s, step: int, form: Literal["<u4", "<u8", ">u4", ">u8"]) -> Moved:
    """Numbers at some offsets that grow by one step from block to block; those that are zero say nothing, and stay."""
    width = int(form[-1])
    every = places.reshape(-1, 1) + np.arange(width)
    every = every[data[every].any(axis=1)]
    base = data[every].reshape(-1, width).view(form).astype(np.uint64)

    def written(number: int) -> Bytes:
        moved: Bytes = (base + np.uint64(step * number)).astype(form).view(np.uint8)
        return moved

    return Moved(every, written)


@dataclass(frozen=True)
class RecordBlock:
    """The bytes of some records, and what in them is moved on."""

    data: Bytes
    starts: Int64s
    """Offset of each record, with what is in front of it."""
    moved: Sequence[Moved]

    def repetitions(self) -> Iterator[Bytes]:
        """The block without end, the same array each time."""
        for number in numbers_from():
            for entry in self.moved:
                self.data[entry.places] = entry.written(number)
            yield self.data

    def write(self, file: BinaryIO, size: int) -> tuple[int, int]:
        """Write repetitions up to a size, whole records only; returns the numbers of records and bytes."""
        records, left = 0, size
        for data in self.repetitions():
            count = len(self.starts)
            if left < len(data):
                # Starts are ends of the record before: as many records as end in what is left.
                count = int(np.searchsorted(self.starts, left, "right")) - 1
                data = data[: self.starts[count]]
            file.write(data.data)
            records, left = records + count, left - len(data)
            if count < len(self.starts):
                break
        return records, size - left


class BlockMaker(Protocol):
    """Makes the records of a log, a block at a time."""

    story: Story

    def block(self, rows: int, *, is_last: bool = False) -> RecordBlock:
        """A block of invented transactions with so many changes that last, the last one with one that stays open."""

    def skip(self, blocks: int) -> None:
        """Move on as so many repetitions of the block before do."""


def write_rows(maker: BlockMaker, file: BinaryIO, rows: int) -> RecordBlock:
    """Write a log with so many changes that last, and a transaction that stays open; returns its first block.

    Raises OptionError for a key that has too few values.
    """
    count = max(rows // BLOCK_ROWS, 1)
    block = maker.block(min(rows, BLOCK_ROWS))
    maker.story.check_keys(count + 1)
    first = replace(block, data=block.data.copy())
    for _, data in zip(range(count), block.repetitions(), strict=False):
        file.write(data.data)
    maker.skip(count - 1)
    file.write(maker.block(rows - count * min(rows, BLOCK_ROWS), is_last=True).data.data)
    return first
