"""Convert: writes the records of a file as one file, or the changes of a log as a folder of files.

Nothing is at the output path until all of the output is written.
"""

from __future__ import annotations

from lmparse.errors import OptionError
from lmparse.export import writers
from lmparse.export.change_folder import ChangeFolder
from lmparse.export.conversion import Conversion, OnError, Run, Summary
from lmparse.export.progress import Progress
from lmparse.export.record_file import write_records
from lmparse.logs.open import files_read
from lmparse.storage.outputs import atomic_output, check_place


def convert(asked: Conversion, on_error: OnError, progress: Progress) -> Summary:
    """Run a conversion. Bad records and values are passed to `on_error`, unless the mode is failfast.

    Raises OptionError before anything is read, FramingError where the file is damaged, ReadError if it changes while it
    is read, EngineDifferenceError for engine check; no output is left then.
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
    run = Run(asked.path, asked.options, on_error, progress)
    # An input that cannot be read raises DataError, so errors of the system are about the output: a full disk, say.
    with atomic_output(place) as work:
        if asked.with_changes:
            ChangeFolder(asked, form, compression, run).write(work)
        else:
            write_records(asked, form, compression, run, work)
        work.finish()
    return run.summary
