"""Cases: what one is made of, and how it is written as files.

A case is bytes and what must come of them. Both are made from the same given values, by the encoder of the tests:
nothing is read back from the library.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from writers.bmc import framing, logs
from writers.bmc.control import Table

Row = dict[str, Any]
FIRST_UNIT = logs.Unit(1)

HERE = Path(__file__).parent
GOOD, BAD = HERE, HERE.parent / "cases_bad"
PROVENANCE = "tests/make_cases.py, from the tables named in doc-ref; synthetic"

LLDF = 'BMC AMI Log Master for Db2, page "Logical log data file", table "Data change record (LLDF)"'
LLDF_TEXT = 'BMC AMI Log Master for Db2, page "Logical log data file", text behind the table'
SEGMENTS = 'BMC AMI Log Master for Db2, page "Normal and segmented logical log record formats"'
DLCI = 'BMC AMI Log Master for Db2 12.1, page "Logical log column information record (DLCI)", table'


def control_page(title: str, release: str = "12.1") -> str:
    """Where the table of a control record stands."""
    return f'BMC AMI Log Master for Db2 {release}, page "{title}", table'


@dataclass(frozen=True)
class Case:
    """A file that can be read, and the rows it must give.

    Attributes:
        spec: id of the spec that the case is about; the name of its folder.
        name: stem of its files.
        title: what it shows, one line.
        doc_ref: page and table.
        data: bytes of the file.
        rows: what the command must print, in order.
        command: records or changes.
        options: of the command, under their Python names.
        control: bytes of the control file, for changes.
        exit: exit code of the command.
        tables: bytes of the tables file, for changes of Db2 LUW.
    """

    spec: str
    name: str
    title: str
    doc_ref: str | tuple[str, ...]
    data: bytes
    rows: Sequence[Row]
    command: str = "records"
    options: Mapping[str, Any] = field(default_factory=dict)
    control: bytes | None = None
    exit: int = 0
    tables: bytes | None = None

    folder = GOOD

    def expectation(self) -> dict[str, Any]:
        """What must come of it, for the .yaml."""
        common, rows = lift(self.rows)
        return {"exit": self.exit, **({"in_all_rows": common} if common else {}), "rows": rows}

    def files(self) -> dict[Path, bytes]:
        """Its files by their place."""
        stem = self.folder / self.spec / self.name
        about = {
            "title": self.title,
            "doc-ref": list(self.doc_ref) if isinstance(self.doc_ref, tuple) else self.doc_ref,
            "provenance": PROVENANCE,
            "command": self.command,
            "options": dict(self.options),
        }
        made = {stem.with_suffix(".bin"): self.data, stem.with_suffix(".yaml"): to_yaml(about | self.expectation())}
        if self.control is not None:
            made[stem.with_suffix(".ctl")] = self.control
        if self.tables is not None:
            made[stem.with_suffix(".tables")] = self.tables
        return made


@dataclass(frozen=True)
class BadCase(Case):
    """A file that cannot be read, or not all of it.

    Attributes:
        error: the first error that must be reported: code, message (a part of it), and its place: record,
            record_offset, field, field_offset. What is not named is not there.
        more_errors: how many others follow.
    """

    error: Mapping[str, Any] = field(default_factory=dict)
    more_errors: int = 0
    exit: int = 20

    folder = BAD

    def expectation(self) -> dict[str, Any]:
        places = ("code", "record", "record_offset", "field", "field_offset", "message")
        error = {name: self.error.get(name) for name in places}
        return {"exit": self.exit, "error": error, "more_errors": self.more_errors, "good_rows": len(self.rows)}


class _Dumper(yaml.SafeDumper):
    """Lists indented below their key, as in the specs."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """Text that begins with a digit in quotes, so that no reader takes it for a number or a date."""
        return self.represent_scalar("tag:yaml.org,2002:str", text, style="'" if text[:1].isdigit() else None)


_Dumper.add_representer(str, _Dumper.represent_text)


def to_yaml(value: Any) -> bytes:
    """YAML in the order given, a line for each value."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text.encode()


def lift(rows: Sequence[Row]) -> tuple[Row, list[Row]]:
    """What all rows have in common, and the rows without it, so that a reader sees what differs."""
    if len(rows) < 2:
        return {}, list(rows)
    first, *others = rows
    common = {
        name: value
        for name, value in first.items()
        if all(name in row and row[name] == value and type(row[name]) is type(value) for row in others)
    }
    return common, [{name: value for name, value in row.items() if name not in common} for row in rows]


class Raw(bytes):
    """Bytes of a column, with what must be shown for them."""

    shown: Any

    def __new__(cls, raw: bytes, shown: Any) -> Raw:
        made = super().__new__(cls, raw)
        made.shown = shown
        return made


class Log(logs.Writer):
    """A log of changes that also knows where each record stands."""

    def __init__(self, *tables: Table, **options: Any) -> None:
        super().__init__(tables, logs.Options(**options))
        self._sizes: dict[int, int] = {}

    def put(self, record: bytes, pending: Any) -> None:
        super().put(record, pending)
        self._sizes[id(pending)] = self._sizes.get(id(pending), 0) + len(record)

    def change(
        self,
        change_type: str,
        before: Mapping[str, Any] | None = None,
        after: Mapping[str, Any] | None = None,
        *,
        table: Table | None = None,
        unit: logs.Unit = FIRST_UNIT,
        **given: Any,
    ) -> None:
        """Append a change; see `encoder.logs.Writer.pieces`. A value that the encoder does not know is a `Raw`."""
        images = [None if row is None else dict(row) for row in (before, after)]
        for piece in self.pieces(unit, table or self.tables[0], change_type, *images, **given):
            self.put(*piece)

    @staticmethod
    def _shown_row(table: Table, row: Mapping[str, Any] | None) -> Row | None:
        if row is None:
            return None
        encoding = logs.ENCODINGS[table.encoding_scheme]
        values = [(column, row[column.name]) for column in table.columns]
        return {
            column.name: value.shown if isinstance(value, Raw) else logs.shown(column, value, encoding)
            for column, value in values
        }

    def insert(self, row: Mapping[str, Any], **given: Any) -> None:
        """Append an insert."""
        self.change("I", None, row, **given)

    def case(
        self,
        spec: str,
        name: str,
        title: str,
        doc_ref: str | tuple[str, ...],
        *,
        control: Mapping[str, Any] | None = None,
        control_records: Iterable[bytes] | None = None,
        kind: str = "rdw",
        control_kind: str = "rdw",
        framing_options: Mapping[str, Any] | None = None,
        edit: Mapping[int, Row] | None = None,
        exit: int = 0,
        **options: Any,
    ) -> Case:
        """The case of this log.

        Args:
            spec: as in `Case`.
            name: as in `Case`.
            title: as in `Case`.
            doc_ref: as in `Case`.
            control: arguments of `encoder.control.for_tables`.
            control_records: the control file, instead of the one that `control` gives.
            kind: framing of the data file.
            control_kind: framing of the control file.
            framing_options: of the framing's function.
            edit: keys of single rows, by their number, that are shown otherwise than the encoder says.
            exit: as in `Case`.
            **options: of the command.
        """
        log = self.example(**{"header": self.options.header, **(control or {})})
        data = framing.framed(kind, log.data_records, **(framing_options or {}))
        pending = sorted(self._pending, key=lambda entry: entry.last_record)
        for change, entry in zip(log.changes, pending, strict=True):
            place = {"record_index": entry.last_record, "record_offset": data.offsets[entry.last_record]}
            change["_metadata"] = place | {"record_length": self._sizes[id(entry)], "spec": "bmc_lldf"}
        rows = log.expected_for(options.get("include", "committed"), options.get("order", "file"))
        for number, keys in (edit or {}).items():
            rows[number].update(keys)
        records = log.control_records if control_records is None else list(control_records)
        return Case(
            spec,
            name,
            title,
            doc_ref,
            data.data,
            rows,
            "changes",
            options,
            framing.framed(control_kind, records).data,
            exit,
        )
