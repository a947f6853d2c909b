"""The command `lmparse`, and `python -m lmparse`. From here on, also during imports, signals end it in one way."""

import sys

_INTERRUPTED = 130
"""Exit code: 128 plus the number of SIGINT, as in shells."""


def main() -> int:
    """Run the command in the program's arguments; returns the exit code."""
    try:
        from lmparse.storage.interrupts import ended_by_signals, left_to_system

        with left_to_system(), ended_by_signals():
            from lmparse.cli import main as run

            return run()
    except KeyboardInterrupt:
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
