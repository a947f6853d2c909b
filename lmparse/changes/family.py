"""Family: all facts and functions of one kind of change log, in one object.

Each family has a module with an object of `Family`, such as `lmparse.bmc.family`. `logs.families` lists these objects,
and those of other installed packages. Functions import large modules only when called.
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
    """Opens a log. Without `settings`, the file decides them."""

    def __call__(
        self, path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None
    ) -> Opened: ...


class ChangeReader(Protocol):
    """Reads the changes of a log column-wise."""

    def read(self, span: Span | None = None) -> Iterator[list[VersionBatch]]:
        """Yield the changes, many records at a time: batches, each of one table version."""


@dataclass(frozen=True)
class FoundControl:
    """A control file that no option names, and why it belongs to a log."""

    path: str
    evidence: str
    """In words for users."""


class ControlFinder(Protocol):
    """Finds the control files of logs; lists each folder once."""

    def find(self, path: str, control: str | None) -> str:
        """The control file of a log, by the log's path and the option `control`. Raises ControlError LMP-C007."""

    def beside(self, path: str) -> FoundControl:
        """The control file of a log without the option `control`. Raises ControlError LMP-C007, FramingError."""


@dataclass(frozen=True)
class ControlFiles:
    """How control files of a family are recognized; the family's logs need a control file for changes."""

    is_one: Callable[[str, Limits], bool]
    """Whether a file is a control file."""
    search: Callable[[Limits], ControlFinder]


@dataclass(frozen=True, kw_only=True)
class Family(Generic[Log]):
    """One kind of change log: how its files are recognized and read."""

    name: str
    """First word of the ids of its specs, and name of the folder of its specs: `bmc`."""
    title: str
    """Name for users."""
    files: str
    """Description of its files, for messages behind the word `expected`."""
    spec: str
    """Id of the spec of its logs; for specs outside of lmparse, the path written by `build.py generate`."""
    open_log: OpenLog[Log]
    """Opens a log, or a part of a log with the settings of the whole file."""
    detections: Callable[[], Mapping[str, Detection]]
    """How its files are recognized, by spec; includes other files than logs."""
    seq_form: SeqForm
    """The digits of `seq` in its changes."""
    column_docs: Callable[[], Mapping[str, str]] = dict
    """Comments of the columns that every change has, by name."""
    commit_zone: str | None = None
    """Time zone of commit times in its logs; None if unknown."""
    options: frozenset[str] = frozenset()
    """Options for its specs only. Specs of other families accept an option only if they name it too."""
    decisions: frozenset[str] = frozenset()
    """The names that the option `decisions` may have for its logs."""
    record_files: frozenset[str] = frozenset()
    """Options for files that are needed to read records, and not only to read changes."""
    control: ControlFiles | None = None
    """Control files, if its logs have any."""
    description_endings: tuple[str, ...] = ()
    """Endings, in lower case, of names of other files that describe its logs; such files in folders are no logs."""
    record_plan: Callable[[Log], RecordPlan] | None = None
    """Record plan of a log; None: the plan by the spec."""
    join: (
        Callable[[Sequence[str], Options, Run | None, Checkpoint | None, list[DataError] | None], Sequence[Joined]]
        | None
    ) = None
    """The logs that several files make up, with the needs of a checkpoint. `Run` reads files in other processes. Raises
    FramingError, OptionError, ControlError. With a list, the errors of single files are added to the list, and such
    files are joined up to their damage or left out. None: each file is a log."""
    checkpoint: Callable[[Log], Checkpoint] | None = None
    """What reading the next files of a log needs, after all of the log is read. Raises FramingError for a damaged log.
    None: logs are not read extract by extract."""
    change_reader: Callable[[Log, pa.Schema | None, Sequence[Filter]], ChangeReader | None] | None = None
    """Reads changes column-wise; returns None for logs whose changes are read one by one."""
    describe: Callable[[Log], TableDescriptions] = describe
    """The described tables of a log, with their names."""
    transactions: Callable[[Log], Iterator[TransactionSummary]] | None = None
    """Yields the transactions of a log, by the engine of the options; None: logs have no transactions."""
    dissector: Callable[[Log], FileDissector] = FileDissector
    """Dissects the records of a log, including the contents of fields."""

    @property
    def spec_id(self) -> str:
        """Id of the spec of its logs."""
        return Path(self.spec).name

    def owns(self, spec_id: str) -> bool:
        """Whether a spec id belongs to the family."""
        return spec_id.startswith(f"{self.name}_")


AnyFamily = Family[Any]
