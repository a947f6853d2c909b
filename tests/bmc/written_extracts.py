"""Extracts with changes in segments, which are cut as a test says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from writers.bmc import control, framing, lldf
from writers.bmc.control import Table
from writers.bmc.fields import key
from writers.bmc.rows import Column

from lmparse import cli

ENGINES = pytest.mark.parametrize("engine", ["columnar", "kaitai"])
TABLE = Table(0x105, 2, 3, "PROD", "WIDE", (Column("K", "INT", 4), Column("V", "VCHR", 900)))
TEXT = "".join(chr(ord("A") + number % 26) for number in range(200))


def fields(place: int, rid: str = "0" * 10) -> dict[str, Any]:
    position, begin, end = (f"{0x12345000 + number:020X}" for number in (1 + place, 0, 0x1000))
    named = {
        **TABLE.header_fields, "changetype": "I", "logrba": position, "loglrsn": position, "memberid": 0, "rid": rid,
        "uorid": begin, "uordisp": "C", "uorcommitpoint": end, "uoridlrsn": begin, "uorcommitlrsn": end,
    }  # fmt: skip
    return {key(name): value for name, value in named.items()}


def data(text: str, width: int = 0) -> bytes:
    """DATA of an insert; with a width, with the text as long as its column, as EXPANDVAR Y has it."""
    image = (1).to_bytes(4, "big") + len(text).to_bytes(2, "big") + text.encode("cp037").ljust(width, b"\x40")
    return lldf.data_area("I", [image])


def whole(place: int, text: str, width: int = 0, **keys: Any) -> list[bytes]:
    return [lldf.record(data(text, width), **keys, **fields(place))]


def cut(place: int, text: str, capacity: int, width: int = 0, **keys: Any) -> list[bytes]:
    return lldf.segmented(fields(place), data(text, width), capacity, **keys)


class Extracts:
    """Extracts in a folder, each with its control file."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.said = ""
        self.paths: list[str] = []

    def add(
        self,
        *records: bytes,
        tables: Sequence[Table] = (TABLE,),
        segmented: str = "Y",
        expandvar: str = "N",
        header: Any = None,
    ) -> None:
        path = self.folder / f"e{len(self.paths)}.dat"
        path.write_bytes(framing.rdw(records))
        told = control.for_tables(tables, dlds_fields={"segmented": segmented, "expandvar": expandvar}, header=header)
        path.with_suffix(".ctl").write_bytes(framing.rdw(told))
        self.paths.append(str(path))

    def texts(self, engine: str = "columnar") -> list[str]:
        return [change["after"]["V"].rstrip() for change in self.changes(engine) if change["op"] == "I"]

    def changes(self, engine: str, *options: str) -> list[dict[str, Any]]:
        self._run("changes", "--engine", engine, *options)
        printed, self.said = self._capsys.readouterr()
        return [json.loads(line) for line in printed.splitlines()]

    def seqs(self, engine: str) -> list[int]:
        """The ends of `seq`."""
        return [int(change["seq"][-8:], 16) for change in self.changes(engine)]

    def check(self) -> int:
        return self._run("check")

    def _run(self, command: str, *options: str) -> int:
        return cli.main([command, *self.paths, "--control", str(self.folder / "{stem}.ctl"), *options])
