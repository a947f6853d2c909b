"""Requests: which are answered, and what the page asks for.

A request needs the token of the printed address, which the page keeps as a cookie, and must name this server as its
host: otherwise a page of somebody else could have its own name lead to this address, and read the answers.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lmparse.errors import LmparseError, OptionError
from lmparse.review.serve.comparison import compared
from lmparse.review.serve.live import LiveSpecs, error_row, unforeseen
from lmparse.review.serve.record_list import RecordFilter
from lmparse.review.serve.served_file import ServedFile
from lmparse.review.templating import render
from lmparse.spelling import quoted

_NAMES = ("127.0.0.1", "localhost")
"""Names of the server in the header Host."""
_HTTP_PORT = 80
"""The port that browsers leave out of the header Host."""
_MOST_DIGITS = 18
_FLAGS = {"": False, "0": False, "1": True, "true": True}
_NAMED_FIELDS = "logs of a known kind are read by the names of some fields: an edited spec must keep these"
_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'; frame-src 'self'; "
    "connect-src 'self'; script-src 'nonce-{0}'; style-src 'nonce-{0}'"
)
"""What a page may load: its own script and styles, which have the nonce, and pages of this server."""
_HEADERS = {
    "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "SAMEORIGIN",
}  # fmt: skip
"""Headers of every answer."""


def application(files: Sequence[ServedFile], live: LiveSpecs | None, port: int, token: str) -> Starlette:
    """What answers the requests to a port, for who has the token."""
    cookie = f"lmparse-{port}"  # browsers send the cookies of one port of a machine to all of its ports

    def answering(answer: Callable[[Asked], str]) -> Callable[[Request], Response]:
        def respond(request: Request) -> Response:
            if "token" in request.query_params:  # the address bar, and what is copied from it, is to be without it
                left = [(name, value) for name, value in request.query_params.multi_items() if name != "token"]
                moved: Response = RedirectResponse(f"{request.url.path}?{urlencode(left)}".rstrip("?"), 303)
                moved.set_cookie(cookie, token, httponly=True, samesite="strict")
                return moved
            nonce = secrets.token_urlsafe(16)
            asked = Asked(request, files, nonce)
            status = 200
            try:
                text = answer(asked)
            except LmparseError as error:
                status, text = 400, render("serve_error.html", nonce=nonce, error=error_row(error))
            except Exception as error:  # a parser of an edited spec, and what reads its records, may raise anything
                found = unforeseen(error, _NAMED_FIELDS if live is not None else None)
                status, text = 500, render("serve_error.html", nonce=nonce, error=error_row(found))
            policy = _POLICY.format(nonce)
            # The page of a record has the policy of a page in a file, in itself.
            headers = {} if answer is _record and status == 200 else {"Content-Security-Policy": policy}
            return HTMLResponse(text, status, headers)

        return respond

    def listed(asked: Asked) -> str:
        values = _listed(asked)
        return render(
            "serve.html", nonce=asked.nonce, files=[file.name for file in files], is_live=live is not None, **values
        )

    def state(_: Request) -> Response:
        return JSONResponse({"generation": 0, "problems": []} if live is None else live.state())

    routes = [Route("/state", state)]
    answers = {"/": listed, "/record": _record, "/compare": _compared}
    routes += [Route(path, answering(answer)) for path, answer in answers.items()]
    return Starlette(routes=routes, middleware=[Middleware(Guard, port=port, token=token, cookie=cookie)])


class Guard:
    """Refuses requests for other hosts, from pages of other sites, and without the token."""

    def __init__(self, app: ASGIApp, port: int, token: str, cookie: str) -> None:
        self._app, self._token, self._cookie = app, token, cookie
        ports = [f":{port}", *([""] if port == _HTTP_PORT else [])]
        self._hosts = {f"{name}{end}" for name in _NAMES for end in ports}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        if self._may_ask(HTTPConnection(scope)):
            await self._app(scope, receive, with_headers)
        else:
            await PlainTextResponse("403 Forbidden\n", 403)(scope, receive, with_headers)

    def _may_ask(self, request: HTTPConnection) -> bool:
        headers: Headers = request.headers
        hosts = headers.getlist("Host")
        is_for_this = len(hosts) == 1 and hosts[0].casefold() in self._hosts
        # Browsers that do not say which site asks send no cookie to pages of others either.
        is_own = headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
        tokens = [*request.query_params.getlist("token"), request.cookies.get(self._cookie, "")]
        return is_for_this and is_own and any(map(self._is_token, tokens))

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(errors="replace"), self._token.encode())


class Asked:
    """What a request asks for."""

    def __init__(self, request: Request, files: Sequence[ServedFile], nonce: str) -> None:
        self._given, self._files = request.query_params, files
        self.nonce = nonce
        """The word that the page of the answer has at its styles and scripts."""

    @property
    def file(self) -> ServedFile:
        """The file that it is about."""
        number = self.number("file", 0)
        if number >= len(self._files):
            raise OptionError(f"there is no file {number}")
        return self._files[number]

    def text(self, name: str) -> str:
        """A text; empty without one."""
        return self._given.get(name, "")

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number. Raises OptionError."""
        text = self.text(name)
        if not text and default is not None:
            return default
        if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
            raise OptionError(f"{name} has no value {quoted(text)}", hint="a whole number from 0")
        return int(text)

    def flag(self, name: str) -> bool:
        """Whether it says yes to a question. Raises OptionError."""
        text = self.text(name)
        if text not in _FLAGS:
            raise OptionError(f"{name} has no value {quoted(text)}", hint="0 or 1")
        return _FLAGS[text]


def _listed(asked: Asked) -> dict[str, Any]:
    """What the page with the list shows."""
    names = ("type", "table", "value")
    given = {name: asked.text(name) for name in names}
    wanted = RecordFilter(**given, is_damaged=asked.flag("damaged"))
    values: dict[str, Any] = {"file": asked.number("file", 0), "given": given, "is_damaged": wanted.is_damaged}
    values |= {"about": {"facts": [], "notes": []}, "listed": None, "error": None, "later": "", "shown": ""}
    values |= {"damage": None, "is_filtered": False}
    try:
        values["about"] = asked.file.about()
        listed = values["listed"] = asked.file.listed(asked.number("first", 0), wanted)
    except LmparseError as error:
        return values | {"error": error_row(error)}
    filters = {name: text for name, text in given.items() if text} | ({"damaged": "1"} if wanted.is_damaged else {})
    values["is_filtered"] = bool(filters)
    if listed.next is not None:
        values["later"] = urlencode({"file": values["file"], "first": listed.next, **filters})
    first = {"record": listed.rows[0].extent.index} if listed.rows else {}
    if listed.damage is not None:
        values["damage"] = error_row(listed.damage) | {"offset": listed.damage.record_offset}
    shown = {"record": asked.number("record")} if asked.text("record") else first
    values["shown"] = urlencode({"file": values["file"], **shown}) if shown else ""
    return values


def _record(asked: Asked) -> str:
    place = {name: asked.number(key) for name, key in (("number", "record"), ("offset", "offset")) if asked.text(key)}
    return asked.file.record(**place).html()


def _compared(asked: Asked) -> str:
    numbers = [asked.number("record"), asked.number("other")]
    fields = compared(*(asked.file.record(number=number) for number in numbers))
    return render("serve_compare.html", nonce=asked.nonce, numbers=numbers, fields=fields)
