"""Control checks: statements of the control file, compared with the data file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from lmparse.bmc.control_file import ControlFile
from lmparse.bmc.tables import Tables, TableVersion, position_of
from lmparse.records.reader import Values


@dataclass
class Observed:
    """Facts that the records of a data file show."""

    last_position: bytes = b""
    """Highest RBA, or LRSN in data sharing."""
    has_segments: bool = False
    change_types: set[str] = field(default_factory=set)
    records: int = 0

    def add(self, values: Values) -> None:
        """Add the facts of one header."""
        self.records += 1
        self.last_position = max(self.last_position, position_of(values) or b"")
        self.has_segments = self.has_segments or (values["total_segs"] or 0) > 1
        self.change_types.add(values["change_type"])


def differences(control: ControlFile, tables: Tables, observed: Observed) -> Iterator[str]:
    """Statements of the control file that the data contradicts, in words."""
    yield from _data_set(control, observed)
    end = control.first("DLGE").get("end_rba") or b""
    if end.strip(b"\x00") and observed.last_position > end:
        yield f"DLGE.ENDRBA is {end.hex().upper()}, but a record is at {observed.last_position.hex().upper()}"
    for version in tables.versions:
        yield from _table(version)
    for record in control.of("DLCI"):
        values = record.values
        stated, name = values["column_name_len"], values["column_name"] or ""
        if stated is not None and stated != len(name):
            yield f"DLCI.COLUMNNAMELEN of {name} is {stated}, but the name has {len(name)} characters"


def _data_set(control: ControlFile, observed: Observed) -> Iterator[str]:
    stated = control.first("DLDS")
    seen = {
        "segmented": ("SEGMENTED", observed.has_segments, "segmented records"),
        "ddl_objects": ("DDLOBJECTS", "CO" in observed.change_types, "DDL records"),
        "cmds_included": ("CMDSINCLUDED", "CM" in observed.change_types, "command records"),
    }
    for name, (vendor_name, is_there, what) in seen.items():
        if stated.get(name) == "N" and is_there:
            yield f"DLDS.{vendor_name} is N, but the data has {what}"
    if stated.get("segmented") == "Y" and observed.records and not observed.has_segments:
        yield "DLDS.SEGMENTED is Y, but the data has no segmented record"


def _table(version: TableVersion) -> Iterator[str]:
    described = version.described
    columns, width = described.get("ll_num_col"), described.get("ll_max_row_len")
    if columns is not None and columns != len(version.columns):
        yield f"DTBI.LLNUMCOL of {version.identity} is {columns}, but {len(version.columns)} DLCI records describe it"
    widths = [column.loglog_bytes for column in version.columns]
    if width is not None and widths and None not in widths and sum(filter(None, widths)) != width:
        yield (
            f"DTBI.LLMAXROWLEN of {version.identity} is {width}, but LOGLOGBYTES of its columns add up to "
            f"{sum(filter(None, widths))}"
        )
    for first, second in pairwise(version.columns):
        # The base of LLCOLUMNPOS is not stated, so only the step from one column to the next counts.
        known = None not in (first.position, second.position, first.loglog_bytes) and not first.is_varying
        if known and min(first.position or 0, second.position or 0) >= 0:
            step = (second.position or 0) - (first.position or 0)
            if step != first.loglog_bytes:
                yield (
                    f"DLCI.LLCOLUMNPOS of {version.identity} steps {step} bytes from {first.name} to {second.name}, "
                    f"but LOGLOGBYTES is {first.loglog_bytes}"
                )
