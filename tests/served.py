"""A server of records in this process or in one of its own, and the ways to ask it."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode, urlsplit
from xml.etree.ElementTree import Element

import html5lib
from interrupts import sigint_heard

from lmparse.review.serve.record_list import RecordFilter, RecordList, ServedFile
from lmparse.review.serve.server import RecordServer

CASES = Path(__file__).parent / "cases"
BAD = Path(__file__).parent / "cases_bad"
CHANGES = str(CASES / "bmc_lldf" / "changes_bdw.bin")
TYPES = str(CASES / "db2_row" / "v10_little_types.bin")
TABLES = TYPES.replace(".bin", ".tables")
SPEC = "meta: {id: acme_a}\nseq: [{id: one, type: u1}, {id: rest, size-eos: true}]\n"


class Asked:
    """A server, and the way a browser asks it."""

    def __init__(self, server: RecordServer) -> None:
        self.server = server

    @property
    def cookie(self) -> str:
        """Name of the cookie with the token."""
        return f"lmparse-{self.server.port}"

    def get(self, path: str, *, token: bool = True, **headers: str) -> tuple[int, Any, str]:
        """Status, headers and text of one answer; the token goes as the cookie that the page keeps."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["Cookie"] = f"other=1; {self.cookie}={self.server.token}"
        connection.request("GET", path, headers=sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, text

    def raw(self, *lines: str, seconds: float = 10) -> bytes:
        """All that is sent back for the lines of one or more requests, up to the end of the connection."""
        named = {"HOST": f"Host: 127.0.0.1:{self.server.port}", "COOKIE": f"{self.cookie}={self.server.token}"}
        text = "".join(line.format(**named) + "\r\n" for line in lines)
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=seconds) as connection:
            connection.sendall(text.encode("latin-1"))
            found = b""
            while part := connection.recv(1 << 16):
                found += part
        return found

    def page(self, path: str = "", **asked: object) -> Element:
        """The page that is the answer."""
        return parsed(self.get(f"/{path}?{urlencode(asked)}")[2])


def parsed(text: str) -> Element:
    """A page as a browser has it."""
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
    found: Element = parser.parse(text)
    return found


def words(page: Element) -> str:
    """What one reads on a page."""
    return " ".join(" ".join(text for one in page.findall("body") for text in one.itertext()).split())


def listed(page: Element) -> list[int]:
    """The numbers of the records in the list of a page."""
    names = [link.text or "" for link in page.iter("a") if link.get("target") == "record"]
    return [int(name) for name in names if name.isdigit()]


def ids(page: Element) -> list[str]:
    """The fields that the page of a record shows."""
    return [button.text or "" for button in page.iter("button") if button.get("aria-pressed")]


@contextmanager
def served(*files: object, **options: str) -> Iterator[Asked]:
    """A server in this process that ends with the context."""
    server = RecordServer([ServedFile(str(file), options) for file in files])
    thread = Thread(target=server.run)
    thread.start()
    try:
        yield Asked(server)
    finally:
        server.stop()
        thread.join()


def all_rows(records: RecordList, wanted: RecordFilter) -> list[int]:
    """The numbers of all records that pass a filter, page by page."""
    found: list[int] = []
    first: int | None = 0
    while first is not None:
        listed = records.rows(first, wanted)
        found += [row.extent.index for row in listed.rows]
        assert listed.next is None or listed.next > first
        first = listed.next
    return found


@contextmanager
def process(*words: object) -> Iterator[tuple[subprocess.Popen[str], Any]]:
    """`lmparse serve` as a process, with the parts of the address that it prints."""
    with sigint_heard():
        started = subprocess.Popen(
            [sys.executable, "-m", "lmparse", "serve", *map(str, words)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    try:
        assert started.stdout is not None
        yield started, urlsplit(started.stdout.readline().strip())
    finally:
        started.kill()
        started.communicate()


def answered(address: Any, path: str = "", **asked: object) -> str:
    """The text that a server answers, which is asked with the token that it printed."""
    connection = http.client.HTTPConnection(address.netloc, timeout=60)
    token = address.query.partition("=")[2]
    connection.request("GET", f"/{path}?{urlencode(asked)}", headers={"Cookie": f"lmparse-{address.port}={token}"})
    found = connection.getresponse().read().decode()
    connection.close()
    return found
