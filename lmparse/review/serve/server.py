"""Server: the front-end over HTTP, for this machine and for who has the token only.

It listens on the loopback address, answers GET requests alone, and gives out nothing but the page and what the page
asks about the files that were named: no path of a request is ever opened.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lmparse.errors import OptionError
from lmparse.review.serve.live import LiveSpecs
from lmparse.review.serve.record_list import ServedFile

if TYPE_CHECKING:
    import uvicorn

LOOPBACK = "127.0.0.1"
_MOST_REQUESTS = 64
"""Most requests that are answered at a time; a browser has six."""
_IDLE_SECONDS = 30
"""Seconds after which a connection without a request is closed."""
_END_SECONDS = 2
"""Seconds for which the end of the server waits for requests that are being answered."""


class RecordServer:
    """Serves some files until it is stopped."""

    def __init__(self, files: Sequence[ServedFile], port: int = 0, live: LiveSpecs | None = None) -> None:
        """Raises OSError if the port is in use; port 0 takes any that is free. Raises OptionError LMP-S005 if what
        serves is not installed.
        """
        self.files, self.live = files, live
        self.token = secrets.token_urlsafe(24)
        self._socket = socket.create_server((LOOPBACK, port))
        self._server = self._made()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._socket.getsockname()[1])

    @property
    def address(self) -> str:
        """The address of the page, with the token."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.token}"

    def run(self) -> None:
        """Answer requests until `stop`, or until a signal ends the program. Raises KeyboardInterrupt for Ctrl-C."""
        self._server.run([self._socket])

    def stop(self) -> None:
        """End, from another thread."""
        self._server.should_exit = True

    def _made(self) -> uvicorn.Server:
        try:
            import uvicorn

            from lmparse.review.serve.requests import application
        except ImportError:
            self._socket.close()
            hint = "pip install 'lmparse[pages]'"
            raise OptionError("starlette and uvicorn are not installed", code="LMP-S005", hint=hint) from None
        config = uvicorn.Config(
            application(self.files, self.live, self.port, self.token),
            access_log=False,  # addresses have values of records
            log_level="critical",
            http="h11",
            ws="none",
            lifespan="off",
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_MOST_REQUESTS,
            timeout_keep_alive=_IDLE_SECONDS,
            timeout_graceful_shutdown=_END_SECONDS,
        )
        return uvicorn.Server(config)
