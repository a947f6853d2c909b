"""Family: everything that the library needs to know about one kind of change log, in one object.

Each family has one module with an object of `Family` (`lmparse.bmc.family`). `logs.families` lists them, together with
those of other installed packages. Functions import large modules only when they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from lmparse.changes.change import SeqForm
from lmparse.changes.checkpoint import Checkpoint
from lmparse.changes.descriptions import TableDescriptions, describe
from lmparse.changes.log import ChangeLog
from lmparse.changes.transaction_summary import TransactionSummary
from lmparse.errors import DataError
from lmparse.framing.detection import Detection
from lmparse.framing.extents import Span
from lmparse.limits import Limits
from lmparse.options import Options
from lmparse.records.file_dissection import FileDissector
from lmparse.records.files import OnError
from lmparse.records.settings import FileSettings
from lmparse.storage.joined import Joined
from lmparse.storage.processes import Run

if TYPE_CHECKING:
    import pyarrow as pa

    from lmparse.changes.rows import VersionBatch
    from lmparse.columnar.filters import Filter
    from lmparse.columnar.record_plan import RecordPlan

Log = TypeVar("Log", bound=ChangeLog)
Opened = TypeVar("Opened", bound=ChangeLog, covariant=True)


class OpenLog(Protocol[Opened]):
    """Opens a log. Without `settings`, it finds them out from the file."""

    def __call__(
        self, path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None
    ) -> Opened: ...


class ChangeReader(Protocol):
    """Reads the changes of a log column-wise."""

    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        """The changes, many records at a time: batches, each of one table version."""


@dataclass(frozen=True)
class FoundControl:
    """A control file that nobody named, and why it is that of a log."""

    path: str
    evidence: str
    """In words for users."""


class ControlFinder(Protocol):
    """Finds the control files of logs, and looks through each folder once."""

    def find(self, path: str, control: str | None) -> str:
        """The control file of a log, from its path and the option `control`. Raises ControlError LMP-C007."""

    def beside(self, path: str) -> FoundControl:
        """That of a log for which the option names none. Raises ControlError LMP-C007, FramingError."""


@dataclass(frozen=True)
class ControlFiles:
    """How control files of a family are recognised; its logs have no changes without one."""

    is_one: Callable[[str, Limits], bool]
    """Whether a file is a control file."""
    search: Callable[[Limits], ControlFinder]


@dataclass(frozen=True, kw_only=True)
class Family(Generic[Log]):
    """One kind of change log: how its files are recognised and read."""

    name: str
    """First word of the ids of its specs, and name of their folder: `bmc`."""
    title: str
    """Its name for users."""
    files: str
    """A description of its files that follows the word `expected` in messages."""
    spec: str
    """Id of the spec of its logs; for specs outside of lmparse the path that `build.py generate` wrote."""
    open_log: OpenLog[Log]
    """Opens a log, or a part of one with the settings of the whole file."""
    detections: Callable[[], Mapping[str, Detection]]
    """How its files are recognised, by spec; may include files that are not logs."""
    seq_form: SeqForm
    """The digits of `seq` in its changes."""
    column_docs: Callable[[], Mapping[str, str]] = dict
    """Comments of the columns that every change has, by name."""
    commit_zone: str | None = None
    """Time zone of the commit times of its logs; None if it is not known."""
    options: frozenset[str] = frozenset()
    """Options for its specs only. Specs of other families accept them only if they name them too."""
    decisions: frozenset[str] = frozenset()
    """The names that the option `decisions` has for its logs."""
    record_files: frozenset[str] = frozenset()
    """Options for files that not only the changes of its logs are read with, but their records too."""
    control: ControlFiles | None = None
    """Its control files, if its logs have any."""
    description_endings: tuple[str, ...] = ()
    """Endings, in small letters, of the names of other files that describe its logs: in folders they are no logs."""
    record_plan: Callable[[Log], RecordPlan] | None = None
    """Record plan of a log; None: the plan that follows from the spec."""
    join: (
        Callable[[Sequence[str], Options, Run | None, Checkpoint | None, list[DataError] | None], Sequence[Joined]]
        | None
    ) = None
    """The logs that several files are of, with what a checkpoint needs. Other processes may read what that takes.
    Raises FramingError, OptionError, ControlError; with a list, errors of single files are added to it, and these are
    joined up to their damage or left out. None: each file is a log of its own."""
    checkpoint: Callable[[Log], Checkpoint] | None = None
    """What the reading of the next files of a log needs, once all of it has been read. Raises FramingError if it is
    damaged. None: its logs are not read extract by extract."""
    change_reader: Callable[[Log, pa.Schema | None, Sequence[Filter]], ChangeReader | None] | None = None
    """Reads changes column-wise; returns None for logs whose changes are read one by one."""
    describe: Callable[[Log], TableDescriptions] = describe
    """The tables that describe a log, with their names."""
    transactions: Callable[[Log], Iterator[TransactionSummary]] | None = None
    """Sums up the transactions of a log, by the engine that its options name; None: its logs have none."""
    dissector: Callable[[Log], FileDissector] = FileDissector
    """Dissects the records of a log, including the contents of their fields."""

    @property
    def spec_id(self) -> str:
        """Id of the spec of its logs."""
        return Path(self.spec).name

    def owns(self, spec_id: str) -> bool:
        """Whether a spec id belongs to the family."""
        return spec_id.startswith(f"{self.name}_")


AnyFamily = Family[Any]
