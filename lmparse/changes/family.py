"""Family: what the rest of lmparse asks of one kind of change log, said in one place.

A family describes itself in one module of its package (`lmparse.bmc.family`), as an object of `Family`; `logs.families`
lists them, with those that other installed packages bring. What is heavy is a function that imports when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from lmparse.changes.log import ChangeLog
from lmparse.framing.detection import Detection
from lmparse.framing.extents import Span
from lmparse.options import Options
from lmparse.records.file_dissection import FileDissector
from lmparse.records.files import OnError
from lmparse.records.settings import FileSettings
from lmparse.spec.catalog import Spec

if TYPE_CHECKING:
    import pyarrow as pa

    from lmparse.changes.version_batches import VersionBatch
    from lmparse.columnar.filters import Filter
    from lmparse.columnar.record_plan import RecordPlan

Log = TypeVar("Log", bound=ChangeLog)
Opened = TypeVar("Opened", bound=ChangeLog, covariant=True)


class OpenLog(Protocol[Opened]):
    """Opens a log: finds out what `FileSettings` say, unless they are given, and gives what reads it."""

    def __call__(
        self, path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None
    ) -> Opened: ...


class ChangeReader(Protocol):
    """Reads the changes of a log column-wise."""

    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        """The changes, many records at a time: batches, each of one version of a table."""


@dataclass(frozen=True)
class ControlFiles:
    """How the control files of a family are told from its logs, which give no changes without one."""

    is_one: Callable[[str], bool]
    """Whether a file is one."""
    find: Callable[[str, str | None], str]
    """The one of a log, by the path of the log and what the option `control` says. Raises ControlError LMP-C007."""


@dataclass(frozen=True, kw_only=True)
class Family(Generic[Log]):
    """One kind of change log: what its files look like, and what reads them."""

    name: str
    """What the ids of its specs begin with, and the name of their folder: `bmc`."""
    title: str
    """What it is, in words."""
    files: str
    """What its files are, in words that go on from `expected`."""
    spec: str
    """The spec of its logs: an id, or for specs outside of lmparse the path that `build.py generate` gave it."""
    open_log: OpenLog[Log]
    """Opens a log, or a part of one with what was found out about all of it."""
    detections: Callable[[], Mapping[str, Detection]]
    """What its files look like, by their specs; files that are not logs may be among them."""
    column_docs: Callable[[], Mapping[str, str]] = dict
    """What the columns that every change has mean in its logs, by their names."""
    options: frozenset[str] = frozenset()
    """Options that have a meaning for its specs, and for those of other families only if they name them too."""
    control: ControlFiles | None = None
    """Its control files, where its logs have some."""
    record_plan: Callable[[Log], RecordPlan] | None = None
    """How the records of a log are read column-wise; by default as their spec says."""
    control_plan: Callable[[Spec, str], RecordPlan] | None = None
    """The same from the path of a control file, without a log."""
    change_reader: Callable[[Log, pa.Schema | None, Sequence[Filter]], ChangeReader | None] | None = None
    """Reads the changes of a log column-wise; None for those that are read one by one."""
    dissector: Callable[[Log], FileDissector] = FileDissector
    """Takes the records of a log apart, with what is inside their fields."""

    @property
    def spec_id(self) -> str:
        """Id of the spec of its logs."""
        return Path(self.spec).name

    def owns(self, spec_id: str) -> bool:
        """Whether a spec is one of the family, by its id."""
        return spec_id.startswith(f"{self.name}_")


AnyFamily = Family[Any]
