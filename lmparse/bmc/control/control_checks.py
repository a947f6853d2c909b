"""Control checks: statements of the control file, compared with the data file and with each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lmparse.bmc.control.control_file import ControlFile
from lmparse.bmc.control.table_names import has_name
from lmparse.bmc.control.tables import Tables, TableVersion, full_ids, identity, position_of
from lmparse.changes.claims import Claim, Statement
from lmparse.errors import ControlError
from lmparse.framing.extents import RecordExtent
from lmparse.records.reader import Values
from lmparse.values.codepages import CodePage

DESCRIBED = Statement("the control file has the table of a record, by this name", "records")
IN_FORCE = Statement("the table was in force when it was changed", "records")
END = Statement("no record is behind the end that DLGE states", "logs")
TABLES = Statement("DTBI has the number of the columns of its table", "tables")
KEYS = Statement("KEYSEQ numbers the columns of a key from 1 on", "tables")
STATEMENTS = (DESCRIBED, IN_FORCE, END, TABLES, KEYS)

_NAMES = ("tsname", "table_owner", "table_name")
_KEY = ("system_id", "dbid", "psid", "tbobid", "dbname", *_NAMES)
_KEPT = 10_000
"""Most tables whose results are kept for the records that follow."""
_NO_DTBI = "no DTBI record describes the table"
_BLANK = "a name in the header is blank"
_NO_NAMES = "DTBI ends before its names"
_NO_POSITION = "DTBI does not say since when or until when, or the header does not say when"
_NO_CONTROL = "there is no control file"

Result = tuple[str | None, str | None]
"""How a test failed, and why it could not be made; neither if it passed."""


class ControlChecks:
    """Tests the headers of one log against its control file."""

    def __init__(self, control: ControlFile | None, tables: Tables, page: CodePage) -> None:
        self._control, self._page = control, page
        self._tables = tables if control else None
        self._described, self._in_force, *self._of_control = self._all = [statement.claim() for statement in STATEMENTS]
        self._known: dict[tuple[Any, ...], tuple[Result, TableVersion | None]] = {}
        self._last = b""
        """Highest RBA, or LRSN in data sharing."""

    def observe(self, values: Values) -> None:
        """Note what a header shows of the whole log."""
        self._last = max(self._last, position_of(values) or b"")

    def add(self, extent: RecordExtent, values: Values) -> None:
        """Test one record."""
        key = tuple([values[name] for name in _KEY])
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            version = self._version(values)
            described = self._is_described(values, version)
            # The right one of several versions is found by its positions, which are not tested then.
            every = self._versions(values)
            known = self._known[key] = described, every[0] if len(every) == 1 else None
        described, version = known
        _count(self._described, extent, described)
        _count(self._in_force, extent, self._is_in_force(values, version))

    def claims(self) -> list[Claim]:
        """What came of all tests."""
        if self._tables is None or self._control is None:
            for claim in self._of_control:
                claim.untestable[_NO_CONTROL] += 1
            return self._all
        end, table, key = self._of_control
        ends, last = self._control.first("DLGE").get("end_rba") or b"", self._last
        if not ends.strip(b"\x00"):
            end.untestable["there is no DLGE record, or its ENDRBA is zero"] += 1
        else:
            said = f"DLGE.ENDRBA is {ends.hex().upper()}, but a record is at {last.hex().upper()}"
            end.test(said if last > ends else None)
        for version in self._tables.versions:
            stated, described = version.described.get("ll_num_col"), len(version.columns)
            said = f"DTBI.LLNUMCOL of {version.identity} is {stated}, but {described} DLCI records describe it"
            table.test(said if stated not in (None, described) else None)
            if version.key or version.key_fault:
                key.test(version.key_fault)
            else:
                key.untestable["no KEYSEQ says the key"] += 1
        return self._all

    def _version(self, values: Values) -> TableVersion | None:
        try:
            return None if self._tables is None else self._tables.find(values)
        except ControlError as error:
            # Which of several versions holds does not matter for the name.
            is_known = error.code != "LMP-C002"
            return next(iter(self._versions(values)), None) if is_known else None

    def _versions(self, values: Values) -> Sequence[TableVersion]:
        return self._tables.of(identity(values)).versions if self._tables else ()

    def _is_described(self, values: Values, version: TableVersion | None) -> Result:
        if self._tables is None:
            return None, _NO_CONTROL
        if version is None:
            return f": no control record describes {full_ids(values)}", None
        described = version.described
        if not described:
            return None, _NO_DTBI
        dbname = described.get("dbname")
        if dbname and values["dbname"] is not None and dbname != values["dbname"]:
            return f": DBNAME {values['dbname'] or 'is blank'}, but DTBI of its ids has {dbname}", None
        if not (described.get("rest") or b"").strip(b"\0\x40"):
            return None, _NO_NAMES
        for name in _NAMES:
            if values[name] and not has_name(version, values[name], self._page):
                return f": {name.upper().replace('_', '')} {values[name]}, which DTBI of its ids does not have", None
        return None, _BLANK if any(values[name] == "" for name in _NAMES) else None

    def _is_in_force(self, values: Values, version: TableVersion | None) -> Result:
        if self._tables is None:
            return None, _NO_CONTROL
        if version is None:
            return None, "the table has no version or several: then the right one is found by its positions"
        position = position_of(values) or b""
        is_stated = version.is_dropped or version.create_rba.strip(b"\0")
        if not is_stated or not position.strip(b"\0"):
            return None, _NO_POSITION
        is_good = version.holds_at(position)
        begin, end = version.create_rba.hex().upper(), version.drop_rba.hex().upper()
        return None if is_good else f": at {position.hex().upper()}, but its table is from {begin} to {end}", None


def _count(claim: Claim, extent: RecordExtent, result: Result) -> None:
    failure, reason = result
    if reason is not None:
        claim.untestable[reason] += 1
    else:
        claim.test(None if failure is None else f"record {extent.index} at {extent.offset:#x}{failure}")
