"""Watching specs: each change is built once it is made, however it is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from lmparse.spec.build.products import Builder, Made, watch

SPEC = "meta: {id: acme_a, imports: [acme_b]}\nseq: [{id: one, type: u1}]\n"
OTHER = "meta: {id: acme_b}\nseq: [{id: other, type: u1}]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "specs" / "acme"
    folder.mkdir(parents=True)
    (folder / "acme_a.ksy").write_text(SPEC)
    (folder / "acme_b.ksy").write_text(OTHER)
    return folder


def watched(source: Path, *changes: Callable[[], object]) -> Iterator[Made]:
    """What each build gives, the first one and one after each change."""
    builder, made, left, ended = Builder(), [], [*changes], Event()

    def build() -> None:
        made.append(builder.make(source))
        if left:
            left.pop(0)()
        else:
            ended.set()

    watch(builder, source, build, ended.is_set)
    return iter(made)


def replaced(path: Path, text: str) -> Callable[[], object]:
    """Writes a file as many editors do: another one beside it, which takes its place."""

    def write() -> None:
        new = path.with_suffix(".tmp")
        new.write_text(text)
        os.utime(new, ns=(0, 0))
        new.replace(path)

    return write


@pytest.mark.parametrize("is_file", [False, True])
def test_each_change_is_built(folder: Path, is_file: bool) -> None:
    one, other = folder / "acme_a.ksy", folder / "acme_b.ksy"
    faulty, changed = SPEC + "bogus: 1\n", SPEC.replace("one", "two")
    first, wrong, missing, again, second = watched(
        one if is_file else folder.parent,
        lambda: one.write_text(faulty),
        other.unlink,
        replaced(other, OTHER),
        replaced(one, changed),
    )
    assert [*first.problems, *second.problems] == []
    assert "one" in first.products["acme_a.pyi"]
    assert [problem.where for problem in wrong.problems] == ["/bogus"]
    assert {problem.where for problem in missing.problems} == {"/bogus", "/meta/imports/0"}
    assert [problem.where for problem in again.problems] == ["/bogus"]
    assert "two" in second.products["acme_a.pyi"]


def test_a_change_during_a_build_and_a_new_file_are_seen(folder: Path) -> None:
    new = folder / "deep" / "acme_c.ksy"
    new.parent.mkdir()
    first, second, third = watched(
        folder.parent,
        lambda: new.write_text("meta: {id: acme_c}\n"),
        lambda: (new.unlink(), (folder / "acme_b.ksy").write_text(OTHER + "# end\n")),
    )
    assert [made.built for made in (first, second, third)] == [2, 3, 2]
