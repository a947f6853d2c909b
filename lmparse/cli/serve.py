"""`lmparse serve`: looks around in the records of files, in a browser on this machine."""

from __future__ import annotations

import argparse
from pathlib import Path

from lmparse.cli.arguments import given_options, options_of
from lmparse.cli.messages import GOOD, note
from lmparse.errors import OptionError
from lmparse.spelling import quoted


def run(parsed: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from lmparse.review.serve.live import LiveSpecs, spec_file
    from lmparse.review.serve.record_list import ServedFile
    from lmparse.review.serve.server import RecordServer
    from lmparse.review.templating import check_installed
    from lmparse.storage.addresses import local_path
    from lmparse.storage.interrupts import ended_by_signals

    port = _port(parsed.port)
    options_of(parsed)
    given = given_options(parsed)
    check_installed()
    files = [ServedFile(name, None if parsed.specs else given) for name in parsed.files]
    live: LiveSpecs | None = None
    with ended_by_signals():  # what was built is removed
        try:
            if parsed.specs:
                spec = given.get("spec")
                if spec is not None and Path(spec).name != spec:
                    raise OptionError(f"--specs builds the spec, so --spec is its id, not a path: {spec}")
                live = LiveSpecs(spec_file(Path(local_path(parsed.specs)), spec), files, given)
                live.start()
            else:
                files[0].records()  # a file that cannot be read at all is an error of the command, as everywhere
            try:
                server = RecordServer(files, port, live)
            except OSError as error:
                hint = "--port 0 takes one that is free"
                raise OptionError(f"port {port} cannot be used: {error.strerror}", hint=hint) from None
            print(server.address, flush=True)
            note("the address has a token: who knows it can read the files until Ctrl-C ends this")
            server.run()
            return GOOD
        except KeyboardInterrupt:
            return GOOD
        finally:
            if live is not None:
                live.close()


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) < 1 << 16):
        hint = "a number from 0 to 65535; 0 takes one that is free"
        raise OptionError(f"--port has no value {quoted(text)}", hint=hint)
    return int(text)
