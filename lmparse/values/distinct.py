"""Distinct rows of bytes: each distinct row gets a number, so facts about it are computed only once."""

from __future__ import annotations

import numpy as np

from lmparse.values.byte_arrays import Bytes, Int64s, UInt64s


class Distinct:
    """Numbers the distinct rows of one width from 0, in the order of their first occurrence."""

    def __init__(self, width: int) -> None:
        self._words = -(-width // 8)
        self._width = width
        # Odd factors lose no bit of a word. Any odd numbers will do, because rows with equal keys are compared.
        self._factors = np.random.default_rng(width).integers(1, 1 << 63, self._words, np.uint64) | np.uint64(1)
        self._keys = np.zeros(0, np.uint64)
        self._numbers = np.zeros(0, np.int64)
        self._known = np.zeros((self._words, 0), np.uint64)

    def __len__(self) -> int:
        return self._known.shape[1]

    def row(self, number: int) -> bytes:
        """The bytes of the row with a number."""
        return self._known[:, number].tobytes()[: self._width]

    def of(self, raw: Bytes) -> Int64s:
        """The numbers of (n, width) rows; new rows are added."""
        padded = np.zeros((len(raw), 8 * self._words), np.uint8)
        padded[:, : self._width] = raw
        # One array for each word, because operations on arrays are faster than on rows of words.
        words = np.ascontiguousarray(padded.view(np.uint64).T)
        keys: UInt64s = words[0]
        if self._words > 1:
            keys = np.zeros(len(raw), np.uint64)
            for word, factor in zip(words, self._factors, strict=True):
                keys += word * factor
        numbers = self._find(keys)
        is_new = numbers < 0
        if is_new.any():
            self._add(keys[is_new], words[:, is_new])
            numbers = self._find(keys)
        if self._words > 1:
            self._settle(numbers, words)
        return numbers

    def _find(self, keys: UInt64s) -> Int64s:
        """Numbers by key, -1 for an unknown key."""
        if not len(self._keys):
            return np.full(len(keys), -1, np.int64)
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, self._numbers[places], -1)

    def _add(self, keys: UInt64s, words: UInt64s) -> None:
        _, firsts = np.unique(keys, return_index=True)
        firsts.sort()
        numbers = np.arange(len(firsts)) + self._known.shape[1]
        keys, numbers = np.append(self._keys, keys[firsts]), np.append(self._numbers, numbers)
        order = np.argsort(keys)
        self._keys, self._numbers = keys[order], numbers[order]
        self._known = np.concatenate((self._known, words[:, firsts]), axis=1)

    def _settle(self, numbers: Int64s, words: UInt64s) -> None:
        """Correct the numbers of rows whose keys equal those of different rows."""
        differs = np.zeros(len(numbers), np.bool_)
        for known, word in zip(self._known, words, strict=True):
            differs |= known[numbers] != word
        for place in np.flatnonzero(differs).tolist():
            same = np.flatnonzero((self._known == words[:, place, None]).all(0))
            if not len(same):
                self._known = np.append(self._known, words[:, place, None], axis=1)
            numbers[place] = int(same[0]) if len(same) else len(self) - 1
