"""Live specs: builds a spec again after each change, and has the files read with what was built.

Each build has a folder of its own, so that its parsers are loaded beside those of the last one. Where a build fails,
the last good one stays in use.
"""

from __future__ import annotations

import glob
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from typing import Any, Self

from lmparse.errors import LmparseError, OptionError
from lmparse.review.explain.explanation import printable
from lmparse.review.serve.record_list import ServedFile
from lmparse.spec.build.compiler import CompilerUnavailable
from lmparse.spec.build.products import Builder, watch
from lmparse.spec.build.specs import SUFFIX, Problem, SpecError
from lmparse.storage.outputs import write_files

_LONGEST_WAIT = 60
"""Seconds in which the first build must end, before the server says where it is."""
_LONGEST_END = 10
"""Seconds in which a build may end when the server does."""


class LiveSpecs:
    """A spec that is built whenever it, or one that it imports, changes."""

    def __init__(self, source: Path, files: Sequence[ServedFile], options: Mapping[str, Any]) -> None:
        """`source` is the `.ksy` file of the spec of the records, named by its id. `files` have no options yet."""
        self.source = source
        self._files, self._options = files, options
        self._folder = TemporaryDirectory(prefix="lmparse-specs-")
        self._lock = Lock()
        self._problems: list[dict[str, Any]] = []
        self._generation, self._version = 0, 0
        self._built: list[int] = []
        """Versions whose products are there."""
        self._first, self._ended = Event(), Event()
        self._thread = Thread(target=self._watch, name="specs", daemon=True)

    def start(self) -> Self:
        """Begin to build; returns itself when the first build has ended."""
        self._thread.start()
        self._first.wait(_LONGEST_WAIT)
        return self

    def close(self) -> None:
        """End, and remove what was built. A build that takes long is not waited for."""
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join(_LONGEST_END)
        self._folder.cleanup()

    def state(self) -> dict[str, Any]:
        """How often something changed that is shown, and what is wrong in the specs now.

        A file that was written to is read anew, too.
        """
        with self._lock:
            for file in self._files:
                if file.has_changed():
                    file.reopen()
                    self._generation += 1
            return {"generation": self._generation, "version": self._version, "problems": self._problems}

    def _watch(self) -> None:
        builder = Builder()  # in this thread, where all builds are
        watch(builder, self.source, lambda: self._build(builder), self._ended.is_set)

    def _build(self, builder: Builder) -> None:
        problems: list[dict[str, Any]] = []
        built: str | None = None
        try:
            made = builder.make(self.source)
            problems = list(map(_problem, made.problems))
            spec = self.source.stem
            if f"{spec}.py" in made.products:
                folder = self._folder_of(self._version)
                write_files(folder, {name: text.encode() for name, text in made.products.items()})
                built = str(folder / spec)
        except SpecError as error:
            problems = list(map(_problem, error.problems))
        except LmparseError as error:
            problems.append(error_row(error))
        except CompilerUnavailable as error:
            problems.append(error_row(LmparseError(str(error), code="LMP-S005")))
        except Exception as error:  # whatever ends one build: the next change is to be built again
            problems.append(error_row(unforeseen(error)))
        if built is not None:
            for version in self._built[:-1]:  # a request may still read with the last one
                shutil.rmtree(self._folder_of(version), ignore_errors=True)
            self._built = [*self._built[-1:], self._version]
        with self._lock:
            self._version += 1
            self._problems = problems
            if built is not None:
                self._generation += 1
                for file in self._files:
                    file.reopen({**self._options, "spec": built})
        self._first.set()

    def _folder_of(self, version: int) -> Path:
        return Path(self._folder.name, str(version))


def spec_file(source: Path, spec: str | None) -> Path:
    """The `.ksy` file that is named, or the one in a folder with the id, or with any. Raises OptionError."""
    if not source.exists():
        raise OptionError(f"{source}: there is no such file or folder")
    if not source.is_dir():
        return source
    found = sorted(source.rglob(f"{'*' if spec is None else glob.escape(spec)}{SUFFIX}"))
    if len(found) != 1:
        ids = ", ".join(path.stem for path in found) or "none"
        raise OptionError(
            f"several specs may be that of the records: {ids}"
            if found
            else f"there is no {spec or ''}{SUFFIX} in {source}",
            hint="--specs FILE.ksy, or --spec ID",
        )
    return found[0]


def _problem(problem: Problem) -> dict[str, Any]:
    place = f"{problem.path}:{problem.line}:{problem.column}"
    return {"code": problem.code, "text": printable(f"{place}: {problem.text}"), "hint": printable(problem.where)}


def error_row(error: LmparseError) -> dict[str, Any]:
    """An error as the page shows it."""
    return {"code": error.code, "text": printable(str(error)), "hint": printable(error.hint or "")}


def unforeseen(error: Exception, hint: str | None = None) -> LmparseError:
    """The error of what no other error is for."""
    return LmparseError(f"{type(error).__name__}: {error}", code="LMP-S013", hint=hint)
