"""What a folder of Parquet files keeps when its files are replaced."""

from __future__ import annotations

from pathlib import Path

from lmparse.export.parquet_folder import move


def test_hidden_files_and_folders_stay(tmp_path: Path) -> None:
    target, pending = tmp_path / "out", tmp_path / "pending"
    for name in ("out/_dir.parquet", "out/.dir.parquet", "pending"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("old.parquet", "_theirs.parquet", ".theirs.parquet", "notes.txt"):
        (target / name).touch()
    (pending / "new.parquet").touch()
    move(["new.parquet"], pending, target, overwrite=True)
    left = sorted(path.name for path in target.iterdir())
    hidden = [".dir.parquet", ".theirs.parquet", "_SUCCESS", "_dir.parquet", "_theirs.parquet"]
    assert left == [*hidden, "new.parquet", "notes.txt"]
