"""Joined files are read as the bytes that they join, whatever their number, order and compression."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from lmparse.errors import FramingError, ReadError
from lmparse.storage.buffers import occurrences, open_buffer
from lmparse.storage.joined import Joined, JoinedPiece, is_joined, joined_of, names_in
from lmparse.storage.outputs import inputs_of


def made(folder: Path, seed: int, count: int) -> tuple[Joined, bytes]:
    """Stretches of files, some of no bytes, some of one file, and what they join."""
    chosen, pieces, whole = random.Random(seed), [], b""
    for number in range(count):
        data = chosen.randbytes(chosen.choice([1, 50, 3000, 200_000]))
        path = folder / f"{number}.log"
        path.write_bytes(gzip.compress(data) if number % 4 == 3 else data)
        path = path.rename(path.with_suffix(".log.gz")) if number % 4 == 3 else path
        for _ in range(chosen.randrange(1, 3)):
            start, end = sorted(chosen.choices(range(len(data) + 1), k=2))
            pieces.append(JoinedPiece(str(path), start, end, chosen.randrange(9), chosen.randrange(9)))
            whole += data[start:end]
    return Joined(tuple(pieces)), whole


@pytest.mark.parametrize(("seed", "count"), [(1, 3), (3, 70)])
def test_bytes_are_those_of_the_files(seed: int, count: int, tmp_path: Path) -> None:
    joined, whole = made(tmp_path, seed, count)
    assert joined_of(joined.address) == joined
    buffer, chosen = open_buffer(joined.address), random.Random(seed)
    assert len(buffer) == len(whole)
    for _ in range(200):
        start, end = sorted(chosen.choices(range(len(whole) + 1), k=2))
        end = min(end, start + chosen.choice([0, 1, 100, 70_000, 2_000_000]))
        assert buffer[start:end] == whole[start:end]
        assert buffer.array(start, end).tobytes() == whole[start:end]
        wanted = whole[start : start + 3]
        assert next(occurrences(buffer, wanted, 0, len(whole)), -1) == whole.find(wanted)
    assert buffer[:] == whole


def test_each_place_is_in_one_file(tmp_path: Path) -> None:
    joined, whole = made(tmp_path, 4, 6)
    for offset in range(0, len(whole), 997):
        piece, offsets, _ = joined.piece_at(offset)
        data = (
            gzip.decompress(Path(piece.path).read_bytes())
            if piece.path.endswith("gz")
            else Path(piece.path).read_bytes()
        )
        assert data[offset + offsets] == whole[offset]
        assert piece.start <= offset + offsets < piece.end


def test_files_of_an_address(tmp_path: Path) -> None:
    joined, _ = made(tmp_path, 5, 5)
    names = names_in(joined.address)
    assert sorted(names) == sorted({piece.path for piece in joined.pieces})
    assert names_in("a.log") == ["a.log"]
    assert not is_joined("joined.log")
    for text in (
        *("", "[", "]", "1]", "[1,2,3]]", '["a",2,1]]', '["a",0,1,0,0,-1]]', '["a",0,9e9]]', "[null,0,1]]", "[" * 9999),
        f'["a",0,{(1 << 63) - 1}],["b",0,{(1 << 63) - 1}]]',
    ):
        assert joined_of(f"joined:[{text}") is None
        with pytest.raises(FramingError) as found:
            open_buffer(f"joined:[{text}")
        assert found.value.code == "LMP-F001"
    inputs = inputs_of([joined.address])
    assert all(inputs.has(Path(name)) for name in names)


def test_a_file_that_is_gone_or_shrinks(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(bytes(100))
    joined = Joined((JoinedPiece(str(path), 0, 50), JoinedPiece(str(tmp_path / "b.log"), 0, 50)))
    buffer = open_buffer(joined.address)
    with pytest.raises(FramingError) as found:
        buffer[40:60]
    assert (found.value.code, found.value.file) == ("LMP-F001", str(tmp_path / "b.log"))
    path.write_bytes(bytes(10))
    with pytest.raises(ReadError, match=str(path)):
        open_buffer(Joined((JoinedPiece(str(path), 0, 50),)).address)[0:50]
