"""Convert: the records of a file into one file, or the changes of a log into a folder of files.

Nothing is at the place of the output until all of it is written.
"""

from __future__ import annotations

from pathlib import Path

from lmparse.errors import OptionError
from lmparse.export import writers
from lmparse.export.change_folder import ChangeFolderRun
from lmparse.export.conversion import Conversion, Summary
from lmparse.export.progress import Progress
from lmparse.export.record_file import RecordFileRun
from lmparse.export.run import OnError
from lmparse.storage import addresses
from lmparse.storage.atomic_output import AtomicOutput, check_place, ended_by_signals


def convert(asked: Conversion, on_error: OnError, progress: Progress | None = None) -> Summary:
    """Convert. Bad records and values go to `on_error`, unless the mode is failfast.

    Raises OptionError before anything is read, FramingError where the file is damaged,
    EngineDifferenceError in engine check; then there is no output.
    """
    if asked.jobs < 1:
        raise OptionError("jobs is a number of processes, at least 1")
    if addresses.is_remote(asked.out):
        raise OptionError(f"{asked.out}: files are written to local folders only", hint="copy it from there")
    form = asked.form_of_output()
    compression = writers.check_compression(form, asked.compression)
    place = check_place(
        Path(asked.out),
        asked.sources(),
        is_folder=asked.with_changes,
        overwrite=asked.overwrite,
        mark=writers.MANIFEST,
    )
    kind = ChangeFolderRun if asked.with_changes else RecordFileRun
    run = kind(asked, form, compression, on_error, progress or Progress())
    try:
        with ended_by_signals(), AtomicOutput(place, overwrite=asked.overwrite) as work:
            summary = run.write(work)
            work.finish()
    except OSError as error:
        # A file that cannot be read is a DataError; so it is the output: a full disk, for instance.
        raise OptionError(f"{asked.out}: cannot be written: {error.strerror or error}") from error
    return summary
