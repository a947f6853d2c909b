"""Many records: the list with its filters, one page with all records, and the server, asked over HTTP as browsers do.

`tests/review/test_browse_pages.py` drives the front-end in a browser.
"""

from __future__ import annotations

import errno
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from interrupts import sigint_heard

from lmparse import cli
from lmparse.errors import LimitError
from lmparse.framing.extents import RecordExtent
from lmparse.review.browse import record_index, record_list
from lmparse.review.browse import server as browse_server
from lmparse.review.browse.inspector import inspected
from lmparse.review.browse.live import LiveSpecs
from lmparse.review.browse.page import records_page
from lmparse.review.browse.record_index import RecordIndex
from lmparse.review.browse.record_list import RecordFilter, RecordList
from lmparse.review.browse.served_file import ServedFile
from lmparse.review.browse.server import RecordServer
from lmparse.review.explain.search import explain, search_in
from lmparse.samples import bmc_log, db2_log
from lmparse.spec.build.products import Builder
from lmparse.storage.joined import Joined, JoinedPiece
from lmparse.values.codepages import lookup

CASES = Path(__file__).parents[1] / "cases"
BAD = Path(__file__).parents[1] / "cases_bad"
CHANGES = str(CASES / "bmc_lldf" / "changes_bdw.bin")
TYPES = str(CASES / "db2_row" / "v10_little_types.bin")
TABLES = TYPES.replace(".bin", ".tables")
SPEC = "meta: {id: acme_a}\nseq: [{id: one, type: u1}, {id: rest, size-eos: true}]\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run `lmparse`; gives exit code, standard output, standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = cli.main(list(map(str, words)))
        except SystemExit as end:
            code = int(str(end.code))
        return code, *capsys.readouterr()

    return run


class Asked:
    """A server, and the way a browser asks it."""

    def __init__(self, server: RecordServer) -> None:
        self.server = server

    def get(self, path: str, *, token: bool = True, **headers: str) -> tuple[int, Any, str]:
        """Status, headers and text of one answer; the token goes as the cookie that the page keeps."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["Cookie"] = f"other=1; {self.server.cookie}={self.server.token}"
        connection.request("GET", path, headers=sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, text

    def raw(self, *lines: str, seconds: float = 10) -> bytes:
        """All that is sent back for the lines of one or more requests, up to the end of the connection."""
        named = {"HOST": f"Host: 127.0.0.1:{self.server.port}", "COOKIE": f"{self.server.cookie}={self.server.token}"}
        text = "".join(line.format(**named) + "\r\n" for line in lines)
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=seconds) as connection:
            connection.sendall(text.encode("latin-1"))
            found = b""
            while part := connection.recv(1 << 16):
                found += part
        return found

    def ask(self, what: str, **asked: object) -> Any:
        """The answer of the interface as JSON."""
        status, _, text = self.get(f"/api/{what}?{urlencode(asked)}")
        assert status == 200
        return json.loads(text)


@contextmanager
def served(*files: object, **options: str) -> Iterator[Asked]:
    """A server in this process that ends with the context."""
    server = RecordServer([ServedFile(str(file), options) for file in files])
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield Asked(server)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# -- the list ------------------------------------------------------------------------------------


def all_rows(records: RecordList, wanted: RecordFilter, count: int = 50) -> list[int]:
    """The numbers of all records that pass a filter, page by page."""
    found: list[int] = []
    first: int | None = 0
    while first is not None:
        listed = records.rows(first, count, wanted)
        found += [row.extent.index for row in listed.rows]
        assert listed.next is None or listed.next > first
        first = listed.next
    return found


def test_rows_have_number_place_type_table_and_outcome() -> None:
    first, second, *_ = RecordList(search_in(CHANGES)).rows(0, 10, RecordFilter()).rows
    row = second.to_dict()
    assert (row["record"], row["type"], row["table"], row["outcome"]) == (1, "UB", "PROD.ORDERS", "Committed")
    assert (row["offset"], row["length"]) == (explain(CHANGES, 1).offset, 323)
    node = explain(CHANGES, 0).dissection.at("log_rba")
    assert node is not None
    assert int(first.position, 16) == int(node.value, 16)


def test_rows_of_a_db2_log_have_kind_table_and_outcome(tmp_path: Path) -> None:
    tables, log = db2_log.make(units=12).write(tmp_path)
    rows = [row.to_dict() for row in RecordList(search_in(log, tables=str(tables))).rows(0, 60, RecordFilter()).rows]
    named = {(row["type"], row["table"]) for row in rows}
    assert ("update_record_v97", "HR.EMPLOYEE") in named
    assert {row["outcome"] for row in rows} >= {"committed", "rolled-back"}
    ids = {row.to_dict()["table"] for row in RecordList(search_in(log)).rows(0, 60, RecordFilter()).rows}
    assert any(re.fullmatch(r"\d+\.\d+", name) for name in ids)


def test_filters_by_type_table_and_value(tmp_path: Path) -> None:
    control, data = bmc_log.make(units=20).write(tmp_path)
    records = RecordList(search_in(data, control=str(control)))
    rows = {row.extent.index: row for row in records.rows(0, 200, RecordFilter()).rows}
    assert len(rows) == records.index.count
    updates = all_rows(records, RecordFilter(type="ub"), 3)
    assert updates == [number for number, row in rows.items() if row.heading.type == "UB"] != []
    assert all_rows(records, RecordFilter(type="u")) == []  # too short for a part of a word
    assert set(all_rows(records, RecordFilter(type="insert"))) > set(all_rows(records, RecordFilter(type="I"))) != set()
    named = all_rows(records, RecordFilter(table="employee", type="UB"))
    assert named == [number for number in updates if rows[number].heading.table == "PAYROLL.EMPLOYEE"] != []
    values = all_rows(records, RecordFilter(value="CHANGE TYPE=UB"))
    assert values == all_rows(records, RecordFilter(value="change_type=UB")) == updates
    assert all_rows(records, RecordFilter(value="change_type=ub")) == []
    contained = all_rows(records, RecordFilter(value="payroll"))
    assert contained == [number for number, row in rows.items() if "PAYROLL" in row.heading.table] != []


@pytest.mark.parametrize(
    ("name", "options"),
    [("bmc_row_image/null_indicator", {"control": "ctl"}), ("db2_row/v10_little_slot_behind", {"tables": "tables"})],
)
def test_damaged_records_are_filtered_and_say_why(name: str, options: dict[str, str]) -> None:
    beside = {option: str(BAD / f"{name}.{ending}") for option, ending in options.items()}
    records = RecordList(search_in(BAD / f"{name}.bin", **beside))
    listed = records.rows(0, 50, RecordFilter(is_damaged=True))
    assert [row.extent.index for row in listed.rows] == [1]
    assert [fault.code for fault in listed.rows[0].faults] == [
        fault.code for fault in explain(BAD / f"{name}.bin", 1, **beside).faults
    ]


@pytest.mark.parametrize("name", ["bmc_lldf/cut_inside_record", "db2_log/v10_little_bare_cut_in_body"])
def test_a_list_ends_with_the_damage_of_the_file(name: str) -> None:
    records = RecordList(search_in(BAD / f"{name}.bin"))
    listed = records.rows(0, 50, RecordFilter())
    assert listed.rows
    assert listed.next is None
    assert listed.damage is not None
    assert listed.damage.code == "LMP-F006"
    assert records.index.count == len(listed.rows)


def test_any_record_is_found_by_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_index, "_STRETCH", 1 << 12)
    for sample in (bmc_log, db2_log):
        _, data = sample.make(units=12).write(tmp_path)
        search = search_in(data)
        index = RecordIndex(search.file)
        extents: list[RecordExtent] = list(search.file.extents())
        assert index.count == len(extents)
        for number in (0, 1, 7, len(extents) // 2, len(extents) - 1):
            assert index.extent(number) == extents[number]
            assert list(index.extents(number)) == extents[number:]
        assert index.extent(len(extents)) is None


def test_a_filter_looks_at_a_stated_number_of_records_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_list, "_MOST_DISSECTED", 3)
    monkeypatch.setattr(record_list, "_MOST_READ", 5)
    _, data = bmc_log.make(units=12).write(tmp_path)
    records = RecordList(search_in(data))
    listed = records.rows(0, 50, RecordFilter(value="no such value"))
    assert (listed.rows, listed.next, listed.looked_at) == ([], 3, 3)
    listed = records.rows(2, 50, RecordFilter(type="XX"))
    assert (listed.rows, listed.next, listed.looked_at) == ([], 7, 5)
    assert all_rows(records, RecordFilter(), 4) == list(range(records.index.count))


def test_a_request_looks_at_a_stated_number_of_bytes_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of records of many megabytes, so many records as of small ones would take minutes."""
    monkeypatch.setattr(record_list, "_MOST_BYTES", 400)
    records = RecordList(search_in(CHANGES))
    for wanted in (RecordFilter(), RecordFilter(value="no such value")):
        listed = records.rows(0, 50, wanted)
        assert (listed.next, listed.looked_at) == (2, 2)
    assert all_rows(records, RecordFilter()) == [0, 1, 2]
    assert records.find_bytes(0, b"no such bytes").next == 2


# -- the inspector -------------------------------------------------------------------------------


def read_as(raw: bytes) -> dict[str, str]:
    return {entry.name: entry.value or f"! {entry.reason}" for entry in inspected(raw, lookup("cp037"))}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("FF", {"u1": "255", "s1": "-1", "bits": "11111111"}),
        ("01FE", {"u2, big-endian": "510", "u2, little-endian": "65025", "s2, little-endian": "-511"}),
        ("00000781349 44C", {"packed decimal": '"781349 44"'}),
        ("80000000000000FF", {"u8, big-endian": str((1 << 63) + 255), "s8, big-endian": str(255 - (1 << 63))}),
        ("41100000", {"hexadecimal float, 4 bytes": "1.0", "IEEE float, 4 bytes, big-endian": "9.0"}),
        ("2026031410111216969928", {"timestamp, packed digits": "2026-03-14T10:11:12.16969928"}),
        ("20260314", {"date, packed yyyymmdd": "2026-03-14"}),
        ("101112", {"time, packed hhmmss": "10:11:12"}),
        ("C4C2F2D7", {"text, cp037": "DB2P"}),
        ("41424344", {"text, us-ascii": "ABCD"}),
        ("F1F2F3", {"zoned decimal, cp037": '"123"'}),
    ],
)
def test_the_inspector_reads_bytes_in_every_way_that_fits(raw: str, expected: dict[str, str]) -> None:
    found = read_as(bytes.fromhex(raw.replace(" ", "")))
    for name, value in expected.items():
        assert found[name] == value.replace(" ", "") if name != "bits" else found[name] == value


def test_bytes_that_are_not_a_value_say_why() -> None:
    assert read_as(b"\xaa\xbb")["packed decimal"].startswith("! expected packed decimal, found ")
    assert "[LMP-V007]" in read_as(b"\xff")["text, us-ascii"]
    assert "packed decimal" not in read_as(bytes(30))


# -- one page with all records -------------------------------------------------------------------


def inlined(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)["inlined"]


@pytest.mark.parametrize("path", [CHANGES, TYPES])
def test_a_page_has_all_records_of_a_file(path: str) -> None:
    held = inlined(records_page(path))
    count = RecordIndex(search_in(path).file).count
    assert [row["record"] for row in held["rows"]] == [view["record"] for view in held["views"]] == list(range(count))
    for number, view in enumerate(held["views"]):
        found = explain(path, number)
        assert bytes.fromhex(view["sections"][-1]["hex"]) == found.dissection.raw
        paths = {line["p"] for line in walk(view["sections"][-1]["lines"]) if "p" in line}
        assert paths == {line.node.path for top in found.main.lines for line in top.walk() if line.node}


def walk(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for line in lines:
        yield line
        yield from walk(line.get("c", []))


def test_an_update_has_its_columns_before_and_after_with_what_changed() -> None:
    (pairs,) = [view["pairs"] for view in inlined(records_page(CHANGES))["views"] if view["record"] == 1]
    found = explain(CHANGES, 1)
    for pair in pairs:
        before, after = (found.dissection.at(pair[f"{role}_path"]) for role in ("before", "after"))
        assert before is not None
        assert after is not None
        assert pair["differs"] == ((before.value, before.meaning) != (after.value, after.meaning))
    assert {pair["differs"] for pair in pairs} == {True, False}
    (pairs,) = [view["pairs"] for view in inlined(records_page(TYPES, tables=TABLES))["views"] if view["record"] == 5]
    assert len(pairs) > 20


def test_a_damaged_file_has_its_damage_on_the_page() -> None:
    held = inlined(records_page(str(BAD / "bmc_lldf" / "cut_inside_record.bin")))
    assert "[LMP-F006]" in held["damage"]["text"]
    assert held["views"][-1]["record"] is None


def test_texts_of_a_file_do_not_end_the_script_they_are_in(tmp_path: Path, run: Any) -> None:
    raw = Path(CHANGES).read_bytes()
    hostile = tmp_path / "<script>alert(1)<!--.bin"
    hostile.write_bytes(raw.replace("ORDERS".encode("cp037"), "</SCRI".encode("cp037")))
    assert hostile.read_bytes() != raw
    out = tmp_path / "all.html"
    code, _, err = run("explain", hostile, "--html", out, "--all")
    assert (code, err) == (0, "")
    page = out.read_text("utf-8")
    assert page.count("<script") == 2
    assert "</SCRI" in json.dumps(inlined(page))
    assert "alert(1)<" not in page


def test_more_records_than_the_limit_are_refused_with_the_way_out(tmp_path: Path, run: Any) -> None:
    out = tmp_path / "all.html"
    code, _, err = run("explain", CHANGES, "--html", out, "--all", "--limits", "pageRecords=2")
    assert code == 20
    assert "pageRecords" in err
    assert "[LMP-L005]" in err
    assert not out.exists()
    with pytest.raises(LimitError):
        records_page(CHANGES, limits="pageRecords=2")
    assert run("explain", CHANGES, "--html", out, "--all", "--limits", "pageRecords=3")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--all"], "--all is for a page"),
        (["--all", "--html", "x.html", "--record", "1"], "--all is for all records, and --record for one"),
        (["--all", "--html", "x.html", "--json"], "and --json for one"),
        (["--all", "--html", "x.html", "--field", "length"], "and --field for one"),
    ],
)
def test_all_does_not_go_with_options_for_one_record(run: Any, words: list[str], said: str) -> None:
    code, out, err = run("explain", CHANGES, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert not Path("x.html").exists()


# -- the server ----------------------------------------------------------------------------------


def test_the_server_answers_who_has_the_token_only() -> None:
    with served(CHANGES) as asked:
        server = asked.server
        assert server.server_address[0] == "127.0.0.1"
        for path in ("/", "/api/list", "/api/file", "/x", "/?token=", "/?token=wrong", "/?token=" + server.token[:-1]):
            status, _, text = asked.get(path, token=False)
            assert (status, "ORDERS" in text) == (403, False)
        wrong = {"Cookie": f"{server.cookie}=wrong"}
        assert asked.get("/api/list", token=False, **wrong)[0] == 403
        assert asked.get("/api/list")[0] == 200
        assert asked.get(f"/api/list?token={server.token}", token=False)[0] == 200


def test_the_address_with_the_token_leads_to_the_page_without_it() -> None:
    with served(CHANGES) as asked:
        address = urlsplit(asked.server.address)
        status, headers, _ = asked.get(f"/?{address.query}", token=False)
        assert (status, headers["Location"]) == (303, "/")
        assert "HttpOnly" in headers["Set-Cookie"]
        assert "SameSite=Strict" in headers["Set-Cookie"]
        status, headers, text = asked.get("/", token=False, Cookie=headers["Set-Cookie"].partition(";")[0])
        assert status == 200
        assert asked.server.token not in text
        (nonce,) = re.findall(r"script-src 'nonce-([^']+)'", headers["Content-Security-Policy"])
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; ")
        assert {nonce} == set(re.findall(r'<(?:style|script) nonce="([^"]+)"', text))
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("host", ["evil.example:{}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{}", ""])
def test_a_request_for_another_host_is_refused(host: str) -> None:
    """Else a page whose own name leads here could read the answers."""
    with served(CHANGES) as asked:
        assert asked.get("/api/list", Host=host.format(asked.server.port))[0] == 403
        assert asked.get("/api/list", Host=f"localhost:{asked.server.port}")[0] == 200
        assert asked.get("/api/list", Sec_Fetch_Site="cross-site")[0] == 403
        assert asked.get("/api/list", Sec_Fetch_Site="same-site")[0] == 403


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/../../etc/passwd", "/api/../x", "/browse.js", "//x", "/api/", "/%2e%2e/"]
)
def test_no_file_is_served(path: str) -> None:
    with served(CHANGES) as asked:
        assert asked.get(path)[0] == 404
        assert asked.ask("list", file="/etc/passwd")["error"]["code"] == "LMP-S003"
        assert asked.ask("list", file=1)["error"]["text"].startswith("there is no file 1")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
def test_the_server_only_reads(method: str) -> None:
    with served(CHANGES) as asked:
        connection = http.client.HTTPConnection("127.0.0.1", asked.server.port, timeout=60)
        connection.request(method, "/", headers={"Cookie": f"{asked.server.cookie}={asked.server.token}"})
        assert connection.getresponse().status == 501
        connection.close()


REQUEST = ("{HOST}", "Cookie: {COOKIE}", "Connection: close", "")


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["GET http://[x HTTP/1.1", *REQUEST], 400),
        (["GET /?" + "&" * 40 + " HTTP/1.1", *REQUEST], 400),
        (["GET / HTTP/1.1", "Content-Length: 4", *REQUEST, "GET /api/state HTTP/1.1", *REQUEST], 400),
        (["GET / HTTP/1.1", "Content-Length: x", *REQUEST], 400),
        (["GET / HTTP/1.1", "Transfer-Encoding: chunked", *REQUEST, "0", ""], 400),
        (["GET / HTTP/x", *REQUEST], 400),
        (["GET / HTTP/2.0", *REQUEST], 505),
        (["GET /" + "a" * 100_000 + " HTTP/1.1", *REQUEST], 414),
        (["GET / HTTP/1.1", *["X: y"] * 200, *REQUEST], 431),
        (["GET / HTTP/1.1", "X: " + "y" * 100_000, *REQUEST], 431),
        (["<script> / HTTP/1.1", *REQUEST], 501),
        (["POST / HTTP/1.1", "Content-Length: 4", *REQUEST, "abcd"], 501),
        (["GET /\0 HTTP/1.1", *REQUEST], 404),
        (["GET / HTTP/1.1", "Host: evil.example", *REQUEST], 403),
    ],
)
def test_a_hostile_request_has_one_answer_with_the_headers_of_all(lines: list[str], status: int) -> None:
    with served(CHANGES) as asked:
        try:
            head, _, body = asked.raw(*lines).partition(b"\r\n\r\n")
        except ConnectionResetError:  # the server has closed, and not read all
            assert len("".join(lines)) > 10_000
        else:
            if head.startswith(b"HTTP/1.1"):  # else the version in the request has no head
                assert head.startswith(f"HTTP/1.1 {status} ".encode())
                assert b"\r\nX-Content-Type-Options: nosniff" in head
            assert re.fullmatch(rf"{status} [-\w ]+\n", body.decode() or head.decode())
        assert asked.ask("state")["generation"] == 0  # it goes on


def test_head_has_no_body() -> None:
    with served(CHANGES) as asked:
        assert asked.raw("HEAD / HTTP/1.1", *REQUEST).endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    "cookie",
    ["a[b]=1; {COOKIE}", '{COOKIE}; j={{"a": 1, "b"}}', "lonely; {COOKIE}", "a=\xe9; {COOKIE}", "{COOKIE}; =;;",
     "{COOKIE}; {COOKIE}x", "a=1\r\nCookie: {COOKIE}"],
)  # fmt: skip
def test_cookies_of_other_servers_of_the_machine_are_passed_over(cookie: str) -> None:
    with served(CHANGES) as asked:
        found = asked.raw("GET /api/state HTTP/1.1", "{HOST}", f"Cookie: {cookie}", "Connection: close", "")
        assert found.startswith(b"HTTP/1.1 200 ")


def test_the_port_that_browsers_leave_out_is_left_out() -> None:
    with served(CHANGES) as asked:
        assert "127.0.0.1" not in asked.server.hosts
        asked.server.server_address = ("127.0.0.1", 80)
        assert asked.server.hosts == {"127.0.0.1", "127.0.0.1:80", "localhost", "localhost:80"}


def test_nobody_is_asked_for_the_name_of_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(name: str = "") -> str:
        raise AssertionError(f"asked for {name}")

    monkeypatch.setattr(socket, "getfqdn", asked)
    RecordServer([]).server_close()


def test_more_connections_than_are_taken_are_closed_and_their_end_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse_server, "_MOST_CONNECTIONS", 3)
    with served(CHANGES) as asked, ExitStack() as held:
        for _ in range(3):
            held.enter_context(socket.create_connection(("127.0.0.1", asked.server.port)))
        assert asked.raw().startswith(b"HTTP/1.1 503 ")
        held.close()
        while asked.raw("GET /api/state HTTP/1.1", *REQUEST).startswith(b"HTTP/1.1 503 "):
            sleep(0.01)


def test_a_client_that_sends_a_byte_now_and_then_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse_server, "_PATIENCE", 0.5)
    with served(CHANGES) as asked, socket.create_connection(("127.0.0.1", asked.server.port), timeout=0.1) as slow:
        is_closed = False
        while not is_closed:
            try:
                slow.sendall(b"G")
                is_closed = not slow.recv(1)
            except TimeoutError:
                continue
            except ConnectionError:
                is_closed = True


@pytest.mark.parametrize("name", ["again", "damaged", "whole"])
def test_a_question_is_answered_with_yes_or_no(name: str) -> None:
    what = {"again": "file", "damaged": "list", "whole": "record"}[name]
    with served(CHANGES) as asked:
        assert asked.ask(what, record=0, **{name: "maybe"})["error"]["code"] == "LMP-S003"
        assert asked.ask(what, record=0, **{name: "0"}) == asked.ask(what, record=0)


def test_what_is_not_foreseen_has_a_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*given: object, **named: object) -> None:
        raise AttributeError("no such field <b>\x1b")

    monkeypatch.setattr(ServedFile, "about", failing)
    with served(CHANGES) as asked:
        status, _, text = asked.get("/api/file")
        assert (status, json.loads(text)["error"]["code"]) == (500, "LMP-S013")
        assert "\x1b" not in text


def test_it_listens_on_the_loopback_address_alone() -> None:
    with served(CHANGES) as asked:
        others = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
        for other in others - {"127.0.0.1"}:
            if not other.startswith("127."):
                with socket.socket() as connection:
                    assert connection.connect_ex((other, asked.server.port)) != 0


def test_lists_filters_and_finds_over_http(tmp_path: Path) -> None:
    control, data = bmc_log.make(units=20).write(tmp_path)
    records = RecordList(search_in(data, control=str(control)))
    with served(data, TYPES, control=str(control)) as asked:
        about = asked.ask("file")
        assert (about["count"], about["spec"], about["framing"]) == (records.index.count, "bmc_lldf", "rdw")
        assert about["characters"]["cp1047"][0xC4] == "D"
        listed = asked.ask("list", first=5, count=3)
        assert ([row["record"] for row in listed["rows"]], listed["next"]) == ([5, 6, 7], 8)
        updates = [row["record"] for row in asked.ask("list", type="UB", count=200)["rows"]]
        assert updates == all_rows(records, RecordFilter(type="UB"))
        assert asked.ask("list", damaged=1)["rows"] == []
        number = updates[2]
        raw = explain(data, number, control=str(control)).dissection.raw
        found = asked.ask("find", first=0, hex=raw[77:110].hex(" "))
        assert [row["record"] for row in found["rows"]] == [number]
        assert asked.ask("find", first=number + 1, hex=raw[77:110].hex())["rows"] == []
        assert [row["record"] for row in asked.ask("find", first=3, text="PAYROLL")["rows"]]
        for wrong in ({"hex": "xyz"}, {"text": ""}, {"text": "\u65e5"}):
            assert asked.ask("find", **wrong)["error"]["text"]


@pytest.mark.parametrize("path", [CHANGES, TYPES])
def test_a_record_over_http_is_what_explain_shows(path: str) -> None:
    with served(path) as asked:
        for number in (0, 1):
            found, answer = explain(path, number), asked.ask("record", record=number)
            (section,) = [section for section in answer["view"]["sections"] if section["main"]]
            assert bytes.fromhex(section["hex"]) == found.dissection.raw
            shown = {line["p"]: line.get("v") for line in walk(section["lines"]) if "p" in line}
            for node in found.dissection.walk():
                if node.path in shown and isinstance(node.value, int):
                    assert shown[node.path] == str(node.value)
        place = asked.ask("record", offset=explain(path, 1).offset + 3)["view"]
        assert (place["record"], "is byte 3 of record 1" in place["found_by"]) == (1, True)
        values = asked.ask("inspect", record=1, section=len(answer["view"]["sections"]) - 1, start=0, length=2)[
            "values"
        ]
        raw = explain(path, 1).dissection.raw
        assert {"name": "u2, little-endian", "value": str(int.from_bytes(raw[:2], "little")), "reason": ""} in values
        for wrong in ({"record": 99}, {}, {"record": 1, "offset": 1}, {"record": "x"}, {"offset": 10**9}):
            assert asked.ask("record", **wrong)["error"]["code"] == "LMP-S003"
        for wrong in ({"section": 9, "start": 0, "length": 1}, {"section": 0, "start": 0, "length": 0}, {"section": 0}):
            assert asked.ask("inspect", record=0, **wrong)["error"]["code"] == "LMP-S003"


@pytest.mark.parametrize("name", ["bmc_lldf/cut_inside_record", "db2_log/v10_little_bare_cut_in_body"])
def test_a_damaged_file_is_served_up_to_its_damage_and_there(name: str) -> None:
    with served(BAD / f"{name}.bin") as asked:
        damage = asked.ask("list")["damage"]
        assert damage["code"] == "LMP-F006"
        view = asked.ask("record", offset=damage["offset"])["view"]
        assert view["record"] is None
        assert any("[LMP-F006]" in fault["text"] for fault in view["faults"])


def test_a_file_that_changes_or_is_cut_is_an_error_and_the_server_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "log.bin"
    shutil.copy(CHANGES, file)
    with served(file, TYPES) as asked:
        assert len(asked.ask("list")["rows"]) == 3
        file.write_bytes(file.read_bytes()[:700])
        for _ in range(2):
            assert asked.ask("list")["error"]["code"] == "LMP-F012"
        assert asked.ask("file", file=1)["count"] == 8
        assert asked.ask("file", again=1)["count"] == 2
        assert asked.ask("list")["damage"]["code"] == "LMP-F006"
        file.unlink()
        assert asked.ask("list")["error"]["code"] == "LMP-F012"
        assert asked.ask("file", again=1)["error"]["code"] == "LMP-F001"
        shutil.copy(CHANGES, file)
        assert asked.ask("file", again=1)["count"] == 3


def test_a_control_file_beside_the_log_is_a_part_of_it(tmp_path: Path) -> None:
    for ending in (".bin", ".ctl"):
        shutil.copy(CHANGES.replace(".bin", ending), tmp_path / f"log{ending}")
    with served(tmp_path / "log.bin") as asked:
        assert asked.ask("list")["rows"][0]["table"] == "PROD.ORDERS"
        os.utime(tmp_path / "log.ctl", (1, 1))
        assert asked.ask("list")["error"]["code"] == "LMP-F012"
        assert asked.ask("file", again=1)["count"] == 3
        assert asked.ask("list")["rows"]


def test_a_change_of_a_joined_file_is_said(tmp_path: Path) -> None:
    _, file = db2_log.make(units=4).write(tmp_path)
    with served(Joined((JoinedPiece(str(file), 0, file.stat().st_size),)).address) as asked:
        assert asked.ask("list")["rows"]
        os.utime(file, (1, 1))
        assert asked.ask("list")["error"]["code"] == "LMP-F012"


def test_a_large_file_is_read_as_a_whole_only_when_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_list, "_SEARCHED", 100)
    with served(TYPES, tables=TABLES) as asked:
        assert asked.ask("file")["is_searched"] is False
        assert {row["outcome"] for row in asked.ask("list")["rows"]} == {""}
        for place in ({"record": 5}, {"offset": explain(TYPES, 5).offset}):
            answers = [asked.ask("record", **place), asked.ask("record", **place, whole=1)]
            assert [answer["is_partial"] for answer in answers] == [True, False]
            assert [len(answer["view"]["pairs"]) > 20 for answer in answers] == [False, True]


def test_records_of_a_foreign_spec_are_served(tmp_path: Path, run: Any) -> None:
    (tmp_path / "acme_a.ksy").write_text(SPEC)
    assert run("build", "--formats", tmp_path / "acme_a.ksy", "--out", tmp_path / "out")[0] == 0
    file = tmp_path / "two.bin"
    file.write_bytes(b"\1abc\2xyz")
    with served(file, spec=str(tmp_path / "out" / "acme_a"), framing="fixed", record_length="4") as asked:
        assert [row["record"] for row in asked.ask("list", value="one=2")["rows"]] == [1]
        assert asked.ask("record", record=1)["texts"][0]["id"] == "one"


def test_requests_on_one_connection_are_answered_each_for_itself() -> None:
    with served(CHANGES) as asked:
        connection = http.client.HTTPConnection("127.0.0.1", asked.server.port, timeout=60)
        for query in ("record=0", "record=2", "offset=8", "record=1"):
            connection.request("GET", f"/api/record?token={asked.server.token}&{query}")
            view = json.loads(connection.getresponse().read())["view"]
            assert view["record"] == int(query[-1]) % 8
        connection.close()


# -- the command -----------------------------------------------------------------------------------


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


def answered(address: Any, what: str, **asked: object) -> Any:
    connection = http.client.HTTPConnection(address.netloc, timeout=60)
    connection.request("GET", f"/api/{what}?{urlencode(asked)}&{address.query}")
    found = json.loads(connection.getresponse().read())
    connection.close()
    return found


def test_the_command_prints_its_address_and_ends_with_ctrl_c() -> None:
    with process(CHANGES) as (started, address):
        assert (address.scheme, address.hostname) == ("http", "127.0.0.1")
        assert answered(address, "file")["count"] == 3
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=30)
        assert (started.returncode, out, "Traceback" in err) == (0, "", False)


def test_a_signal_to_end_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "acme_a.ksy").write_text(SPEC)
    with process(CHANGES, "--specs", tmp_path / "acme_a.ksy", "--framing", "bdw") as (started, _):
        assert list(tmp_path.glob("lmparse-specs-*"))
        started.terminate()
        assert started.wait(timeout=60) == 128 + signal.SIGTERM
        assert not list(tmp_path.glob("lmparse-specs-*"))


def test_output_that_cannot_be_written_is_not_blamed_on_the_port(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(sys.stdout, "write", full)
    code, _, err = run("serve", CHANGES)
    assert (code, "port" in err, "[LMP-S022]" in err) == (2, False, True)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([CHANGES, "--port", "x"], 2, "--port has no value 'x'"),
        ([CHANGES, "--port", "70000"], 2, "--port has no value '70000'"),
        (["none.bin"], 20, "[LMP-F001]"),
        ([CHANGES, "--specs", "none"], 2, "there is no such file or folder"),
        ([CHANGES, "--specs", ".", "--spec", "./x"], 2, "--spec is its id, not a path"),
        ([CHANGES, "--recrod", "1"], 2, "there is no option"),
        ([CHANGES, "--tables", "x.yaml", "--spec", "bmc_lldf"], 2, "tables does not apply"),
    ],
)
def test_wrong_usage_ends_before_anything_is_served(run: Any, words: list[str], code: int, said: str) -> None:
    found, out, err = run("serve", *words)
    assert (found, out) == (code, "")
    assert said in err


def test_a_port_in_use_is_an_error(run: Any) -> None:
    with served(CHANGES) as asked:
        code, out, err = run("serve", CHANGES, "--port", asked.server.port)
        assert (code, out) == (2, "")
        assert f"port {asked.server.port} cannot be used" in err


# -- live specs --------------------------------------------------------------------------------------


def test_an_edited_spec_is_built_and_its_records_are_read_anew(tmp_path: Path) -> None:
    spec, file = tmp_path / "specs" / "acme_a.ksy", tmp_path / "two.bin"
    spec.parent.mkdir()
    spec.write_text(SPEC)
    file.write_bytes(b"\1abc\2xyz")
    with process(file, "--specs", spec.parent, "--framing", "fixed", "--record-length", "4") as (_, address):

        def state_after(version: int) -> Any:
            while (state := answered(address, "state"))["version"] <= version:
                sleep(0.05)
            return state

        def ids() -> list[str]:
            return [texts["id"] for texts in answered(address, "record", record=1)["texts"]]

        state = state_after(0)
        assert (ids(), state["problems"]) == (["one", "rest"], [])
        spec.write_text(SPEC.replace("id: one", "id: uno"))
        state = state_after(state["version"])
        assert (ids(), state["problems"]) == (["uno", "rest"], [])
        spec.write_text(SPEC.replace("type: u1", "type: u77"))
        broken = state_after(state["version"])
        (problem,) = broken["problems"]
        assert (Path(problem["path"]).name, problem["line"]) == ("acme_a.ksy", 2)
        assert broken["generation"] == state["generation"]
        assert ids() == ["uno", "rest"]  # the last good one
        spec.write_text(SPEC)
        state = state_after(broken["version"])
        assert (ids(), state["problems"]) == (["one", "rest"], [])
        file.write_bytes(b"\1abc\2xyz\3xyz")
        while (now := answered(address, "state"))["generation"] == state["generation"]:
            sleep(0.05)
        assert now["problems"] == []
        assert answered(address, "file")["count"] == 3


class Edited:
    """A folder with one spec that is edited, and the records that are read with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "specs"
        self.spec, file = self.folder / "acme_a.ksy", folder / "two.bin"
        self.folder.mkdir()
        self.spec.write_text(SPEC)
        file.write_bytes(b"\1abc\2xyz")
        options = {"framing": "fixed", "record_length": "4"}
        self.file = ServedFile(str(file), options)
        self.live = LiveSpecs(self.folder, None, [self.file], options).start()

    def after(self, change: Callable[[], object]) -> list[dict[str, Any]]:
        """The problems of the build that follows a change."""
        version = self.live.state()["version"]
        change()
        while (state := self.live.state())["version"] == version:
            assert self.live._thread.is_alive()
            sleep(0.02)
        found: list[dict[str, Any]] = state["problems"]
        return found

    def ids(self) -> list[str]:
        """The fields of a record."""
        return [texts["id"] for texts in self.file.record(number=1)["texts"]]


@pytest.fixture
def edited(tmp_path: Path) -> Iterator[Edited]:
    found = Edited(tmp_path)
    yield found
    found.live.close()


def test_what_is_wrong_in_a_spec_is_said_at_its_line_and_the_next_edit_is_built(edited: Edited) -> None:
    for text, code in {
        "": "LMP-S008",
        "- 1\n": "LMP-S008",
        "meta: {id: acme_a}\nseq: " + "[" * 3000 + "]" * 3000: "LMP-L001",
        SPEC + "\0": "LMP-S008",
        "meta: {id: acme_a, ks-opaque-types: true}\nseq: [{id: one, type: os_system}]\n": "LMP-S008",
        "meta: {id: acme_a}\nseq: [{id: one, process: os.system(1), size-eos: true}]\n": "LMP-S008",
        "meta: {id: acme_a}\nseq: [{id: one, type: u77}]\n": "LMP-S008",
    }.items():
        (problem,) = edited.after(partial(edited.spec.write_text, text))
        assert (problem["code"], Path(problem["path"]).name) == (code, "acme_a.ksy")
        assert problem["line"] >= 1
        assert edited.ids() == ["one", "rest"]
    away = edited.folder.with_name("away")
    assert edited.after(lambda: edited.folder.rename(away))
    assert edited.after(lambda: away.rename(edited.folder))
    assert edited.after(lambda: os.mkfifo(edited.folder / "pipe.ksy"))
    assert edited.after(lambda: (edited.folder / "in").symlink_to(edited.folder))
    (edited.folder / "pipe.ksy").unlink()
    (edited.folder / "in").unlink()
    assert edited.after(partial(edited.spec.write_text, SPEC.replace("one", "uno"))) == []
    assert edited.ids() == ["uno", "rest"]


def test_a_spec_that_cannot_be_read_leaves_its_place_to_no_other(edited: Edited) -> None:
    """Else records would be read with what it imports, because nothing else imports that now."""
    inner = edited.folder / "acme_c.ksy"
    edited.after(partial(inner.write_text, "meta: {id: acme_c}\nseq: [{id: inner, type: u1}]\n"))
    imports = SPEC.replace("acme_a", "acme_a, imports: [acme_c]").replace("u1", "acme_c")
    assert edited.after(partial(edited.spec.write_text, imports)) == []
    known = edited.ids()
    (problem,) = edited.after(partial(edited.spec.write_text, imports + "]"))
    assert Path(problem["path"]).name == "acme_a.ksy"
    assert edited.ids() == known
    assert edited.after(partial(edited.spec.write_text, imports)) == []


def test_what_ends_a_build_is_a_problem_with_a_code(edited: Edited, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise AttributeError("no such attribute")

    with monkeypatch.context() as patched:
        patched.setattr(Builder, "make", failing)
        (problem,) = edited.after(partial(edited.spec.write_text, SPEC.replace("one", "uno")))
        assert (problem["code"], "no such attribute" in problem["text"]) == ("LMP-S013", True)
        assert edited.ids() == ["one", "rest"]
    assert edited.after(partial(edited.spec.write_text, SPEC.replace("one", "due"))) == []
    assert edited.ids() == ["due", "rest"]


def test_builds_that_nobody_reads_with_are_removed(edited: Edited) -> None:
    for name in ("uno", "due", "tre", "quattro"):
        assert edited.after(partial(edited.spec.write_text, SPEC.replace("one", name))) == []
        assert edited.ids() == [name, "rest"]
    folder = Path(edited.live._folder.name)
    assert len(list(folder.iterdir())) == 2
    edited.live.close()
    assert not folder.exists()


@pytest.mark.parametrize("spec", ["**", "[", "*", ""])
def test_the_name_of_a_spec_is_not_a_pattern(tmp_path: Path, spec: str) -> None:
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "acme_a.ksy").write_text(SPEC)
    live = LiveSpecs(tmp_path, spec, [], {})
    assert live.source == tmp_path
    live.close()


def test_of_a_tree_of_specs_the_named_one_is_built_with_what_it_imports(tmp_path: Path) -> None:
    """A fault in a spec that it does not import is nobody's matter here."""
    for place, text in {
        "acme/acme_a": SPEC.replace("acme_a", "acme_a, imports: [/common/acme_c]").replace("u1", "acme_c"),
        "common/acme_c": "meta: {id: acme_c}\nseq: [{id: inner, type: u1}]\n",
        "other/acme_bad": "meta: {id: acme_bad}\nseq: [{id: x, type: u77}]\n",
    }.items():
        path = tmp_path / "specs" / f"{place}.ksy"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    file = tmp_path / "two.bin"
    file.write_bytes(b"\1abc\2xyz")
    words = (file, "--specs", tmp_path / "specs", "--spec", "acme_a", "--framing", "fixed", "--record-length", "4")
    with process(*words) as (_, address):
        assert answered(address, "state")["problems"] == []
        assert "inner" in [texts["id"] for texts in answered(address, "record", record=0)["texts"]]


def test_the_spec_is_named_where_several_may_be_meant(tmp_path: Path) -> None:
    (tmp_path / "acme_a.ksy").write_text(SPEC)
    (tmp_path / "acme_b.ksy").write_text(SPEC.replace("acme_a", "acme_b").replace("one", "other"))
    file = tmp_path / "two.bin"
    file.write_bytes(b"\1abc\2xyz")
    words = (file, "--specs", tmp_path, "--framing", "fixed", "--record-length", "4")
    with process(*words) as (_, address):
        (problem,) = answered(address, "state")["problems"]
        assert "acme_a, acme_b" in problem["hint"]
        assert answered(address, "file")["error"]["text"].startswith("there are no built specs yet")
    with process(*words, "--spec", "acme_b") as (_, address):
        assert answered(address, "record", record=0)["texts"][0]["id"] == "other"


# -- the page about it ---------------------------------------------------------------------------------

PAGE = (CASES.parents[1] / "docs" / "serve.md").read_text("utf-8")
COMMANDS = [
    line.partition("#")[0].split()[1:]
    for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
    if line.startswith("lmparse ")
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_commands_of_the_page_run(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    bmc_log.make(units=12).write(tmp_path)
    db2_log.make(units=12).write(tmp_path)
    Path("my-specs").mkdir()
    Path("my-specs", "acme_a.ksy").write_text(SPEC)
    Path("reading.bin").write_bytes(b"\0\x08\0\0\1abc" * 2)
    if words[0] == "explain":
        assert run(*words)[0] == 0
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        words = [str(free.getsockname()[1]) if word == "8400" else word for word in words[1:]]
    with process(*words) as (_, address):
        if words[:2] == ["payroll.dat", "--specs"]:
            assert answered(address, "state")["problems"] == []
        else:
            assert answered(address, "file")["count"] >= 2
