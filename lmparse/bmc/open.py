"""Opening: a data file with its control file, as a log of its own or as one extract of a log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lmparse.bmc import change_record
from lmparse.bmc.control_file import read_control
from lmparse.bmc.control_search import find_control
from lmparse.bmc.headers import Header
from lmparse.bmc.interpretation import LogSettings
from lmparse.bmc.log import LogicalLog
from lmparse.options import Options
from lmparse.records.files import OnError
from lmparse.records.settings import Decision, FileSettings, find_file
from lmparse.spec import catalog
from lmparse.values import codepages


def open_logical_log(
    path: str | Path, options: Options, *, settings: FileSettings | None = None, on_error: OnError = None,
) -> LogicalLog:  # fmt: skip
    """Open a data file with its control file: those of the extract that `settings` are of, if they are of one.

    Raises ControlError, FramingError, OptionError.
    """
    own = None if settings is None else settings.own
    if isinstance(own, LogSettings) and own.extract is not None:
        path, options = own.extract.path, replace(options, control=own.extract.control)
    control = None
    if options.control is not None:
        page = codepages.lookup(options.code_page) if options.code_page else None
        place = find_control(str(path), options.control, options.bounds)
        control = read_control(place, framing=options.control_framing, code_page=page, limits=options.bounds)
    header = Header.of(catalog.load(options.spec), control)
    places = () if header.is_table else (header.places, header.width)
    named = control.code_page if control is not None and options.code_page is None else None
    found = find_file(
        path, options, settings, change_record.detection(*places), page=named, may_be_empty=control is not None
    )
    evidence = "XTYP names it" if named else "option" if options.code_page else "nothing names one; the default"
    said = Decision("code page", found.reader.code_page.name, evidence)
    found = replace(found, decisions=(said, *found.decisions), own=own)
    return LogicalLog(path, options, found, control, header, on_error=on_error)
