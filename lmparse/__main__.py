"""The command `lmparse`, and `python -m lmparse`. From here on Ctrl-C ends it in one way, also while it imports."""

import sys

_INTERRUPTED = 130
"""Exit code: 128 and the number of SIGINT, as shells have it."""


def main() -> int:
    """Run the command that the arguments of the program name; returns its exit code."""
    try:
        from lmparse.storage.signals import left_to_system, never_lost

        with left_to_system(), never_lost():
            from lmparse.cli import main as run

            return run()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:
        match _made_of(error):
            case KeyboardInterrupt():
                return _INTERRUPTED
            case SystemExit() as ended:
                raise ended from None
        raise


def _made_of(error: BaseException) -> BaseException:
    """What an error was made of: Python 3.11 makes RuntimeError of all that is raised while classes get fields."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


if __name__ == "__main__":
    sys.exit(main())
