"""The command `lmparse`, and `python -m lmparse`. Signals end it in one way from here on, also while it imports."""

import sys

_INTERRUPTED = 130
"""Exit code: 128 and the number of SIGINT, as shells have it."""


def main() -> int:
    """Run the command that the arguments of the program name; returns its exit code."""
    try:
        from lmparse.storage.interrupts import ended_by_signals, left_to_system

        with left_to_system(), ended_by_signals():
            from lmparse.cli import main as run

            return run()
    except KeyboardInterrupt:
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
