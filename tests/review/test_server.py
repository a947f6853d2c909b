"""The server of records, asked over HTTP as browsers do, and the command that starts it."""

from __future__ import annotations

import errno
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from served import BAD, CASES, CHANGES, SPEC, TABLES, TYPES, all_rows, answered, process, served, walk

from lmparse.review.explain.search import explain, search_in
from lmparse.review.serve import record_list
from lmparse.review.serve.record_list import RecordFilter, RecordList
from lmparse.review.serve.served_file import ServedFile
from lmparse.samples import bmc_log, db2_log
from lmparse.storage.joined import Joined, JoinedPiece

# -- the server ----------------------------------------------------------------------------------


def test_the_server_answers_who_has_the_token_only() -> None:
    with served(CHANGES) as asked:
        server = asked.server
        for path in ("/", "/api/list", "/api/file", "/x", "/?token=", "/?token=wrong", "/?token=" + server.token[:-1]):
            status, _, text = asked.get(path, token=False)
            assert (status, "ORDERS" in text) == (403, False)
        wrong = {"Cookie": f"{asked.cookie}=wrong"}
        assert asked.get("/api/list", token=False, **wrong)[0] == 403
        assert asked.get("/api/list")[0] == 200
        assert asked.get(f"/api/list?token={server.token}", token=False)[0] == 200


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


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_the_server_only_reads(method: str) -> None:
    with served(CHANGES) as asked:
        connection = http.client.HTTPConnection("127.0.0.1", asked.server.port, timeout=60)
        connection.request(method, "/", headers={"Cookie": f"{asked.cookie}={asked.server.token}"})
        assert connection.getresponse().status == 405
        connection.close()


REQUEST = ("{HOST}", "Cookie: {COOKIE}", "Connection: close", "")


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["GET / HTTP/1.1", "Content-Length: x", *REQUEST], 400),
        (["GET / HTTP/x", *REQUEST], 400),
        (["<script> / HTTP/1.1", *REQUEST], 400),
        (["GET / HTTP/1.1", "Host: evil.example", *REQUEST], 400),
        (["GET http://evil.example/ HTTP/1.1", *REQUEST], 404),
    ],
)
def test_a_hostile_request_is_refused_and_the_server_goes_on(lines: list[str], status: int) -> None:
    with served(CHANGES) as asked:
        assert asked.raw(*lines).startswith(f"HTTP/1.1 {status} ".encode())
        assert asked.ask("state")["generation"] == 0


@pytest.mark.parametrize(
    "cookie",
    ["a[b]=1; {COOKIE}", '{COOKIE}; j={{"a": 1, "b"}}', "lonely; {COOKIE}", "a=\xe9; {COOKIE}", "{COOKIE}; =;;",
     "a=1\r\nCookie: {COOKIE}"],
)  # fmt: skip
def test_cookies_of_other_servers_of_the_machine_are_passed_over(cookie: str) -> None:
    with served(CHANGES) as asked:
        found = asked.raw("GET /api/state HTTP/1.1", "{HOST}", f"Cookie: {cookie}", "Connection: close", "")
        assert found.startswith(b"HTTP/1.1 200 ")


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


def test_lists_and_filters_over_http(tmp_path: Path) -> None:
    control, data = bmc_log.make(units=20).write(tmp_path)
    records = RecordList(search_in(data, control=str(control)))
    with served(data, TYPES, control=str(control)) as asked:
        about = asked.ask("file")
        assert (about["count"], about["spec"], about["framing"]) == (records.count, "bmc_lldf", "rdw")
        assert about["characters"]["cp1047"][0xC4] == "D"
        listed = asked.ask("list", first=5, count=3)
        assert ([row["record"] for row in listed["rows"]], listed["next"]) == ([5, 6, 7], 8)
        updates = [row["record"] for row in asked.ask("list", type="UB", count=200)["rows"]]
        assert updates == all_rows(records, RecordFilter(type="UB"))
        assert asked.ask("list", damaged=1)["rows"] == []


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
        for wrong in ({"record": 99}, {}, {"record": 1, "offset": 1}, {"record": "x"}, {"offset": 10**9}):
            assert asked.ask("record", **wrong)["error"]["code"] == "LMP-S003"


def test_an_update_has_its_columns_before_and_after_with_what_changed() -> None:
    with served(CHANGES) as asked:
        pairs = asked.ask("record", record=1)["view"]["pairs"]
        found = explain(CHANGES, 1)
        for pair in pairs:
            before, after = (found.dissection.at(pair[f"{role}_path"]) for role in ("before", "after"))
            assert before is not None
            assert after is not None
            assert pair["differs"] == ((before.value, before.meaning) != (after.value, after.meaning))
        assert {pair["differs"] for pair in pairs} == {True, False}


def test_names_of_files_do_not_end_the_script_they_are_in(tmp_path: Path) -> None:
    hostile = tmp_path / "<script>alert(1)<!--.bin"
    shutil.copy(CHANGES, hostile)
    with served(hostile) as asked:
        page = asked.get("/")[2]
        assert page.count("<script") == 2
        assert "alert(1)<" not in page


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
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        words = [str(free.getsockname()[1]) if word == "8400" else word for word in words[1:]]
    with process(*words) as (_, address):
        if words[:2] == ["payroll.dat", "--specs"]:
            assert answered(address, "state")["problems"] == []
        else:
            assert answered(address, "file")["count"] >= 2
