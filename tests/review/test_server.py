"""The server of records, asked over HTTP as browsers do, and the command that starts it."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import signal
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from served import BAD, CASES, CHANGES, SPEC, TYPES, all_rows, answered, listed, process, served, words

from lmparse.review.explain.search import explain, search_in
from lmparse.review.serve.record_list import RecordFilter, RecordList
from lmparse.samples import bmc_log, db2_log

# -- who is answered -------------------------------------------------------------------------------


def test_the_server_answers_who_has_the_token_only() -> None:
    with served(CHANGES) as asked:
        server = asked.server
        for path in ("/", "/record?record=0", "/state", "/x", "/?token=", "/?token=" + server.token[:-1]):
            status, _, text = asked.get(path, token=False)
            assert (status, "ORDERS" in text) == (403, False)
        assert asked.get("/", token=False, Cookie=f"{asked.cookie}=wrong")[0] == 403
        assert asked.get("/")[0] == 200


def test_the_address_with_the_token_leads_to_the_page_without_it() -> None:
    with served(CHANGES) as asked:
        address = urlsplit(asked.server.address)
        status, headers, _ = asked.get(f"/?{address.query}", token=False)
        assert (status, headers["Location"]) == (303, "/")
        assert "HttpOnly" in headers["Set-Cookie"]
        assert "SameSite=strict" in headers["Set-Cookie"]
        status, headers, text = asked.get("/", token=False, Cookie=headers["Set-Cookie"].partition(";")[0])
        assert status == 200
        assert asked.server.token not in text
        (nonce,) = re.findall(r"script-src 'nonce-([^']+)'", headers["Content-Security-Policy"])
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; ")
        assert {nonce} == set(re.findall(r'<(?:style|script) nonce="([^"]+)"', text))
        assert (headers["Cache-Control"], headers["Referrer-Policy"]) == ("no-store", "no-referrer")
        assert """content="default-src &#39;none&#39;; """ in asked.get("/record?record=0")[2]


@pytest.mark.parametrize("host", ["evil.example:{}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{}", ""])
def test_a_request_for_another_host_is_refused(host: str) -> None:
    """Else a page whose own name leads here could read the answers."""
    with served(CHANGES) as asked:
        assert asked.get("/state", Host=host.format(asked.server.port))[0] == 403
        assert asked.get("/state", Host=f"localhost:{asked.server.port}")[0] == 200
        assert asked.get("/state", Sec_Fetch_Site="cross-site")[0] == 403
        assert asked.get("/state", Sec_Fetch_Site="same-site")[0] == 403


def test_no_file_is_served_and_the_server_only_reads() -> None:
    with served(CHANGES) as asked:
        for path in ("/etc/passwd", "/../../etc/passwd", "/serve.js", "//x", "/%2e%2e/"):
            assert asked.get(path)[0] == 404
        assert asked.get("/record?record=0&file=/etc/passwd")[0] == 400
        assert "there is no file 1" in words(asked.page("record", record=0, file=1))
        for method in ("POST", "DELETE"):
            connection = http.client.HTTPConnection("127.0.0.1", asked.server.port, timeout=60)
            connection.request(method, "/", headers={"Cookie": f"{asked.cookie}={asked.server.token}"})
            assert connection.getresponse().status == 405
            connection.close()


REQUEST = ("{HOST}", "Cookie: {COOKIE}", "Connection: close", "")


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["GET / HTTP/1.1", "Content-Length: x", *REQUEST], 400),
        (["<script> / HTTP/1.1", *REQUEST], 400),
        (["GET / HTTP/1.1", "Host: evil.example", *REQUEST], 400),
        (["GET http://evil.example/ HTTP/1.1", *REQUEST], 404),
        (["GET /state HTTP/1.1", "{HOST}", "Cookie: a[b]=1; {COOKIE}", "Connection: close", ""], 200),
        (["GET /state HTTP/1.1", "{HOST}", "Cookie: {COOKIE}; =;;", "Connection: close", ""], 200),
    ],
)
def test_a_hostile_request_is_refused_and_cookies_of_others_are_passed_over(lines: list[str], status: int) -> None:
    with served(CHANGES) as asked:
        assert asked.raw(*lines).startswith(f"HTTP/1.1 {status} ".encode())
        assert json.loads(asked.get("/state")[2])["generation"] == 0


def test_what_is_not_foreseen_has_a_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*given: object, **named: object) -> None:
        raise AttributeError("no such field <b>\x1b")

    monkeypatch.setattr(RecordList, "about", failing)
    with served(CHANGES) as asked:
        status, _, text = asked.get("/")
        assert (status, "LMP-S013" in text, "\x1b" in text, "<b>" in text) == (500, True, False, False)


# -- what is answered ------------------------------------------------------------------------------


def test_lists_and_filters(tmp_path: Path) -> None:
    control, data = bmc_log.make(units=60).write(tmp_path)
    records = RecordList(search_in(data, control=str(control)))
    with served(data, TYPES, control=str(control)) as asked:
        page = asked.page()
        assert f"{records.count} records spec bmc_lldf framing rdw" in words(page)
        assert listed(page) == [*range(100)]
        (later,) = [link.get("href") for link in page.iter("a") if link.text == "Later records"]
        assert later == "/?file=0&first=100"
        assert listed(asked.page(first=100))[0] == 100
        assert listed(asked.page(type="UB")) == all_rows(records, RecordFilter(type="UB"))[:100]
        assert listed(asked.page(damaged=1)) == []
        for wrong in ({"first": "x"}, {"file": 2}):
            assert "has no value" in words(asked.page(**wrong)) or "no file 2" in words(asked.page(**wrong))


@pytest.mark.parametrize("path", [CHANGES, TYPES])
def test_a_record_is_the_page_of_explain(path: str) -> None:
    with served(path) as asked:
        for number in (0, 1):
            assert asked.get(f"/record?record={number}")[2] == explain(path, number).html()
        assert "is byte 3 of record 1" in words(asked.page("record", offset=explain(path, 1).offset + 3))
        for wrong in ("record=99", "", "record=1&offset=1", "record=x", f"offset={10**9}"):
            assert asked.get(f"/record?{wrong}")[0] == 400


def test_two_records_side_by_side() -> None:
    with served(CHANGES) as asked:
        page = asked.page("compare", record=0, other=1)
        (table, same) = page.iter("table")
        rows = {row[0].text: [cell[0].text for cell in row[1:]] for row in table.iter("tr") if row[0].text != "Field"}
        first, second = explain(CHANGES, 0), explain(CHANGES, 1)
        for node in first.dissection.leaves():
            other = second.dissection.at(node.path)
            if other is not None and isinstance(node.value, int) and isinstance(other.value, int):
                assert rows.get(node.path, [None, None]) == (
                    [str(node.value), str(other.value)] if node.value != other.value else [None, None]
                )
        assert rows["change_type"] == ['"I"', '"UB"']
        assert "not there" in [cell for row in rows.values() for cell in row]
        assert "system_id" in {row[0].text for row in same.iter("tr")}


@pytest.mark.parametrize("name", ["bmc_lldf/cut_inside_record", "db2_log/v10_little_bare_cut_in_body"])
def test_a_damaged_file_is_served_up_to_its_damage_and_there(name: str) -> None:
    with served(BAD / f"{name}.bin") as asked:
        page = asked.page()
        (damage,) = [link.get("href") for link in page.iter("a") if link.text == "damage"]
        assert "[LMP-F006]" in words(page)
        status, _, text = asked.get(damage or "")
        assert (status, "[LMP-F006]" in text) == (200, True)


def test_a_file_that_changes_is_read_anew_and_the_server_goes_on(tmp_path: Path) -> None:
    for ending in (".bin", ".ctl"):
        shutil.copy(CHANGES.replace(".bin", ending), tmp_path / f"log{ending}")
    file = tmp_path / "log.bin"
    with served(file, TYPES) as asked:
        assert listed(asked.page()) == [0, 1, 2]
        assert "log.ctl" in words(asked.page())
        file.write_bytes(file.read_bytes()[:700])
        assert listed(asked.page()) == [0, 1]
        file.unlink()
        assert "LMP-F001" in words(asked.page())
        assert len(listed(asked.page(file=1))) == 8
        shutil.copy(CHANGES, file)
        assert listed(asked.page()) == [0, 1, 2]
        (tmp_path / "log.ctl").unlink()
        assert "log.ctl" not in words(asked.page())


# -- the command -----------------------------------------------------------------------------------


def test_the_command_prints_its_address_and_ends_with_ctrl_c() -> None:
    with process(CHANGES) as (started, address):
        assert (address.scheme, address.hostname) == ("http", "127.0.0.1")
        assert "3 records" in answered(address)
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


@pytest.mark.parametrize(
    ("given", "code", "said"),
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
def test_wrong_usage_ends_before_anything_is_served(run: Any, given: list[str], code: int, said: str) -> None:
    found, out, err = run("serve", *given)
    assert (found, out) == (code, "")
    assert said in err


def test_a_port_in_use_is_an_error(run: Any) -> None:
    with served(CHANGES) as asked:
        code, out, err = run("serve", CHANGES, "--port", asked.server.port)
        assert (code, out) == (2, "")
        assert f"port {asked.server.port} cannot be used" in err


# -- the page about it -----------------------------------------------------------------------------

PAGE = (CASES.parents[1] / "docs" / "review.md").read_text("utf-8")
COMMANDS = [
    line.partition("#")[0].split()[1:]
    for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
    if line.startswith("lmparse serve ")
]
assert len(COMMANDS) == 3


@pytest.mark.parametrize("given", COMMANDS, ids=" ".join)
def test_the_commands_of_the_page_run(given: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bmc_log.make(units=12).write(tmp_path)
    db2_log.make(units=12).write(tmp_path)
    Path("my-specs").mkdir()
    Path("my-specs", "acme_a.ksy").write_text(SPEC)
    Path("reading.bin").write_bytes(b"\0\x08\0\0\1abc" * 2)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        given = [str(free.getsockname()[1]) if word == "8400" else word for word in given[1:]]
    with process(*given) as (_, address):
        if "--specs" in given:
            assert json.loads(answered(address, "state"))["problems"] == []
        else:
            assert "records" in answered(address)
