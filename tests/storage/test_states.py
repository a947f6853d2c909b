"""A file that is gone, grew, shrank or was written to is another than was planned."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from storage.conftest import Remote

from lmparse.errors import LmparseError, ReadError
from lmparse.storage.states import check_all, state_of


def _grown(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"more")


def _shrunk(path: Path) -> None:
    os.truncate(path, 3)


def _written(path: Path) -> None:
    path.write_bytes(b"other")
    os.utime(path, ns=(1, 1))


CHANGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "gone": (Path.unlink, "LMP-F001", "cannot be read: No such file"),
    "grown": (_grown, "LMP-F012", "grew after its reading was planned: expected 5 bytes, found 9"),
    "shrunk": (_shrunk, "LMP-F012", "shrank after its reading was planned: expected 5 bytes, found 3"),
    "written": (_written, "LMP-F012", "was written to after its reading was planned"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("address", ["{}", "file://{}"])
def test_what_changed_is_said(change: str, address: str, tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(b"bytes")
    name = address.format(path)
    known = pickle.loads(pickle.dumps(state_of(name)))
    check_all([known])
    make, code, text = CHANGES[change]
    make(path)
    with pytest.raises(LmparseError, match=text) as caught:
        check_all([known])
    assert caught.value.code == code
    assert str(caught.value).startswith(f"{name}: ")


def test_another_machine_may_have_a_copy_with_its_own_time(tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(b"bytes")
    elsewhere = replace(state_of(str(path)), host="another", stamp=1)
    elsewhere.check()
    _grown(path)
    with pytest.raises(LmparseError, match="grew"):
        elsewhere.check()


def test_a_remote_file_is_known_by_the_facts_of_its_file_system(remote: Remote) -> None:
    known = state_of(remote.put("a.dat", b"bytes"))
    known.check()
    remote.put("a.dat", b"other bytes")
    with pytest.raises(LmparseError, match="was written to") as caught:
        known.check()
    assert caught.value.code == ReadError.code
