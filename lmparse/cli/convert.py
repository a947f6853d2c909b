"""`lmparse convert`: writes the records of a file, or the changes of a log, as files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lmparse.cli.arguments import Commands, add_command, add_options, add_show_errors, given_options
from lmparse.cli.messages import message, note, report_left_out, report_tally
from lmparse.errors import OptionError, not_installed
from lmparse.options import asks_for_changes
from lmparse.storage.arrow_alone import load_arrow

if TYPE_CHECKING:
    from lmparse.export.conversion import Conversion


def add(commands: Commands) -> None:
    """Add the command."""
    summary = "write the records of a file, or the changes of a log, as files"
    command = add_command(commands, "convert", run, summary)
    about = "a file of records, a log, the files of one log in any order, or a folder of them"
    command.add_argument("files", metavar="FILE", nargs="+", help=about)
    where = "for records a file name ending in .parquet, .arrow, .csv or .jsonl; for changes a folder"
    command.add_argument("out", metavar="OUT", help=where)
    command.add_argument("--format", choices=("parquet", "arrow", "csv", "jsonl"), help="form of the files of changes")
    command.add_argument("--compression", choices=("zstd", "snappy", "none"), help="default: zstd for Parquet")
    about = "text that a spreadsheet would run as a formula: with an apostrophe in front, or raw (default: quoted)"
    command.add_argument("--csv-text", choices=("quoted", "raw"), default="quoted", help=about)
    command.add_argument("--jobs", type=int, default=1, metavar="N", help="read with N processes (default: 1)")
    command.add_argument("--overwrite", action="store_true", help="replace OUT once everything is written")
    command.add_argument("--part-bytes", type=int, help=argparse.SUPPRESS)
    add_show_errors(command)
    add_options(command, "convert")


def run(parsed: argparse.Namespace) -> int:
    """Write the files, and print how much was read and written."""
    try:
        load_arrow()
        from lmparse.export.convert import convert
    except ImportError as error:
        raise not_installed(error) from None
    from lmparse.cli.writing import ShownWork

    conversion = _conversion(parsed)
    with ShownWork(parsed.show_errors, f"{parsed.out} is not written: it would not be complete") as shown:
        done = convert(conversion, shown.on_error, shown.progress)
    if shown.code:
        return shown.code
    code = report_tally(done.tally)
    report_left_out(done.left_out)
    rows = "changes" if conversion.with_changes else "records"
    seconds = f", {shown.progress.seconds:.1f} s" if shown.progress.is_shown else ""
    sizes = f"{done.rows} {rows} in {done.bytes_written} bytes, from {done.bytes_read} bytes"
    message(f"{parsed.out}: {sizes}{seconds}")
    return code


def _conversion(parsed: argparse.Namespace) -> Conversion:
    from lmparse.export.conversion import Conversion
    from lmparse.logs.beside import look_beside
    from lmparse.logs.families import check_changes, read_options
    from lmparse.logs.joining import files_without, one_log
    from lmparse.logs.open import check_control

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
    return Conversion(
        path,
        parsed.out,
        options,
        with_changes=with_changes,
        form=parsed.format,
        compression=parsed.compression,
        csv_text=parsed.csv_text,
        jobs=parsed.jobs,
        overwrite=parsed.overwrite,
        part_bytes=parsed.part_bytes,
    )
