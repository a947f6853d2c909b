"""Terminal: text for a terminal without characters that would control the terminal.

Names, values and texts of specs come from other people's files. `Streams` puts `harmless` in front of standard output
and standard error, so all output of a command passes it.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, redirect_stderr, redirect_stdout, suppress
from types import TracebackType
from typing import Any

CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls of ASCII and of Latin 1, but tab and newline
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # controls of the direction of text
    "\u2028\u2029\ufeff\ufff9-\ufffb"  # ends of lines, marks
)
"""Characters that may control a terminal, as ranges of a regular expression."""
_CONTROL = re.compile(f"[{CONTROLS}\ud800-\udfff]")  # and surrogates, which UTF-8 lacks


def harmless(text: str) -> str:
    """A text with `\\uXXXX` in place of each character that may control a terminal.

    JSON keeps its values, because only texts in JSON have such characters.
    """
    if is_printable(text):
        return text
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def is_printable(lines: str) -> bool:
    """Whether lines of text are printable and therefore harmless."""
    return lines.replace("\n", "").isprintable()


_HALVES = re.compile("[\ud800-\udfff]")


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as harmless JSON without surrogates: bytes of a name that are not UTF-8 become `\\udcXX`."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    if text.isprintable():
        return text
    return harmless(_HALVES.sub(lambda found: f"\\\\u{ord(found[0]):04x}", text))


def one_line(text: str) -> str:
    """A text on one line, so that no part of a name or value looks like a separate line."""
    return text.replace("\n", "\\u000a")


class Harmless(io.TextIOBase):
    """A stream that writes harmless text to another stream, after a call of `before` if that is a terminal."""

    def __init__(self, stream: Any, before: Callable[[], None] | None = None) -> None:
        self.stream = stream
        self._before = before if before is not None and stream.isatty() else None

    def write(self, text: str) -> int:
        if self._before is not None:
            self._before()
        self.stream.write(harmless(text))
        return len(text)

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return bool(self.stream.isatty())

    def fileno(self) -> int:
        return int(self.stream.fileno())

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> Any:  # type: ignore[override]
        return self.stream.encoding


class _Closed(io.TextIOBase):
    """Standard output that was closed before the start."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def unchanged(stream: Any) -> Any:
    """The stream behind one of `Streams`, for code that controls the terminal on purpose."""
    return stream.stream if isinstance(stream, Harmless) else stream


class Streams(AbstractContextManager[None]):
    """Standard output and standard error that write only harmless text while the context lasts."""

    def __init__(self, before: Callable[[], None] | None = None) -> None:
        """`before` removes from a terminal what is not text, such as the progress."""
        self._stack, self._before = ExitStack(), before

    def __enter__(self) -> None:
        for descriptor in (0, 1, 2):  # open closed descriptors, so that no file gets their numbers
            try:
                os.fstat(descriptor)
            except OSError:
                os.open(os.devnull, os.O_RDWR)
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # JSON is UTF-8 in every locale
        out, err = _Closed() if sys.stdout is None else sys.stdout, io.StringIO() if sys.stderr is None else sys.stderr
        self._stack.enter_context(redirect_stdout(Harmless(out, self._before)))
        self._stack.enter_context(redirect_stderr(Harmless(err, self._before)))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def abandon(*streams: Any) -> None:
    """Discard the pending output of streams; otherwise the flush at the end of the program fails."""
    for stream in streams:
        with suppress(OSError, ValueError):
            stream.flush()
            continue
        with suppress(OSError, ValueError, AttributeError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
