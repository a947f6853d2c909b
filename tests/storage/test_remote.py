"""Files on remote file systems, in folders and archives there, give what plain local ones give; their errors."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pytest
from storage.conftest import ENDINGS, PACKERS, Log, Remote, alone, fault, packed

from lmparse.bmc.control.find_control import ControlSearch, is_control
from lmparse.errors import NotInstalledError, OptionError
from lmparse.logs.partitions import Request
from lmparse.options import Options
from lmparse.storage import stored
from lmparse.storage.buffers import open_buffer
from lmparse.storage.joined import names_in
from lmparse.storage.listing import list_files

pytestmark = pytest.mark.usefixtures("nothing_known")


@pytest.mark.parametrize("ending", ["", *ENDINGS])
def test_a_remote_file_is_read_like_a_local_one(log: Log, remote: Remote, run: Any, ending: str) -> None:
    address = remote.put(f"a b/100%20#.dat{ending}", PACKERS.get(ending, bytes)(log.data.read_bytes()))
    plain = alone(log.data)
    expected, found = run("sniff", plain), run("sniff", address)
    assert (found.code, found.out.replace(address, str(plain))) == (expected.code, expected.out)


@pytest.mark.parametrize("ending", ["", *ENDINGS])
def test_changes_of_a_remote_log(log: Log, remote: Remote, run: Any, ending: str) -> None:
    pack = PACKERS.get(ending, bytes)
    data = remote.put(f"day/night.dat{ending}", pack(log.data.read_bytes()))
    ctl = remote.put(f"day/night.ctl{ending}", pack(log.control.read_bytes()))
    expected = run("changes", log.data, "--control", log.control)
    for named in (ctl, f"{remote.root}/day", f"{remote.root}/day/{{stem}}.ctl{ending}", log.control):
        found = run("changes", data, "--control", named)
        assert (found.code, found.err) == (expected.code, expected.err)
        assert found.out.replace(data, str(log.data)) == expected.out
    assert ControlSearch().find(data, None) == ctl
    assert is_control(ctl)
    assert not is_control(data)
    assert not is_control(f"{remote.root}/day")
    assert not is_control(f"{remote.root}/none")


@pytest.fixture
def tree(remote: Remote) -> Remote:
    names = ("b.dat", "a.dat", "a.ctl", "_SUCCESS", ".a.crc", "day 1/c.dat", "day 1/.e", "_temporary/d.dat", "n[1].dat")
    for name in (*names, "day 1/deep/f.dat"):
        remote.put(name, b"x")
    return remote


TOP = ["a.ctl", "a.dat", "b.dat"]


@pytest.mark.parametrize(
    ("path", "recursive", "expected"),
    [
        ("", False, [*TOP, "n[1].dat"]),
        ("", True, [*TOP, "day 1/c.dat", "day 1/deep/f.dat", "n[1].dat"]),
        ("/day 1", False, ["day 1/c.dat"]),
        ("/n[1].dat", False, ["n[1].dat"]),
        ("/*.dat", False, ["a.dat", "b.dat", "n[1].dat"]),
        ("/[ab].*", False, TOP),
        ("/_*", False, ["_temporary/d.dat"]),
        ("/d*/*/f.dat", False, ["day 1/deep/f.dat"]),
        ("/day 1/**", True, ["day 1/c.dat", "day 1/deep/f.dat"]),
    ],
)
def test_folders_and_patterns(tree: Remote, tmp_path: Path, path: str, recursive: bool, expected: list[str]) -> None:
    assert tree.names(list_files([tree.root + path], recursive=recursive)) == expected
    base = tmp_path / "bucket"  # and as on a local disk
    found = list_files([f"{base}{path}"], recursive=recursive)
    assert [Path(name).relative_to(base).as_posix() for name in found] == expected


def test_files_of_a_remote_folder_with_their_control_files(
    remote: Remote, contents: tuple[bytes, bytes], copies: list[str]
) -> None:
    options = Options.parse({})
    for name in ("a", "b", "c", "d"):
        remote.put(f"{name}.dat.gz", gzip.compress(contents[0]))
        remote.put(f"{name}.ctl", contents[1])
    request = Request((remote.root,), options, with_changes=True)
    ((log, named),) = request.files()  # of one system, so they are one log
    assert names_in(log) == [f"{remote.root}/{name}.dat.gz" for name in "abcd"]
    assert names_in(str(named.control)) == [f"{remote.root}/{name}.ctl" for name in "abcd"]
    assert sorted(one for one in copies if ".dat" in one) == [f"{name}.dat.gz" for name in "abcd"], "each once"


# -- remote file systems: errors ------------------------------------------------------------------


def test_remote_files_that_cannot_be_read(tree: Remote, run: Any) -> None:
    assert fault(f"{tree.root}/none.dat").message == "cannot be read: No such file or directory"
    assert fault(f"{tree.root}/day 1").message == "is a directory, not a file"
    found = run("records", f"{tree.root}/none.dat.gz")
    assert (found.code, found.out) == (20, "")
    assert found.err.startswith(f"{tree.root}/none.dat.gz: cannot be read: No such file or directory [LMP-F001]")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PermissionError(13, "AWS Error ACCESS_DENIED during GetObject"), "AWS Error ACCESS_DENIED during GetObject"),
        (OSError("no such bucket\nDetails: many"), "no such bucket"),
        (RuntimeError("proxy http://me:secret@proxy:80 is down"), "proxy http://proxy:80 is down"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        (pa.ArrowInvalid("x" * 5000), "x" * 300),
    ],
)
@pytest.mark.parametrize("stage", ["look_up", "open", "read"])
def test_errors_of_a_file_system(
    monkeypatch: pytest.MonkeyPatch, run: Any, stage: str, error: Exception, reason: str
) -> None:
    class File(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise error

    class System:
        def get_file_info(self, path: str) -> Any:
            if stage == "look_up":
                raise error
            return pafs.FileInfo(path, pafs.FileType.File, mtime_ns=1, size=1)

        def open_input_stream(self, path: str, compression: None) -> Any:
            if stage == "open":
                raise error
            return File()

    monkeypatch.setattr(stored, "_system", lambda front, behind: (System(), "bucket"))
    for name in ("a.dat", "a.gz"):
        assert fault(f"s3://bucket/{name}").message == f"cannot be read: {reason}"
    assert run("sniff", "s3://bucket/a.dat").code == 20


def test_a_scheme_that_nothing_knows(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("nonesuch://host/a.dat", "https://host/a.dat", "zip://a.dat::file:///a.zip"):
        found = run("records", address)
        assert (found.code, found.out) == (2, "")
        assert "is not known to the file systems of pyarrow" in found.err
    monkeypatch.setitem(sys.modules, "pyarrow.fs", None)
    stored._system.cache_clear()
    with pytest.raises(NotInstalledError, match="pyarrow"):
        open_buffer("s3://bucket/a.dat")


@pytest.mark.parametrize(
    "address",
    [
        "s3://key:hush@bucket/a.dat",
        "simplecache::sftp://me:hush@host/a.dat",
        "https://host/a.dat?sv=1&sig=hush",
        "s3://bucket/a.dat?secret_key=hush",
    ],
)
def test_an_address_with_a_credential_is_refused(run: Any, address: str) -> None:
    for command in ("records", "sniff", "check"):
        found = run(command, address)
        assert (found.code, found.out) == (2, "")
        assert "credential" in found.err
        assert "hush" not in found.err
    with pytest.raises(OptionError):
        list_files([address])


def test_file_addresses_are_local(log: Log, run: Any) -> None:
    address = log.data.as_uri()
    found = run("records", address)
    assert found.out == run("records", log.data).out
    rows = run("changes", address, "--control", log.control.as_uri()).rows
    assert {row["_metadata"]["file"] for row in rows} == {address}
    assert fault(log.data.parent.as_uri()).message == "is a directory, not a file"
    assert open_buffer(packed(log.data, ".gz").as_uri())[:] == log.data.read_bytes()
