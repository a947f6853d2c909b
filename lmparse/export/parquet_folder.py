"""Parquet folder: Parquet files that several processes write, each to a folder of unfinished files first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lmparse.errors import OptionError
from lmparse.export.writers import foreign_binary
from lmparse.logs.open import files_beside, spec_files
from lmparse.logs.partitions import Request
from lmparse.storage.outputs import OutputPlace, check_place, inputs_of, naming_output, partial_folder

_PENDING = "_lmparse"
"""Start of the names of folders with unfinished output; Spark ignores names that begin with an underscore."""


@contextmanager
def pending_in(target: Path) -> Iterator[Path]:
    """A folder for unfinished files in the folder of the output, which is made; it is removed in the end."""
    with naming_output(str(target)), ExitStack() as partial:
        target.mkdir(parents=True, exist_ok=True)
        folder = partial.enter_context(partial_folder(target, _PENDING))
        folder.chmod(target.stat().st_mode & 0o777)  # executors may be of another user
        end = partial.pop_all()
    with end:
        yield folder


def place_of(out: str | Path, request: Request, mode: str) -> OutputPlace:
    """The place of the output. Raises OptionError LMP-S021 if nothing may be written there."""
    files = request.files()
    described = [name for path, options in files for name in files_beside(path, options).values()]
    inputs = inputs_of([*(path for path, _ in files), *described, *spec_files(request.options.spec)])
    is_new = mode == "error"
    foreign = _foreign if mode == "overwrite" else lambda folder: None
    return check_place(out, inputs, is_folder=True, overwrite=not is_new, foreign=foreign, makes_parents=True)


def check_again(place: OutputPlace, mode: str) -> None:
    """Raise OptionError LMP-S021 if what came into the folder while files were written must not be replaced, or mixed
    with them.
    """
    with naming_output(place.shown):
        if mode == "overwrite":
            place.check()
        elif mode == "error" and _seen(place.path):
            text = f"{place.shown} has files that another program wrote meanwhile"
            raise OptionError(text, code="LMP-S021", hint="name another place")


def _foreign(folder: Path) -> str | None:
    """What in a folder is not of lmparse. Names that begin with `_` or `.` are left alone, as Spark does."""
    for path in _seen(folder):
        if path.is_dir() or foreign_binary(path) is not None:
            return f"it has {path.name}"
    return None


def _seen(folder: Path) -> list[Path]:
    """What is in a folder, but for names that begin with `_` or `.`."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith(("_", ".")))


def move(names: Sequence[str], pending: Path, target: Path, *, overwrite: bool) -> None:
    """Move finished files to the folder of the output; with `overwrite` those that were there go.

    `names` are those of the files in the folder `pending`. After an error all files are where they were. A process that
    is killed here leaves files of both without `_SUCCESS`, and none of them is lost. Raises OptionError LMP-S022.
    """
    before, mark = pending / "before", target / "_SUCCESS"
    with naming_output(str(target)), ExitStack() as undo:
        old = [path.name for path in _seen(target) if path.suffix == ".parquet"] if overwrite else []
        moves = [
            *((pending / name, target / name) for name in names),
            *((target / name, before / name) for name in old),
        ]
        before.mkdir()
        if mark.is_file() or mark.is_symlink():
            mark.unlink()
            undo.callback(mark.touch)
        for source, place in moves:
            source.rename(place)
            undo.callback(place.rename, source)
        mark.touch()
        undo.pop_all()
