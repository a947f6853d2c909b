"""`lmparse build`: makes parsers and layouts from the specs of a user, in the wheel as in the checkout."""

from __future__ import annotations

import argparse


def run(parsed: argparse.Namespace) -> int:
    """Run one command of the build step."""
    from lmparse.spec.build import commands

    parsed.usual_out = None
    return commands.run(parsed, "lmparse build")
