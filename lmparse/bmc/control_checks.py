"""Control checks: statements of the control file, compared with the data file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from lmparse.bmc.control_file import ControlFile
from lmparse.bmc.tables import Tables, TableVersion, position_of
from lmparse.changes.claims import Claim, Statement
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


DATA_SET = Statement(
    "the data has the kinds of records that DLDS states, and no others", "statements",
    "SEGMENTED, DDLOBJECTS and CMDSINCLUDED, with TOTALSEGS and CHANGE TYPE of all records",
)  # fmt: skip
END = Statement(
    "no record is behind the end that DLGE states", "logs", "ENDRBA, with LOGRBA, or LOGLRSN in data sharing"
)
TABLES = Statement(
    "DTBI agrees with the columns of its table", "tables",
    "LLNUMCOL, with the number of DLCI records; LLMAXROWLEN, with the sum of LOGLOGBYTES; the steps of LLCOLUMNPOS, "
    "with LOGLOGBYTES",
)  # fmt: skip
COLUMNS = Statement(
    "COLUMNNAMELEN is the length of the column's name", "columns", "COLUMNNAMELEN of DLCI, with COLUMNNAME"
)
KEYS = Statement(
    "the key that KEYSEQ says is that of an index of the table", "tables",
    "KEYSEQ of DLCI, with KEYCOL of the DICL records of each DIXI and DCXI record; NUMCOLSINKEY, with their number",
)  # fmt: skip
VERSIONS = Statement(
    "one version of a table is in force at a position", "later versions of tables",
    "DROPRBA of a version, with CREATERBA of the versions that were created later and have other columns",
)  # fmt: skip
STATEMENTS = (DATA_SET, END, TABLES, COLUMNS, KEYS, VERSIONS)
_NO_CONTROL = "there is no control file"


def claims(control: ControlFile | None, tables: Tables, observed: Observed) -> list[Claim]:
    """What came of comparing the statements of the control file with the data and with each other."""
    data_set, end, table, column, key, versions = found = [statement.claim() for statement in STATEMENTS]
    if control is None:
        for claim in found:
            claim.untestable[_NO_CONTROL] += 1
        return found
    _data_set(data_set, control, observed)
    stated = control.first("DLGE").get("end_rba") or b""
    last = observed.last_position
    if not stated.strip(b"\x00"):
        end.untestable["there is no DLGE record, or its ENDRBA is zero"] += 1
    else:
        said = f"DLGE.ENDRBA is {stated.hex().upper()}, but a record is at {last.hex().upper()}"
        end.test(said if last > stated else None)
    for version in tables.versions:
        failures = list(_table(version))
        table.test(failures[0] if failures else None)
        for failure in failures[1:]:
            table.test(failure)
        _key(key, version)
    versions.tested = sum(len(history.versions) - 1 for history in tables.histories())
    overlaps = tables.overlaps()
    versions.fail(len(overlaps), overlaps)
    if not versions.tested:
        versions.untestable["no table has several versions"] += 1
    for record in control.of("DLCI"):
        values = record.values
        length, name = values["column_name_len"], values["column_name"] or ""
        if length is None:
            column.untestable["COLUMNNAMELEN is blank"] += 1
        else:
            said = f"DLCI.COLUMNNAMELEN of {name} is {length}, but the name has {len(name)} characters"
            column.test(said if length != len(name) else None)
    return found


def _data_set(claim: Claim, control: ControlFile, observed: Observed) -> None:
    stated = control.first("DLDS")
    seen = {
        "segmented": ("SEGMENTED", observed.has_segments, "segmented records"),
        "ddl_objects": ("DDLOBJECTS", "CO" in observed.change_types, "DDL records"),
        "cmds_included": ("CMDSINCLUDED", "CM" in observed.change_types, "command records"),
    }
    for name, (vendor_name, is_there, what) in seen.items():
        if stated.get(name) not in ("Y", "N"):
            claim.untestable["DLDS does not say it"] += 1
        elif stated[name] == "N":
            claim.test(f"DLDS.{vendor_name} is N, but the data has {what}" if is_there else None)
        elif name == "segmented" and observed.records:
            claim.test(None if is_there else "DLDS.SEGMENTED is Y, but the data has no segmented record")
        else:
            claim.untestable["Y may mean that such records are possible"] += 1


def _key(claim: Claim, version: TableVersion) -> None:
    found = version.found_key
    for fault in found.faults:
        claim.test(fault)
    if not found.faults and found.untestable:
        claim.untestable[found.untestable] += 1
    elif not found.faults:
        claim.test()


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
