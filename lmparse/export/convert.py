"""Convert: writes the records of a file as one file, or the changes of a log as a folder of files.

Nothing is at the output path until all of the output is written.
"""

from __future__ import annotations

from pathlib import Path

from lmparse.errors import OptionError
from lmparse.export import writers
from lmparse.export.change_folder import ChangeFolderRun
from lmparse.export.conversion import Conversion, OnError, Summary
from lmparse.export.progress import Progress
from lmparse.export.record_file import RecordFileRun
from lmparse.storage import addresses
from lmparse.storage.atomic_output import AtomicOutput, check_place, ended_by_signals


def convert(asked: Conversion, on_error: OnError, progress: Progress) -> Summary:
    """Run a conversion. Bad records and values are passed to `on_error`, unless the mode is failfast.

    Raises OptionError before anything is read, FramingError where the file is damaged, EngineDifferenceError for
    engine check; no output is left then.
    """
    if asked.jobs < 1:
        raise OptionError("jobs is a number of processes, at least 1")
    if addresses.is_remote(asked.out):
        raise OptionError(f"{asked.out}: files are written to local folders only", hint="copy it from there")
    form = asked.form_of_output()
    compression = writers.check_compression(form, asked.compression)
    is_folder, overwrite = asked.with_changes, asked.overwrite
    place = check_place(
        Path(asked.out), asked.sources(), is_folder=is_folder, overwrite=overwrite, mark=writers.MANIFEST
    )
    kind = ChangeFolderRun if asked.with_changes else RecordFileRun
    run = kind(asked, form, compression, on_error, progress)
    try:
        with ended_by_signals(), AtomicOutput(place, overwrite=overwrite) as work:
            summary = run.write(work)
            work.finish()
    except OSError as error:
        # An input that cannot be read raises DataError, so this is about the output: a full disk, for instance.
        raise OptionError(f"{asked.out}: cannot be written: {error.strerror or error}") from error
    return summary
