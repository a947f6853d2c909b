"""Requests: which are answered, and what the page asks for.

A request needs the token of the printed address, which the page keeps as a cookie, and must name this server as its
host: otherwise a page of somebody else could have its own name lead to this address, and read the answers.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lmparse.errors import LmparseError, OptionError
from lmparse.review.serve.live import LiveSpecs
from lmparse.review.serve.record_list import MOST_ROWS, RecordFilter
from lmparse.review.serve.served_file import ServedFile, error_row, unforeseen
from lmparse.review.templating import render
from lmparse.spelling import quoted
from lmparse.terminal import json_text

_NAMES = ("127.0.0.1", "localhost")
"""Names of the server in the header Host."""
_HTTP_PORT = 80
"""The port that browsers leave out of the header Host."""
_MOST_DIGITS = 18
_FLAGS = {"": False, "0": False, "1": True, "true": True}
_NAMED_FIELDS = "logs of a known kind are read by the names of some fields: an edited spec must keep these"
_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; "
"""What the page may load: nothing but its own script and styles, which have the nonce, and answers of this server."""
_HEADERS = {
    "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY",
}  # fmt: skip
"""Headers of every answer."""


def application(files: Sequence[ServedFile], live: LiveSpecs | None, port: int, token: str) -> Starlette:
    """What answers the requests to a port, for who has the token."""
    cookie = f"lmparse-{port}"  # browsers send the cookies of one port of a machine to all of its ports

    def page(request: Request) -> Response:
        if "token" in request.query_params:  # the address bar, and what is copied from it, is to be without the token
            answer: Response = RedirectResponse("/", status_code=303)
            answer.set_cookie(cookie, token, httponly=True, samesite="strict")
            return answer
        nonce = secrets.token_urlsafe(16)
        data = {"files": [file.name for file in files], "live": live is not None}
        # No text in the JSON may end the element that it is in.
        text = render("serve.html", data=json_text(data).replace("<", "\\u003c"), nonce=nonce)
        policy = f"{_POLICY}script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'"
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    def answering(answer: Callable[[Asked], dict[str, Any]]) -> Callable[[Request], Response]:
        def respond(request: Request) -> Response:
            status = 200
            try:
                found = answer(Asked(request, files))
            except LmparseError as error:
                found = {"error": error_row(error)}
            except Exception as error:  # a parser of an edited spec, and what reads its records, may raise anything
                status = 500
                found = {"error": error_row(unforeseen(error, _NAMED_FIELDS if live is not None else None))}
            return Response(json_text(found), status, media_type="application/json")

        return respond

    def state(_: Asked) -> dict[str, Any]:
        return {"generation": 0, "problems": []} if live is None else live.state()

    answers = {"file": _about, "list": _listed, "record": _record, "state": state}
    routes = [Route("/", page), *(Route(f"/api/{name}", answering(answer)) for name, answer in answers.items())]
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

    def __init__(self, request: Request, files: Sequence[ServedFile]) -> None:
        self._given, self._files = request.query_params, files

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


def _about(asked: Asked) -> dict[str, Any]:
    if asked.flag("again"):
        asked.file.reopen()
    return asked.file.about()


def _listed(asked: Asked) -> dict[str, Any]:
    wanted = RecordFilter(asked.text("type"), asked.text("table"), asked.text("value"), asked.flag("damaged"))
    return asked.file.listed(asked.number("first", 0), asked.number("count", MOST_ROWS), wanted)


def _record(asked: Asked) -> dict[str, Any]:
    place = {name: asked.number(key) for name, key in (("number", "record"), ("offset", "offset")) if asked.text(key)}
    return asked.file.record(**place, is_whole=asked.flag("whole"))
