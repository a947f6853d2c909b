"""`lmparse ledger`: keeps the files of logs in a ledger, and reports what is missing between them."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from lmparse.cli.arguments import Commands, add_command, add_options, finish, given_options
from lmparse.cli.messages import DIFFERENCE, GOOD, message, print_json, print_lines

if TYPE_CHECKING:
    from lmparse.logs.ledger import LedgerNews
    from lmparse.logs.ledger_status import FileStatus, LedgerStatus, NeededFiles, StreamStatus


def add(commands: Commands) -> None:
    """Add the command with its three uses."""
    command = add_command(commands, "ledger", run_add, "keep the files of logs, and report gaps, overlaps and copies")
    uses = command.add_subparsers(required=True, metavar="USE")
    adding = _use(uses, "add", run_add, "add files to a ledger; all of them, or none")
    adding.add_argument("files", metavar="FILE", nargs="+", help="logs, or folders and patterns of logs")
    about = "let a file that is in the ledger with other bytes, or under another path, take the place of that one"
    adding.add_argument("--replace", action="store_true", help=about)
    add_options(adding, "ledger")
    status = _use(uses, "status", run_status, "report gaps and overlaps of the files in a ledger, without reading them")
    about = "checkpoint of lmparse changes: tell which files it still needs"
    status.add_argument("--checkpoint", metavar="FILE", help=about)
    verify = _use(uses, "verify", run_verify, "read the files of a ledger again, and report changed and missing ones")
    verify.add_argument("files", metavar="FILE", nargs="*", help="files of the ledger; default: all")
    finish(uses)


def _use(uses: Commands, name: str, run: Callable[[argparse.Namespace], int], summary: str) -> argparse.ArgumentParser:
    use = add_command(uses, name, run, summary)
    use.add_argument("ledger", metavar="LEDGER", help="file of the ledger")
    use.add_argument("--json", action="store_true", help="one JSON object" + " a file" * (name != "status"))
    return use


def run_add(parsed: argparse.Namespace) -> int:
    """Add files, and print what came of each."""
    from lmparse.logs.ledger import add

    found = add(parsed.ledger, parsed.files, given_options(parsed), replaces=parsed.replace)
    is_bad = any(one.is_bad for one in found)
    _print_news(found, parsed, only_bad=False)
    if is_bad:
        message("nothing was added; --replace lets these files take the place of what the ledger has")
    return DIFFERENCE if is_bad else GOOD


def run_verify(parsed: argparse.Namespace) -> int:
    """Print the files that are not as they were, and how many there are."""
    from lmparse.logs.ledger import verify

    counts = _print_news(verify(parsed.ledger, parsed.files), parsed, only_bad=True)
    if not parsed.json:
        said = ", ".join(f"{count} {state}" for state, count in counts.items())
        print_lines([f"files: {said}" if counts else "the ledger has no files"])
    return GOOD if set(counts) <= {"same"} else DIFFERENCE


def _print_news(news: Iterable[LedgerNews], parsed: argparse.Namespace, *, only_bad: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for one in news:
        counts[one.state] += 1
        if parsed.json:
            print_json(one.to_dict())
        elif one.is_bad or not only_bad:
            print_lines([one.text])
    return counts


def run_status(parsed: argparse.Namespace) -> int:
    """Print the files of each stream in order, with what is missing between them."""
    from lmparse.logs.ledger_status import status

    found = status(parsed.ledger, parsed.checkpoint)
    if parsed.json:
        print_json(found.to_dict())
    else:
        print_lines(_lines(found))
    return DIFFERENCE if found.is_bad else GOOD


def _lines(found: LedgerStatus) -> Iterator[str]:
    given = {entry.id: entry.given for entry in found.entries}
    if not found.entries:
        yield "the ledger has no files"
    for stream in found.streams:
        yield from _stream_lines(stream)
    for entry in found.empty:
        yield f"{entry.given}: no record"
    for copy in found.copies:
        yield f"{copy.given}: a copy of {given[copy.file]}"
    if found.checkpoint is not None:
        yield from _checkpoint_lines(found.checkpoint)


def _stream_lines(stream: StreamStatus) -> Iterator[str]:
    files = stream.files
    counts = {
        "with a gap": sum(file.has_gap for file in files),
        "in front of which a gap cannot be told": sum(bool(file.untold) for file in files),
        "with an overlap": sum(file.file.overlaps for file in files),
        "with other records where it overlaps": sum(file.differs for file in files),
    }
    said = [f"{len(files)} {'file' if len(files) == 1 else 'files'}"]
    said += [f"{count} {what}" for what, count in counts.items() if count]
    yield f"{' '.join(filter(None, stream.key[:2]))}, {stream.key[2]}: {', '.join(said)}"
    for file in files:
        yield from _file_lines(file)


def _file_lines(file: FileStatus) -> Iterator[str]:
    entry, own, before = file.file.entry, file.file.range, file.file.before
    if file.missing:
        yield f"    GAP: {file.missing} bytes of the log are missing in front of the next file"
    if file.untold:
        yield f"    whether something is missing here cannot be told: {file.untold}"
    yield f"  {own.first} to {own.last}  records {own.records}  {entry.given}"
    if file.missing_inside:
        yield f"    GAP: bytes of the log are missing inside this file, at {file.missing_inside} places"
    if file.file.overlaps and before is not None:
        yield f"    {_overlap(file, before.given)}"


def _overlap(file: FileStatus, before: str) -> str:
    found, records = file.overlap, file.file.range.records
    if found is None or found.untested is not None:
        why = "they have not been compared" if found is None else found.untested
        return f"overlaps {before}; whether they differ cannot be told: {why}"
    if found.difference is not None:
        return f"DIFFERS from {before} where they overlap: {found.difference}"
    which = "all of its" if found.records == records else f"its first {found.records}"
    return f"{which} records are in {before} too, and are the same"


def _checkpoint_lines(found: NeededFiles) -> Iterator[str]:
    if found.oldest is None:
        yield "the checkpoint needs none of these files"
    else:
        yield f"oldest file still needed: {found.oldest.given}"
    yield f"needed, or not read yet: {len(found.needed)}; may be archived: {len(found.done)}"
    for entry in found.done:
        yield f"  may be archived: {entry.given}"
    for path in found.unlisted:
        yield f"  MISSING: the checkpoint needs {path}, which is not in the ledger"
