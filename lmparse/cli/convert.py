"""`lmparse convert`: writes the records of a file, or the changes of a log, as files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lmparse.cli.arguments import given_options, with_arrow
from lmparse.cli.messages import ShownWork, message, note, report_tally
from lmparse.errors import OptionError
from lmparse.limits import byte_size
from lmparse.options import asks_for_changes

if TYPE_CHECKING:
    from lmparse.export.conversion import Conversion


def run(parsed: argparse.Namespace) -> int:
    """Write the files, and print how much was read and written."""
    with with_arrow():
        from lmparse.export.convert import convert

    conversion = _conversion(parsed)
    with ShownWork(parsed.show_errors, f"{parsed.out} is not written: it would not be complete") as shown:
        done = convert(conversion, shown.on_error)
    if shown.code:
        return shown.code
    code = report_tally(done.tally, left_out=done.left_out)
    rows = "changes" if conversion.with_changes else "records"
    sizes = f"{done.rows} {rows} in {done.bytes_written} bytes, from {done.bytes_read} bytes"
    message(f"{parsed.out}: {sizes}")
    return code


def _conversion(parsed: argparse.Namespace) -> Conversion:
    from lmparse.export.conversion import Conversion
    from lmparse.logs.families import check_changes, read_options
    from lmparse.logs.joining import files_without, one_log
    from lmparse.logs.open import check_control, look_beside

    given = given_options(parsed)
    options = read_options(given)
    with_changes = asks_for_changes({"spec", *given})  # without a spec, records are those of the default one
    if len(parsed.files) > 1 and not with_changes:
        raise OptionError("records are converted from one file at a time", hint=f"OUT is {parsed.out}")
    path, options = one_log(files_without(parsed.out, parsed.files), options)
    if with_changes:
        check_changes(options)
        beside = look_beside(path, options)
        check_control(path, beside)
        options = beside.options
        if beside.decision is not None:
            note(str(beside.decision))
    forms = {name: getattr(parsed, name) for name in ("compression", "csv_text", "jobs", "overwrite")}
    if parsed.part_bytes is not None:
        forms["part_bytes"] = byte_size("partBytes", parsed.part_bytes)
    return Conversion(path, parsed.out, options, with_changes=with_changes, form=parsed.format, **forms)
