"""`lmparse sample`: writes a synthetic log, or records of any spec, into a folder."""

from __future__ import annotations

import argparse
import json
import shlex

from lmparse.cli.messages import GOOD, message, print_lines
from lmparse.options import positive

_LIST = ".sample.json"
"""Lists the files of the folder; a file of such a name is not taken for a log."""


def run(parsed: argparse.Namespace) -> int:
    """Write the files, and print the command that reads them."""
    from lmparse.samples.damage import check_kinds, damage
    from lmparse.samples.logs import SampleRequest, write_sample
    from lmparse.storage.outputs import atomic_output, check_place, inputs_of, lists_itself, put_on_disk

    asked = SampleRequest(
        parsed.kind, positive("rows", parsed.rows), parsed.seed, parsed.tables, parsed.code_page, parsed.framing
    )
    kinds = tuple((parsed.damage or "").split(",")) if parsed.damage else ()
    check_kinds(kinds)
    place = check_place(
        parsed.out, inputs_of([parsed.tables]), is_folder=True, overwrite=parsed.overwrite,
        foreign=lists_itself(_LIST, lambda listed: listed["files"]),
    )  # fmt: skip
    with atomic_output(place) as work:
        work.made.mkdir()
        written = write_sample(work.made, asked)
        said = damage(written.records, kinds) if kinds else []
        sizes = {name: (work.made / name).stat().st_size for name in written.files}
        for name in sizes:
            put_on_disk(work.made / name)
        (work.made / _LIST).write_text(json.dumps({"files": written.files, "damage": kinds}) + "\n")
        work.finish()
    for name, size in sizes.items():
        message(f"{place.shown}/{name}: {size} bytes")
    for text in said:
        message(f"damaged, {text}")
    words = [f"{place.shown}/{word}" if word in sizes else word for word in (written.files[0], *written.options)]
    print_lines([shlex.join(["lmparse", written.command, *words])])
    return GOOD
