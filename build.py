"""Build everything that follows from the specs; `lmparse build` is the same for those who have no checkout.

python build.py               the same as `generate`
python build.py generate      compile formats/ into generated/
python build.py --check       do the same aside, compare, fail on any difference
python build.py lint          report what is wrong in the specs, without the compiler
python build.py new acme_log  begin a spec: a skeleton with a good and a bad case
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from lmparse.cli.command_line import add_arguments, command_table
from lmparse.cli.messages import exit_code
from lmparse.errors import OptionError
from lmparse.spec.build import commands
from lmparse.spec.build.specs import FORMATS, GENERATED


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns 0, or 1 when something is wrong."""
    parser = argparse.ArgumentParser(description="Build everything that follows from the specs.", allow_abbrev=False)
    add_arguments(parser, command_table()["build"]["arguments"])
    parser.set_defaults(formats=FORMATS, usual_out=GENERATED)

    def run() -> int:
        try:
            return commands.run(parser.parse_args(arguments), "python build.py")
        except OptionError as error:
            parser.error(error.message)

    return exit_code(run)


if __name__ == "__main__":
    sys.exit(main())
