"""Requests: which are answered, and what the page asks for.

A request needs the token of the printed address, which the page keeps as a cookie, and must name this server as its
host: otherwise a page of somebody else could have its own name lead to this address, and read the answers.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
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
from lmparse.review.explain.explanation import Explanation, printable, value_text
from lmparse.review.serve.live import LiveSpecs, error_row, unforeseen
from lmparse.review.serve.record_list import RecordFilter, RecordList, ServedFile
from lmparse.review.templating import render
from lmparse.spelling import quoted

_NAMES = ("127.0.0.1", "localhost")
"""Names of the server in the header Host."""
_HTTP_PORT = 80
"""The port that browsers leave out of the header Host."""
_MOST_DIGITS = 18
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
            asked = Asked(request, files, is_live=live is not None)
            try:
                with ServedFile.lock:
                    text = answer(asked)
                # The page of a record has the policy of a page in a file, in itself.
                return HTMLResponse(text, headers={} if answer is _record else asked.policy)
            except LmparseError as error:
                return HTMLResponse(asked.page("serve_error.html", error=error_row(error)), 400, asked.policy)
            except Exception as error:  # a parser of an edited spec, and what reads its records, may raise anything
                found = error_row(unforeseen(error, _NAMED_FIELDS if live is not None else None))
                return HTMLResponse(asked.page("serve_error.html", error=found), 500, asked.policy)

        return respond

    def state(_: Request) -> Response:
        return JSONResponse({"generation": 0, "problems": []} if live is None else live.state())

    answers = {"/": _listed, "/record": _record, "/compare": _compared}
    routes = [Route("/state", state), *(Route(path, answering(answer)) for path, answer in answers.items())]
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
        return (
            is_for_this
            and is_own
            and any(hmac.compare_digest(text.encode(errors="replace"), self._token.encode()) for text in tokens)
        )


class Asked:
    """What a request asks for."""

    def __init__(self, request: Request, files: Sequence[ServedFile], *, is_live: bool) -> None:
        self._given, self.files, self.is_live = request.query_params, files, is_live
        self._nonce = secrets.token_urlsafe(16)
        self.policy = {"Content-Security-Policy": _POLICY.format(self._nonce)}
        """The header with what the page of the answer may load."""

    def page(self, template: str, **values: Any) -> str:
        """The page of the answer."""
        return render(template, nonce=self._nonce, **values)

    @property
    def records(self) -> RecordList:
        """The records of the file that it is about. Raises OptionError, and as `ServedFile.records`."""
        number = self.number("file", 0)
        if number >= len(self.files):
            raise OptionError(f"there is no file {number}")
        return self.files[number].records()

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


def _listed(asked: Asked) -> str:
    """The page with the list, and beside it a record: the one that is asked for, or the first one."""
    given = {name: asked.text(name) for name in ("type", "table", "value")}
    wanted = RecordFilter(**given, is_damaged=bool(asked.text("damaged")))
    filters = {name: text for name, text in {**given, "damaged": asked.text("damaged")}.items() if text}
    number = asked.number("file", 0)
    values: dict[str, Any] = {
        "files": [file.name for file in asked.files], "is_live": asked.is_live, "file": number, "given": given,
        "is_damaged": wanted.is_damaged, "is_filtered": bool(filters), "facts": [], "notes": [], "listed": None,
        "error": None, "damage": None, "later": "", "shown": "",
    }  # fmt: skip
    try:
        records = asked.records
        values["facts"], values["notes"] = records.about()
        listed = records.rows(asked.number("first", 0), wanted)
        first = str(listed.rows[0].extent.index) if listed.rows else ""
        values |= {"listed": listed, "shown": (asked.text("record") and str(asked.number("record"))) or first}
        if listed.damage is not None:
            values["damage"] = error_row(listed.damage) | {"offset": listed.damage.record_offset}
        if listed.next is not None:
            values["later"] = urlencode({"file": number, "first": listed.next, **filters})
    except LmparseError as error:
        values["error"] = error_row(error)
    return asked.page("serve.html", **values)


def _record(asked: Asked) -> str:
    if bool(asked.text("record")) == bool(asked.text("offset")):
        raise OptionError("a record is named by its number or by an offset")
    records = asked.records
    if asked.text("record"):
        return records.record(asked.number("record")).html()
    return records.search.by_offset(asked.number("offset")).html()


def _compared(asked: Asked) -> str:
    numbers = [asked.number("record"), asked.number("other")]
    records = asked.records
    fields = compared(*(records.record(number) for number in numbers))
    return asked.page("serve_compare.html", numbers=numbers, fields=fields)


_MOST_VALUE, _SHOWN_VALUE = 2000, 1200


@dataclass(frozen=True, slots=True)
class ComparedField:
    """A field of two records."""

    path: str
    values: tuple[str | None, str | None]
    """The value in each record as it is shown, or its fault; None for a record without the field."""

    @property
    def differs(self) -> bool:
        """Whether the records have different values."""
        return self.values[0] != self.values[1]


def compared(one: Explanation, other: Explanation) -> list[ComparedField]:
    """The fields of either record, in the order of the first one, then those that only the other has."""
    values, others = (dict(_values(found)) for found in (one, other))
    return [ComparedField(path, (values.get(path), others.get(path))) for path in dict.fromkeys([*values, *others])]


def _values(found: Explanation) -> Iterator[tuple[str, str]]:
    """The paths of the fields with a value; those of the words in front of the record behind the name of their spec."""
    for section in found.sections:
        front = "" if section is found.main else f"{section.layout.id}."
        for line, _ in chain.from_iterable(top.walk() for top in section.lines):
            node = line.node
            if node is None or (line.children and node.value is None):
                continue
            text = value_text(line, section.bytes_of(line), _MOST_VALUE, _SHOWN_VALUE)
            if node.fault is not None:
                text = node.fault.says()
            elif text in (None, "null"):
                text = node.meaning or text
            yield front + printable(node.path), printable(text or "")
