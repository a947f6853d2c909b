"""The command `lmparse`, and `python -m lmparse`. From here on Ctrl-C ends it in one way, also while it imports."""

import sys


def main() -> int:
    """Run the command that the arguments of the program name; returns its exit code."""
    try:
        from lmparse.storage.signals import left_to_system, never_lost

        with left_to_system(), never_lost():
            from lmparse.cli import main as run

            return run()
    except KeyboardInterrupt:
        return 130  # 128 and the number of SIGINT, as shells have it


if __name__ == "__main__":
    sys.exit(main())
