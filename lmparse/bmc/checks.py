"""Checks: whether the records of a Log Master log agree with themselves, each other and the control file.

The manual defines no order of the records in a file, and no record names another record. So positions are compared with
positions of the unit of recovery, and headers of one unit, of one change and of one table with each other. Each record
takes 40 bytes until the end, however long it is.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar

import numpy as np

from lmparse.bmc.columns.position_runs import PositionRuns
from lmparse.bmc.control.control_file import ControlFile
from lmparse.bmc.control.table_names import has_name
from lmparse.bmc.control.tables import Tables, TableVersion, full_ids, identity, position_of
from lmparse.bmc.log import seq as log_seq
from lmparse.bmc.record.change_record import has_images
from lmparse.bmc.record.segments import SegmentIndex
from lmparse.changes.claims import KEPT_FAILURES, Claim, Statement
from lmparse.errors import ControlError
from lmparse.framing.extents import RecordExtent
from lmparse.records.reader import Values
from lmparse.spec import catalog
from lmparse.values.codepages import CodePage

TWICE = Statement("no record is there twice", "records")
SEQ = Statement("seq of a change is unique", "changes")
LENGTH = Statement("headers have one length", "records")
SEGMENTS = Statement("the segments of a change are all there, once each", "changes")
UNITS = Statement("the records of a unit of recovery agree on it", "records")
WITHIN = Statement("a change is between the beginning and the commit of its unit", "records")
COMMITS = Statement("a unit has a commit record if it is committed, and only then", "records")
OUTCOMES = Statement("a change was taken back with its unit, or kept with it", "records")
_OF_RECORDS = (TWICE, SEQ, LENGTH, SEGMENTS, UNITS, WITHIN, COMMITS, OUTCOMES)
DESCRIBED = Statement("the control file has the table of a record, by this name", "records")
IN_FORCE = Statement("the table was in force when it was changed", "records")
END = Statement("no record is behind the end that DLGE states", "logs")
TABLES = Statement("DTBI has the number of the columns of its table", "tables")
KEYS = Statement("KEYSEQ numbers the columns of a key from 1 on", "tables")
_OF_CONTROL = (DESCRIBED, IN_FORCE, END, TABLES, KEYS)

_UNIT_FIELDS = (
    "system_id", "uor_id_lrsn", "uor_timestamp", "uor_commit_timestamp", "uor_disp", "uor_commit_lrsn",
    "uor_commit_point", "incomplete_trans", "incomplete_dep", "uor_has_comp",
)  # fmt: skip
_WHOLE = ((0, 0), (1, 0), (1, 1))
"""TOTALSEGS and SEGNUM of a change in one record: the number of the first segment is not documented."""
_COMMIT_FIELDS = ("uor_commit_lrsn", "uor_commit_point", "uor_commit_timestamp")
_BOUNDS = (("uor_id", "log_rba", "uor_commit_point"), ("uor_id_lrsn", "log_lrsn", "uor_commit_lrsn"))
_ABSENT = "the header has no such field"
_BAD_VALUE = "the value cannot be read"
_ALONE = "the only record of its unit"
_NO_UNIT = "UORID is zero"
_NO_POSITION = "the positions of the unit are zero"
_DAMAGED = "a record that cannot be read may be the one that is missing"
_ZERO = bytes(10)
"""The position zero, in place of a position."""
_MASK = (1 << 64) - 1

Kind = TypeVar("Kind", bound=Hashable)


@dataclass
class _Kinds(Generic[Kind]):
    """Records by a value: the number of records with each value, and the first ones in words."""

    counts: Counter[Kind] = field(default_factory=Counter)
    first: dict[Kind, list[str]] = field(default_factory=dict)

    def add(self, kind: Kind, extent: RecordExtent, found: str = "") -> None:
        self.counts[kind] += 1
        known = self.first.setdefault(kind, [])
        if len(known) < KEPT_FAILURES:
            known.append(f"{_said(extent)}{found}")

    def test(self, claim: Claim, is_good: Callable[[Kind], bool], failure: str) -> None:
        """Count all records as tested, and the records of kinds that are not good as failed."""
        claim.tested += self.counts.total()
        for kind, count in self.counts.items():
            if not is_good(kind):
                claim.fail(count, (f"{said}{failure}" for said in self.first[kind]))


class Consistency:
    """Tests the header of each record of a log.

    `absent` are the fields that a described header lacks. `runs` numbers the changes of one position. `segments` has
    the segments of all changes that this log gives. A unit of a merged log may be in several logs.
    """

    def __init__(
        self, absent: Collection[str], *, runs: PositionRuns, segments: SegmentIndex, is_merged: bool = False
    ) -> None:
        self._runs, self._index = runs, segments
        self._absent, self._is_merged = frozenset(absent), is_merged
        self._twice, self._seq, self._length, self._segments, self._units, self._within, self._commits, \
            self._outcomes = self._all = [statement.claim() for statement in _OF_RECORDS]  # fmt: skip
        self._commit_fields = tuple(name for name in _COMMIT_FIELDS if name not in self._absent)
        self._indexes, self._digests = array("Q"), array("Q")
        self._keys, self._said = array("Q"), array("Q")
        """Digests of the unit of each record, and of the statements of its header on the unit."""
        self._seqs = array("Q")
        """Digest of `seq` of the change that each record begins; 0 for other records."""
        self._headers = _Kinds[int]()
        self._whole = _Kinds[tuple[int, int]]()
        """Changes in one record by TOTALSEGS and SEGNUM."""
        self._is_damaged = False

    def unreadable(self, raw: bytes) -> None:
        """Note a record that cannot be read."""
        self._is_damaged = True
        self._runs.number(raw)

    def add(
        self, extent: RecordExtent, raw: bytes, values: Values, *, stated: Values | None = None, is_given: bool = True
    ) -> None:
        """Test one record by its own values, and by `stated`: the values with the outcome from another extract.

        `is_given` is False if another extract gives its change. Then the segments of the change are tested there.
        """
        stated = values if stated is None else stated
        self._indexes.append(extent.index)
        self._digests.append(hash(raw) & _MASK)
        name = values["uor_id"]
        self._keys.append(hash((values["member_id"], name)) & _MASK if name and any(name) else 0)
        self._said.append(hash(tuple([values[name] for name in _UNIT_FIELDS])) & _MASK)
        self._headers.add(values["length"], extent)
        begins = self._test_segment(extent, values)
        self._add_seq(stated, self._runs.number(raw), begins and is_given)
        self._test_within(extent, stated)
        self._test_commit(extent, values)
        unit, record = stated["uor_disp"], stated["log_rec_disp"]
        if unit is None or record is None:
            self._outcomes.untestable[_ABSENT] += 1
        else:
            is_bad = (unit, record) in (("C", "A"), ("A", "C"))
            self._outcomes.test(f"{_said(extent)}: LOGRECDISP {record}, but UORDISP {unit}" if is_bad else None)

    def claims(self) -> list[Claim]:
        """The claims after all tests."""
        common = self._headers.counts.most_common(1)
        self._headers.test(
            self._length, lambda kind: kind == common[0][0], f": a header of another LENGTH than {dict(common)}"
        )
        self._end_segments()
        self._twice.tested += len(self._digests)
        self._fail_pairs(self._twice, _pairs(self._digests), "the same as record")
        self._seq.tested += len(self._seqs) - self._seqs.count(0)
        self._fail_pairs(self._seq, _pairs(self._seqs), "has the seq of record")
        self._end_units()
        return self._all

    # -- segments -----------------------------------------------------------------------------

    def _test_segment(self, extent: RecordExtent, values: Values) -> bool:
        """Test a record as a segment. Returns whether a change begins with it."""
        total, number = values["total_segs"], values["seg_num"]
        if total is None or number is None:
            self._segments.untestable[_ABSENT if {"total_segs", "seg_num"} & self._absent else _BAD_VALUE] += 1
        elif total > 1:
            change = self._index.of(extent)
            return change is not None and change.begin == extent.offset
        else:
            self._whole.add((total, number), extent, f" is segment {number} of {total}")
        return True

    def _end_segments(self) -> None:
        for change in self._index.changes:
            for extent, number in change.surplus.values():
                what = f"segment {number} of {change.total} is there twice, or is one too many"
                self._segments.test(f"{_said(extent)}: {what}")
            if change.is_complete:
                self._segments.test()
            elif self._is_damaged:
                self._segments.untestable[_DAMAGED] += 1
            elif change.by_number:
                self._segments.test(f"{_said(change.in_file[0])}: only {change.shown}")
        likely = [kind for kind, _ in self._whole.counts.most_common() if kind in _WHOLE]
        self._whole.test(self._segments, lambda kind: kind in likely[:1], ", unlike other changes in one record")

    # -- one unit -----------------------------------------------------------------------------

    def _test_within(self, extent: RecordExtent, values: Values) -> None:
        failure, tested = None, False
        for begin, place, end in _BOUNDS:
            first, at, last = values[begin], values[place], values[end]
            if not at:
                continue
            if begin == "uor_id" and any(at) and not any(first or b"") and has_images(values["change_type"] or ""):
                tested, failure = True, f"{_said(extent)}: UORID is zero, but a change of a row has a unit"
            if first and any(first):
                tested = True
                if at < first:
                    failure = f"{_said(extent)}: {_name(place)} {_hex(at)} before {_name(begin)} {_hex(first)}"
            if last and any(last):
                tested = True
                if at > last:
                    failure = f"{_said(extent)}: {_name(place)} {_hex(at)} behind {_name(end)} {_hex(last)}"
        if tested:
            self._within.test(failure)
        else:
            self._within.untestable[_NO_POSITION] += 1

    def _test_commit(self, extent: RecordExtent, values: Values) -> None:
        unit = values["uor_disp"]
        if unit is None or not self._commit_fields:
            self._commits.untestable[_ABSENT] += 1
            return
        found = [name for name in self._commit_fields if (value := values[name]) and value != _ZERO]
        failure = None
        if unit == "C" and len(found) < len(self._commit_fields):
            lacking = next(name for name in self._commit_fields if name not in found)
            failure = f"{_said(extent)}: UORDISP is C, but {_name(lacking)} is zero"
        elif unit != "C" and found:
            failure = f"{_said(extent)}: UORDISP is {unit or 'blank'}, but {_name(found[0])} is not zero"
        self._commits.test(failure)

    def _end_units(self) -> None:
        """Compare each record of a unit with the first record of the unit."""
        keys, said = np.frombuffer(self._keys, np.uint64), np.frombuffer(self._said, np.uint64)
        by_unit = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[by_unit], prepend=~keys[by_unit[:1]])) if len(keys) else by_unit
        sizes = np.diff(starts, append=len(keys))
        first = np.repeat(by_unit[starts], sizes)
        is_unit, is_first = keys[by_unit] != 0, by_unit == first
        untestable = self._units.untestable
        untestable[_NO_UNIT] += int(np.count_nonzero(~is_unit))
        untestable[_ALONE] += int(np.count_nonzero((sizes == 1) & (keys[by_unit[starts]] != 0)))
        self._units.tested += int(np.count_nonzero(is_unit & ~is_first))
        differing = np.flatnonzero(is_unit & (said[by_unit] != said[first]))
        count = len(differing)
        if self._is_merged and count:
            self._units.tested -= count
            untestable["the log is merged, so that another log may say something else of the unit"] += count
        elif count:
            pairs = zip(by_unit[differing].tolist(), first[differing].tolist(), strict=True)
            self._fail_pairs(self._units, sorted(pairs), "says otherwise of its unit of recovery than record")
        self._units.untestable += Counter()  # drops zeros

    # -- the sort key -------------------------------------------------------------------------

    def _add_seq(self, values: Values, ordinal: int, begins: bool) -> None:
        if values["log_rba"] is None:
            self._seq.untestable[_ABSENT if "log_rba" in self._absent else _BAD_VALUE] += 1
            begins = False
        self._seqs.append((hash(log_seq.seq(values, ordinal)) & _MASK or 1) if begins else 0)

    def _fail_pairs(self, claim: Claim, pairs: list[tuple[int, int]], says: str) -> None:
        """Count pairs of a later and an earlier record as failures of a claim."""
        indexes = self._indexes
        claim.fail(len(pairs), (f"record {indexes[later]}: {says} {indexes[one]}" for later, one in pairs))


_NAMES = ("tsname", "table_owner", "table_name")
_KEY = ("system_id", "dbid", "psid", "tbobid", "dbname", *_NAMES)
_KEPT = 10_000
"""Most tables whose results are kept for the records that follow."""
_NO_DTBI = "no DTBI record describes the table"
_BLANK = "a name in the header is blank"
_NO_NAMES = "DTBI ends before its names"
_NO_BOUNDS = "DTBI does not say since when or until when, or the header does not say when"
_NO_CONTROL = "there is no control file"

Result = tuple[str | None, str | None]
"""How a test failed, and why it could not be made; both are None if it passed."""


class ControlChecks:
    """Tests the headers of one log against its control file."""

    def __init__(self, control: ControlFile | None, tables: Tables, page: CodePage) -> None:
        self._control, self._page = control, page
        self._tables = tables if control else None
        self._all = [statement.claim() for statement in _OF_CONTROL]
        self._described, self._in_force, *self._of_control = self._all
        self._known: dict[tuple[Any, ...], tuple[Result, TableVersion | None]] = {}
        self._last = b""
        """Highest position of a record: RBA, or LRSN in data sharing."""

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
            # Positions choose between several versions, so positions are not tested then.
            every = self._versions(values)
            known = self._known[key] = described, every[0] if len(every) == 1 else None
        described, version = known
        _count(self._described, extent, described)
        _count(self._in_force, extent, self._is_in_force(values, version))

    def claims(self) -> list[Claim]:
        """The claims after all tests."""
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
            # Any version of the table has the name.
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
            return None, _NO_BOUNDS
        is_good = version.holds_at(position)
        begin, end = version.create_rba.hex().upper(), version.drop_rba.hex().upper()
        return None if is_good else f": at {position.hex().upper()}, but its table is from {begin} to {end}", None


def _count(claim: Claim, extent: RecordExtent, result: Result) -> None:
    failure, reason = result
    if reason is not None:
        claim.untestable[reason] += 1
    else:
        claim.test(None if failure is None else f"{_said(extent)}{failure}")


def _pairs(held: array[int]) -> list[tuple[int, int]]:
    """Places of equal digests other than 0, as pairs with the later place first."""
    digests = np.frombuffer(held, np.uint64)
    sorting = np.argsort(digests, kind="stable")
    found = digests[sorting]
    place = np.flatnonzero((found[1:] == found[:-1]) & (found[1:] != 0))
    return sorted((int(sorting[at + 1]), int(sorting[at])) for at in place)


@cache
def _name(field_id: str) -> str:
    """The vendor's name of a header field."""
    return catalog.load("bmc_lldf").layout[field_id].orig_id or field_id


def _hex(position: bytes) -> str:
    return position.hex().upper()


def _said(extent: RecordExtent) -> str:
    return f"record {extent.index} at {extent.offset:#x}"
