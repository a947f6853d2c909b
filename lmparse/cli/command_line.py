"""The command line: options in, JSON lines out. No format's name stands here."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import difflib
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lmparse import __version__
from lmparse.errors import (
    DataError,
    EngineDifferenceError,
    LeftoverError,
    LmparseError,
    OptionError,
    UnknownFormatError,
)
from lmparse.export.progress import Progress
from lmparse.logs.families import read_options, spec_name
from lmparse.logs.open import open_changes, open_file
from lmparse.logs.sniff import sniff
from lmparse.options import Options, asks_for_changes, camel
from lmparse.records.files import RecordFile, Tally
from lmparse.spec import catalog

GOOD, USAGE, DATA, DIFFERENCE, LEFTOVER, INTERRUPTED = 0, 2, 20, 24, 31, 130
"""Exit codes, as the manual lists them."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    parser = build_parser()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")  # JSON is UTF-8 in every locale
    try:
        parsed, unknown = parser.parse_known_args(arguments)
        if unknown:
            raise _unknown(unknown[0], parsed.flags)
        code: int = parsed.run(parsed)
        sys.stdout.flush()
        return code
    except (OptionError, UnknownFormatError) as error:
        return _say(error, USAGE)
    except LeftoverError as error:
        return _say(error, LEFTOVER)
    except EngineDifferenceError as error:
        return _say(error, DIFFERENCE)
    except LmparseError as error:
        return _say(error, DATA)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; what Python would flush at exit has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        return _say(OptionError(f"{error.filename or 'standard output'}: {error.strerror}"), USAGE)


def _unknown(given: str, flags: list[str]) -> OptionError:
    """The error of an argument that no command takes, with the option nearest to it."""
    near = difflib.get_close_matches(given.split("=")[0], flags, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "see --help"
    return OptionError(f"there is no option {given!r}; {hint}", code="LMP-S002", hint=hint)


def build_parser() -> argparse.ArgumentParser:
    """The commands with their options; those of records and changes come from Options."""
    parser = argparse.ArgumentParser(prog="lmparse", description="Read database change logs.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"lmparse {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    formats = _command(commands, "formats", _formats, "list the specs, or the fields of one")
    formats.add_argument("spec", nargs="?", help="spec id, for its fields")
    formats.add_argument("--json", action="store_true", help="one JSON object")

    sniffed = _command(commands, "sniff", _sniff, "say what a file is, with proof, and the options that read it")
    sniffed.add_argument("files", nargs="+", metavar="FILE")
    sniffed.add_argument("--json", action="store_true", help="one JSON object a file")

    records = _command(commands, "records", _records, "print the records of a file, one JSON object each")
    records.add_argument("file", metavar="FILE")
    _add_options(records, "records")

    changes = _command(commands, "changes", _changes, "print the changes of a log, one JSON object each")
    changes.add_argument("file", metavar="FILE")
    _add_options(changes, "changes")

    convert = _command(commands, "convert", _convert, "write the records of a file, or the changes of a log, as files")
    convert.add_argument("file", metavar="FILE")
    convert.add_argument("out", metavar="OUT", help="for records a name in .parquet, .arrow, .csv or .jsonl; "
                         "for changes a folder")  # fmt: skip
    convert.add_argument("--format", choices=("parquet", "arrow", "csv", "jsonl"), help="of the files of changes")
    convert.add_argument("--compression", choices=("zstd", "snappy", "none"), help="default: zstd for Parquet")
    convert.add_argument("--jobs", type=int, default=1, metavar="N", help="read with so many processes (default: 1)")
    convert.add_argument("--overwrite", action="store_true", help="replace OUT, once all is written")
    convert.add_argument("--part-bytes", type=int, help=argparse.SUPPRESS)
    _add_options(convert, "convert")

    plan = _command(commands, "plan", _plan, "say which columns of a spec are read by the column, and why not")
    plan.add_argument("spec", metavar="SPEC", help="spec id, or the path of a spec built elsewhere")
    plan.add_argument("--columns", help="only these, comma separated")
    plan.add_argument("--control", help="control file of a logical log, whose header it describes")
    plan.add_argument("--json", action="store_true", help="one JSON object")

    check = _command(commands, "check", _check, "account for every byte and hold the control file against the data")
    check.add_argument("file", metavar="FILE")
    check.add_argument("--report", metavar="R.json", help="write the whole report here")
    check.add_argument("--json", action="store_true", help="print the whole report")
    _add_options(check, "check")

    coverage = _command(commands, "coverage", _coverage, "say which part of the specs samples reach")
    coverage.add_argument("files", nargs="+", metavar="FILE", help="a file, or a folder with all that is in it")
    coverage.add_argument("--json", action="store_true", help="one JSON object")
    coverage.add_argument("--html", metavar="OUT", help="write the report as a page here")
    coverage.add_argument("--all", action="store_true", help="count specs of which no sample has a part, too")
    coverage.add_argument("--fail-under", type=float, metavar="P", help="exit with 24 below so many per cent")
    coverage.add_argument("--limit", type=int, metavar="N", help="read so many records of each file")
    coverage.add_argument("--overwrite", action="store_true", help="replace OUT")
    _add_options(coverage, "coverage")

    diff = _command(commands, "diff", _diff, "say what a change of specs means to those who read their data")
    state = "a .ksy file, a folder of specs, REV or REV:PATH of the git repository here, or 'installed'"
    diff.add_argument("old", metavar="OLD", help=state)
    diff.add_argument("new", metavar="NEW", help=f"likewise: {state}")
    shown = diff.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="one JSON object")
    shown.add_argument("--markdown", action="store_true", help="a table for a pull request")
    diff.add_argument(
        "--fail-on", choices=("breaking", "widening", "compatible", "doc", "none"), default="breaking",
        help="exit with 24 when a change is of this class or of a worse one (default: breaking)",
    )  # fmt: skip

    explain = _command(commands, "explain", _explain, "show one record's bytes beside its fields and what they mean")
    explain.add_argument("file", metavar="FILE")
    which = explain.add_mutually_exclusive_group()
    which.add_argument("--record", metavar="N", help="number of the record, from 0 (default: 0)")
    which.add_argument("--offset", metavar="X", help="any byte of the file that belongs to it, as 696 or 0x2b8")
    which.add_argument("--lsn", metavar="L", help="its place in the log, in hex")
    explain.add_argument("--json", action="store_true", help="one JSON object")
    explain.add_argument("--html", metavar="OUT", help="write a page here that shows bytes and fields side by side")
    explain.add_argument("--overwrite", action="store_true", help="replace OUT")
    _add_options(explain, "explain")

    docs = _command(commands, "docs", _docs, "write the pages on which the specs are reviewed, as a folder")
    docs.add_argument("out", metavar="OUTDIR", help="folder for the pages; they open from a disk")
    docs.add_argument("--samples", action="append", default=[], metavar="PATH", help="a log, a folder of logs, or a "
                      "folder of cases, whose values the pages show; may be repeated (default: made ones)")  # fmt: skip
    docs.add_argument("--specs", metavar="DIR", help="show the specs in this folder, which build.py made")
    docs.add_argument("--overwrite", action="store_true", help="replace pages that lmparse wrote there")

    demo = _command(commands, "demo", _demo, "make a small synthetic log and read it every way")
    demo.add_argument("--out", default="demo", metavar="DIR", help="folder for everything made (default: demo)")
    demo.add_argument("--no-spark", action="store_true", help="leave Spark out")
    for command in commands.choices.values():
        command.set_defaults(flags=[flag for flag in command._option_string_actions if flag.startswith("--")])
    return parser


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], summary: str
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=summary[0].upper() + summary[1:] + ".", allow_abbrev=False
    )
    command.set_defaults(run=run)
    return command


def _add_options(command: argparse.ArgumentParser, name: str) -> None:
    for entry in dataclasses.fields(Options):
        meta = entry.metadata
        if name not in meta["of"].split():
            continue
        flag = "--" + entry.name.replace("_", "-")
        doc = meta["doc"]
        if meta["values"] and meta["kind"] is not tuple:
            doc += f" ({', '.join(meta['values'])}; default: {entry.default})"
        elif meta["values"]:
            doc += f" ({', '.join(meta['values'])})"
        given: dict[str, Any] = {"dest": entry.name, "default": None, "help": doc}
        if meta["kind"] is bool:
            # `--header` alone says true; `--trim false` is how Spark says it too.
            given |= {"nargs": "?", "const": "true", "metavar": "true|false"}
        command.add_argument(flag, **given)


def _given(parsed: argparse.Namespace) -> dict[str, Any]:
    names = [entry.name for entry in dataclasses.fields(Options)]
    return {name: value for name in names if (value := getattr(parsed, name, None)) is not None}


def _options(parsed: argparse.Namespace) -> Options:
    return read_options(_given(parsed))


def _formats(parsed: argparse.Namespace) -> int:
    if parsed.spec is not None:
        return _format(parsed.spec, parsed.json)
    specs = [catalog.load(name) for name in catalog.spec_ids()]
    if parsed.json:
        _print({spec.id: {"title": spec.layout.title, "sha256": spec.layout.sha256} for spec in specs})
        return GOOD
    width = max(len(spec.id) for spec in specs)
    for spec in specs:
        print(f"{spec.id:{width}}  {spec.layout.title}")
    return GOOD


def _format(name: str, as_json: bool) -> int:
    spec = catalog.load(spec_name(name))
    if as_json:
        _print(
            {
                "spec": spec.id,
                "title": spec.layout.title,
                "fields": [dataclasses.asdict(entry) for entry in spec.layout],
            }
        )
        return GOOD
    print(f"{spec.id}: {spec.layout.title}\n")
    for entry in spec.layout:
        place = "" if entry.offset is None else str(entry.offset)
        size = "" if entry.width is None else str(entry.width)
        print(f"{place:>6} {size:>5}  {entry.id:24} {entry.orig_id or '':20} {entry.kind:12} {entry.status}")
    return GOOD


def _sniff(parsed: argparse.Namespace) -> int:
    code = GOOD
    for path in parsed.files:
        try:
            found = sniff(path)
        except DataError as error:
            if parsed.json:
                _print({"file": path, "kind": None, "error": error.to_dict()})
            code = _say(error, DATA)
            continue
        if parsed.json:
            _print(found.to_dict())
            continue
        sure = "" if found.trial.is_proven else ", but it is damaged"
        print(f"{path}: {found.kind} ({found.spec}), framing {found.trial.framing.name}{sure}")
        for index, offset, length in found.records:
            print(f"  record {index} at {offset:#x}, {length} bytes")
        if found.trial.fault is not None:
            print(f"  {found.trial.fault}")
        shown = found.options.items()
        print("  shell  " + " ".join(f"--{name.replace('_', '-')} {value}" for name, value in shown))
        print("  Spark  " + "".join(f'.option("{camel(name)}", "{value}")' for name, value in shown))
    return code


def _records(parsed: argparse.Namespace) -> int:
    file = open_file(parsed.file, _options(parsed), on_error=_report)
    return _print_all(file, file.records())


def _changes(parsed: argparse.Namespace) -> int:
    log = open_changes(parsed.file, _options(parsed), on_error=_report)
    code = _print_all(log, log.changes())
    _tell_left_out(log.left_out)
    return code


def _print_all(file: RecordFile, rows: Iterator[dict[str, Any]]) -> int:
    code = GOOD
    try:
        for row in rows:
            _print(row)
    except LeftoverError as error:
        code = _say(error, LEFTOVER)
    except DataError as error:
        code = _say(error, DATA)
    return _tell(file.tally, code)


def _tell(tally: Tally, code: int = GOOD) -> int:
    for notice in tally.notices:
        _message(f"note: {notice}")
    if tally.dropped:
        _message(f"bad records without a row: {tally.dropped}")
    return DATA if tally.error_count else code


def _tell_left_out(left_out: Mapping[str, int]) -> None:
    for state, count in sorted(left_out.items()):
        _message(f"left out: {count} {state}")


def _convert(parsed: argparse.Namespace) -> int:
    try:
        from lmparse.export.conversion import Conversion
        from lmparse.export.convert import convert
    except ImportError as error:
        raise _not_installed(error) from None
    given = _given(parsed)
    is_changes = asks_for_changes({"spec", *given})  # without a spec, records are those of the default one
    asked = Conversion(
        parsed.file, parsed.out, read_options(given), is_changes, parsed.format, parsed.compression, parsed.jobs,
        __version__, parsed.overwrite, parsed.part_bytes,
    )  # fmt: skip
    progress = Progress(sys.stderr)

    def report(error: DataError) -> None:
        progress.clear()
        _report(error)

    try:
        done = convert(asked, report, progress)
    except DataError as error:
        code = _say(error, LEFTOVER if isinstance(error, LeftoverError) else DATA)
        _message(f"{parsed.out} is not written: it would not be whole")
        return code
    finally:
        progress.clear()
    code = _tell(done.tally)
    _tell_left_out(done.left_out)
    _message(
        f"{parsed.out}: {done.rows} {'changes' if is_changes else 'records'} in {done.bytes_written} bytes, "
        f"from {done.bytes_read} bytes" + (f", {progress.seconds:.1f} s" if progress.is_shown else "")
    )
    return code


def _plan(parsed: argparse.Namespace) -> int:
    try:
        from lmparse.logs.plan import planned
    except ImportError as error:
        raise _not_installed(error) from None
    found = planned(parsed.spec, _options(parsed).columns, parsed.control)
    if parsed.json:
        _print(found.to_dict())
    else:
        print("\n".join(found.lines()))
    return GOOD


def _check(parsed: argparse.Namespace) -> int:
    from lmparse.logs.check import account

    options = _options(parsed)
    if parsed.report and os.path.realpath(parsed.report) in map(os.path.realpath, (parsed.file, options.control or "")):
        raise OptionError("the report would overwrite what is checked", hint="name another file")
    report = account(parsed.file, options)
    if parsed.report:
        with open(parsed.report, "w", encoding="utf-8") as out:
            json.dump(report.to_dict(), out, indent=2)
            out.write("\n")
    if parsed.json:
        _print(report.to_dict())
    else:
        print("\n".join(report.lines()))
    for error in report.errors:
        _report(error)
    if report.error_count:
        return DATA
    return DIFFERENCE if report.differences else GOOD


def _coverage(parsed: argparse.Namespace) -> int:
    from lmparse.review.coverage.files import collect
    from lmparse.review.coverage.reports import report_of
    from lmparse.storage.atomic_output import check_place, write_text

    if parsed.fail_under is not None and not 0 <= parsed.fail_under <= 100:
        raise OptionError(f"--fail-under has no value {parsed.fail_under:g}", hint="a number from 0 to 100")
    if parsed.limit is not None and parsed.limit < 1:
        raise OptionError(f"--limit has no value {parsed.limit}", hint="a whole number above zero")
    if parsed.html:
        read = [parsed.control, parsed.tables]
        place = check_place(parsed.html, filter(None, read), is_folder=False, overwrite=parsed.overwrite)
    elif parsed.overwrite:
        raise OptionError("--overwrite is for a page", hint="give --html too")
    samples = collect(parsed.files, _given(parsed), limit=parsed.limit)
    if parsed.html:  # which files of a folder are read is known now
        files = [file.path for file in samples.files]
        check_place(parsed.html, files, is_folder=False, overwrite=parsed.overwrite)
    report = report_of(samples, with_unreached=parsed.all)
    if parsed.html:
        write_text(report.page(), place, overwrite=parsed.overwrite)
    if parsed.json:
        _print(report.to_dict())
    else:
        print("\n".join(report.lines()))
    code = GOOD
    for error in samples.faults:
        code = _say(error, LEFTOVER if isinstance(error, LeftoverError) and code != DATA else DATA)
    if code == GOOD and parsed.fail_under is not None and report.share.is_below(parsed.fail_under):
        _message(f"coverage {report.share.percent} % is below {parsed.fail_under:g} %")
        return DIFFERENCE
    return code


def _not_installed(error: ImportError) -> OptionError:
    return OptionError(f"{error.name} is not installed", code="LMP-S005", hint="pip install 'lmparse[arrow]'")


def _diff(parsed: argparse.Namespace) -> int:
    from lmparse.review.diff import reports
    from lmparse.review.diff.compare import compare
    from lmparse.spec.ksy import read_specs

    found = compare(read_specs(parsed.old), read_specs(parsed.new))
    if parsed.json:
        _print(reports.to_dict(found))
    else:
        print("\n".join(reports.markdown(found) if parsed.markdown else reports.lines(found)))
    return DIFFERENCE if parsed.fail_on != "none" and found.reaches(parsed.fail_on) else GOOD


def _explain(parsed: argparse.Namespace) -> int:
    from lmparse.review.explain.search import explain
    from lmparse.storage.atomic_output import check_place, write_text

    if parsed.html:
        read = [parsed.file, parsed.control, parsed.tables]
        place = check_place(parsed.html, filter(None, read), is_folder=False, overwrite=parsed.overwrite)
    elif parsed.overwrite:
        raise OptionError("--overwrite is for a page", hint="give --html too")
    found = explain(parsed.file, parsed.record, offset=parsed.offset, lsn=parsed.lsn, **_given(parsed))
    if parsed.html:
        write_text(found.html(), place, overwrite=parsed.overwrite)
    if parsed.json:
        _print(found.to_dict())
    elif not parsed.html:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        print("\n".join(found.lines(shutil.get_terminal_size().columns, colour)))
    for error in found.faults:
        _report(error)
    if not found.faults:
        return GOOD
    return LEFTOVER if isinstance(found.fault, LeftoverError) else DATA


def _docs(parsed: argparse.Namespace) -> int:
    from lmparse.review.docs.site import write_site
    from lmparse.samples.folder import sample_logs

    with contextlib.ExitStack() as stack:
        samples = parsed.samples or [str(stack.enter_context(sample_logs()))]
        done = write_site(parsed.out, samples=samples, specs=parsed.specs, overwrite=parsed.overwrite)
    for error in done.samples.faults:
        _report(error)
    _message(f"{parsed.out}: {done.specs} specs in {done.files} files, with {len(done.samples.files)} samples")
    return DATA if done.samples.faults else GOOD


def _demo(parsed: argparse.Namespace) -> int:
    from lmparse.cli.demo import run

    return run(parsed.out, with_spark=not parsed.no_spark)


def _print(row: Any) -> None:
    sys.stdout.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def _report(error: DataError) -> None:
    _say(error, DATA)


def _say(error: LmparseError, code: int) -> int:
    _message(str(error))
    if error.hint and error.hint not in error.message:
        _message(f"  hint: {error.hint}")
    return code


def _message(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
