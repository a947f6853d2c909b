"""Server: the front-end over HTTP, for this machine and for who has the token only.

It listens on the loopback address, answers GET requests alone, and gives out nothing but the page and what the page
asks about the files that were named: no path of a request is ever opened. A request needs the token of the printed
address, which the page keeps as a cookie, and must name this server as its host: otherwise a page of somebody else
could have its own name lead to this address, and read the answers.
"""

from __future__ import annotations

import hmac
import io
import secrets
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import BoundedSemaphore
from time import monotonic
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

from lmparse.errors import LmparseError, OptionError
from lmparse.review.browse.live import LiveSpecs
from lmparse.review.browse.page import served_page
from lmparse.review.browse.record_list import MOST_ROWS, RecordFilter
from lmparse.review.browse.served_file import ServedFile, error_row, unforeseen
from lmparse.spelling import quoted
from lmparse.terminal import json_text, one_line

LOOPBACK = "127.0.0.1"
_NAMES = (LOOPBACK, "localhost")
"""Names of the server in the header Host."""
_PATIENCE = 30
"""Seconds in which a connection must have sent a whole request, or taken a whole answer, before it is closed."""
_MOST_CONNECTIONS = 64
"""Most connections at a time, each of which takes a thread; a browser opens six."""
_HTTP_PORT = 80
"""The port that browsers leave out of the header Host."""
_MOST_DIGITS = 18
_FLAGS = {"": False, "0": False, "1": True, "true": True}
_NAMED_FIELDS = "logs of a known kind are read by the names of some fields: an edited spec must keep these"
_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; "
"""What the page may load: nothing but its own script and styles, which have the nonce, and answers of this server."""


class RecordServer(ThreadingHTTPServer):
    """Serves some files until it is closed."""

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, files: Sequence[ServedFile], port: int = 0, live: LiveSpecs | None = None) -> None:
        """Raises OSError if the port is in use; port 0 takes any that is free."""
        self.files, self.live = files, live
        self.token = secrets.token_urlsafe(24)
        self._free = BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__((LOOPBACK, port), _Handler)

    def server_bind(self) -> None:
        """Listen, without the question for the name of the address that HTTPServer asks the network."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.port

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """The address of the page, with the token."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """Name of the cookie: browsers send the cookies of one port of a machine to all of its ports."""
        return f"lmparse-{self.port}"

    @property
    def hosts(self) -> set[str]:
        """What the header Host of a request for this server has."""
        ports = [f":{self.port}", *([""] if self.port == _HTTP_PORT else [])]
        return {f"{name}{port}" for name in _NAMES for port in ports}

    def is_known(self, token: str) -> bool:
        """Whether a text is the token."""
        return hmac.compare_digest(token.encode(errors="replace"), self.token.encode())

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread of its own, or close it if there are too many."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        with suppress(OSError):
            request.setblocking(False)
            request.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer all requests of a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a connection that the browser has closed; of other errors, one line."""
        error = sys.exception()
        if not isinstance(error, OSError):
            print(one_line(f"a request failed: {type(error).__name__}: {error}"), file=sys.stderr)


class _TimedInput(io.RawIOBase):
    """What a connection sends, up to a time: a client that sends a byte now and then would hold its thread for ever."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.renew()

    def renew(self) -> None:
        """Begin to wait for a request."""
        self._end = monotonic() + _PATIENCE

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(max(self._end - monotonic(), 0.001))
        return self._connection.recv_into(buffer)


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    server: RecordServer
    server_version, sys_version = "lmparse", ""
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        """Read with the time that a request may take."""
        super().setup()
        self.rfile.close()
        self._input = _TimedInput(self.connection)
        self.rfile = io.BufferedReader(self._input)

    def handle_one_request(self) -> None:
        """Wait for a request, and answer it."""
        self._input.renew()
        super().handle_one_request()

    def do_GET(self) -> None:
        """Answer a request, if it may be answered."""
        try:
            address = urlsplit(self.path)
            self._asked = parse_qs(address.query, keep_blank_values=True, max_num_fields=32)
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        if self._has_body():
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        if not (self._is_for_this_server(address) and self._is_from_its_page() and self._has_token()):
            self._refuse(HTTPStatus.FORBIDDEN)
        elif address.path == "/":
            self._page()
        elif address.path.startswith("/api/") and address.path[5:] in _ANSWERS:
            self._answer(_ANSWERS[address.path[5:]])
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    # -- who asks -----------------------------------------------------------------------------

    def _is_for_this_server(self, address: SplitResult) -> bool:
        """Whether the header Host names this server, and so does the address, if it is a whole one as for proxies."""
        hosts = self.headers.get_all("Host") or []
        is_own = not (address.scheme or address.netloc)
        is_whole = address.scheme == "http" and address.netloc.casefold() in self.server.hosts
        return len(hosts) == 1 and hosts[0].casefold() in self.server.hosts and (is_own or is_whole)

    def _is_from_its_page(self) -> bool:
        """Whether no page of another site asks; browsers that do not say it send no cookie to such pages either."""
        return self.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")

    def _has_token(self) -> bool:
        return any(map(self.server.is_known, [*self._asked.get("token", []), *self._cookies()]))

    def _cookies(self) -> Iterator[str]:
        """The values of the cookie. Beside it are those of all servers of this machine, in any shape."""
        for header in self.headers.get_all("Cookie") or []:
            for part in header.split(";"):
                name, _, value = part.strip().partition("=")
                if name == self.server.cookie:
                    yield value

    def _has_body(self) -> bool:
        """Whether more of the request follows, which would be taken for the next one: none needs it."""
        length = self.headers.get_all("Content-Length") or ["0"]
        return "Transfer-Encoding" in self.headers or any(text.strip() != "0" for text in length)

    # -- answers ------------------------------------------------------------------------------

    def _page(self) -> None:
        if "token" in self._asked:  # the address bar, and what is copied from it, is to be without the token
            self.send_response(HTTPStatus.SEE_OTHER)
            cookie = f"{self.server.cookie}={self.server.token}; Path=/; HttpOnly; SameSite=Strict"
            self._headers({"Location": "/", "Set-Cookie": cookie, "Content-Length": "0"})
            return
        nonce = secrets.token_urlsafe(16)
        names = [file.name for file in self.server.files]
        text = served_page(names, is_live=self.server.live is not None, nonce=nonce)
        policy = f"{_POLICY}script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'"
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", text, {"Content-Security-Policy": policy})

    def _answer(self, answer: Callable[[_Handler], dict[str, Any]]) -> None:
        status = HTTPStatus.OK
        try:
            text = json_text(answer(self))
        except LmparseError as error:
            text = json_text({"error": error_row(error)})
        except Exception as error:  # a parser of an edited spec, and what reads its records, may raise anything
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            hint = _NAMED_FIELDS if self.server.live is not None else None
            text = json_text({"error": error_row(unforeseen(error, hint))})
        self._send(status, "application/json", text, {})

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse a request that is not one, or that asks for more than to read."""
        self._refuse(HTTPStatus(code))

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True
        self._send(status, "text/plain; charset=utf-8", f"{status.value} {status.phrase}\n", {})

    def _send(self, status: HTTPStatus, kind: str, text: str, more: dict[str, str]) -> None:
        raw = text.encode()
        self.connection.settimeout(_PATIENCE)
        self.send_response(status)
        ending = {"Connection": "close"} if self.close_connection else {}
        self._headers({"Content-Type": kind, "Content-Length": str(len(raw)), **ending, **more})
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _headers(self, own: dict[str, str]) -> None:
        always = {
            "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY",
        }  # fmt: skip
        for name, value in (always | own).items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: their addresses have values of records."""

    # -- what is asked for ----------------------------------------------------------------------

    @property
    def file(self) -> ServedFile:
        """The file that a request is about."""
        number = self.number("file", 0)
        if number >= len(self.server.files):
            raise OptionError(f"there is no file {number}")
        return self.server.files[number]

    def text(self, name: str) -> str:
        """A text of the request; empty without one."""
        return self._asked.get(name, [""])[-1]

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number of the request. Raises OptionError."""
        text = self.text(name)
        if not text and default is not None:
            return default
        if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
            raise OptionError(f"{name} has no value {quoted(text)}", hint="a whole number from 0")
        return int(text)

    def flag(self, name: str) -> bool:
        """Whether the request says yes to a question. Raises OptionError."""
        text = self.text(name)
        if text not in _FLAGS:
            raise OptionError(f"{name} has no value {quoted(text)}", hint="0 or 1")
        return _FLAGS[text]

    @property
    def place(self) -> dict[str, int]:
        """The record that a request is about, by its number or an offset."""
        return {name: self.number(key) for name, key in (("number", "record"), ("offset", "offset")) if self.text(key)}


def _about(asked: _Handler) -> dict[str, Any]:
    if asked.flag("again"):
        asked.file.reopen()
    return asked.file.about()


def _listed(asked: _Handler) -> dict[str, Any]:
    wanted = RecordFilter(asked.text("type"), asked.text("table"), asked.text("value"), asked.flag("damaged"))
    return asked.file.listed(asked.number("first", 0), asked.number("count", MOST_ROWS), wanted)


def _found(asked: _Handler) -> dict[str, Any]:
    if asked.text("hex"):
        return asked.file.found(asked.number("first", 0), hexes=asked.text("hex"))
    return asked.file.found(asked.number("first", 0), text=asked.text("text"))


def _record(asked: _Handler) -> dict[str, Any]:
    return asked.file.record(**asked.place, is_whole=asked.flag("whole"))


def _inspected(asked: _Handler) -> dict[str, Any]:
    return asked.file.inspected(asked.number("section"), asked.number("start"), asked.number("length"), **asked.place)


def _state(asked: _Handler) -> dict[str, Any]:
    live = asked.server.live
    return {"generation": 0, "problems": []} if live is None else live.state()


_ANSWERS: dict[str, Callable[[_Handler], dict[str, Any]]] = {
    "file": _about, "list": _listed, "find": _found, "record": _record, "inspect": _inspected, "state": _state,
}  # fmt: skip
