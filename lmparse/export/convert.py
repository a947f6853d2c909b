"""Convert: writes the records of a file to one file, or the changes of a log to a folder of files.

Nothing is at the output path until the output is complete.
"""

from __future__ import annotations

from lmparse.errors import OptionError
from lmparse.export import writers
from lmparse.export.change_folder import ChangeFolder
from lmparse.export.conversion import Conversion, OnError, Run, Summary
from lmparse.export.record_file import write_records
from lmparse.logs.open import files_read
from lmparse.storage.outputs import atomic_output, check_place


def convert(asked: Conversion, on_error: OnError) -> Summary:
    """Run a conversion. `on_error` gets bad records and values, unless the mode is failfast.

    Raises OptionError before anything is read, FramingError for a damaged file, ReadError if the file changes while it
    is read, EngineDifferenceError for engine check; no output then remains.
    """
    if asked.jobs < 1:
        raise OptionError("jobs is a number of processes, at least 1")
    form = asked.form_of_output()
    compression = writers.check_compression(form, asked.compression)
    writers.check_csv_text(form, asked.csv_text)
    place = check_place(
        asked.out,
        files_read(asked.path, asked.options),
        is_folder=asked.with_changes,
        overwrite=asked.overwrite,
        foreign=writers.foreign_folder if asked.with_changes else writers.foreign_file(form, asked.options),
    )
    run = Run(asked.path, asked.options, on_error)
    # Unreadable inputs raise DataError, so system errors here concern the output, such as a full disk.
    with atomic_output(place) as work:
        if asked.with_changes:
            ChangeFolder(asked, form, compression, run).write(work)
        else:
            write_records(asked, form, compression, run, work)
        work.finish()
    return run.summary
