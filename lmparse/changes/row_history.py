"""Row histories: the changes of one row in the order of their commits, found by the values of its key.

A row whose key an update changes is followed under its new key. The row that a change found is compared with what the
change before it left, so that changes that the log lacks are noticed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lmparse.changes.change import ROLES, Change, Version
from lmparse.changes.key_values import comparable, parsed
from lmparse.changes.log import ChangeLog
from lmparse.errors import DataError, OptionError
from lmparse.records.files import corrupt_field
from lmparse.records.reader import Values
from lmparse.values.json_form import to_json

Key = tuple[str, ...]
"""Values of the key's columns, each as `comparable` text."""
_WHOLE_TABLE = {
    "M": "rows of the table were deleted without a record of each: the row may be one of them",
    "T": "rows of the table were deleted without a record of each: the row may be one of them",
    "X": "the table took the rows of another one: the row may be another one from here on",
}
"""What a change that is not of a row means for the row."""


@dataclass(frozen=True)
class HistoryEntry:
    """One change of the row, or of its table as a whole."""

    change: Change
    key: dict[str, Any]
    """Values of the key's columns; of an update those before it."""
    changed: dict[str, tuple[Any, Any]]
    """Values before and after, by column; those that a change did not change are left out."""
    notes: list[str]
    metadata: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The entry as JSON."""
        change, values = self.change, self.change.values
        names = ("op", "seq", "txn_id", "commit_ts", "ts")
        found: dict[str, Any] = {name: getattr(change, name) for name in names}
        found |= {name: values.get(name) for name in ("auth_id", "plan", "correlation_id", "uor_disp", "log_rec_disp")}
        found["key"] = to_json(self.key)
        found["changed"] = {
            name: {"before": to_json(before), "after": to_json(after)} for name, (before, after) in self.changed.items()
        }
        found["detail"], found["notes"] = to_json(change.detail), self.notes
        if change.faults:
            found["_corrupt_fields"] = [corrupt_field(fault) for fault in change.faults]
        return found | {"_metadata": self.metadata}


@dataclass
class RowHistory:
    """The history of one row in a log, whose options name its table and the order `commit`."""

    log: ChangeLog
    wanted: Mapping[str, str]
    """Values of its key as a user has written them, by column."""
    found: int = 0
    """Changes of the row."""
    unreadable: int = 0
    """Changes of the table whose key is not in the log, or not readable."""
    fault: DataError | None = None
    """Damage that ended reading."""
    _names: tuple[str, ...] = ()
    _keys: dict[int, tuple[Version, Key | None]] = field(default_factory=dict)
    _followed: set[Key] = field(default_factory=set)
    """Other keys that the row has had."""
    _rows: dict[Key, Values | None] = field(default_factory=dict)
    """What the last change left under a key; None: no row."""

    def check(self) -> str:
        """What must be said of the key before anything is read; empty if nothing.

        Raises OptionError for names and values that no version of the table has, and for columns that are not all of
        its key.
        """
        versions = self.log.table_versions()
        known = [column.name for version in versions for column in version.columns]
        self._names = tuple(_name(name, known) for name in self.wanted)
        if len({*self._names}) < len(self._names):
            raise OptionError("key: a column is given twice", code="LMP-S003")
        for version in versions:
            self._asked(version)
            missing = [name for name in version.key if name not in self._names]
            if missing:
                raise OptionError(
                    f"key: {', '.join(missing)} of the key is missing", code="LMP-S003",
                    hint=f"the key of {version.identity} is {', '.join(version.key)} ({version.key_source})",
                )  # fmt: skip
        if any(version.key for version in versions):
            return ""
        return "no key of the table is known: if several rows have these values, their changes are listed together"

    def entries(self) -> Iterator[HistoryEntry]:
        """The changes of the row by commit, and those of its table as a whole. Raises LmparseError in mode failfast."""
        try:
            for change in self.log.typed_changes():
                entry = self._entry(change) if change.op in ROLES else self._of_table(change)
                if entry is not None:
                    yield entry
        except DataError as error:
            if self.log.options.mode == "failfast":
                raise
            self.fault = error

    def _asked(self, version: Version | None) -> Key | None:
        """The key that is asked for, as values of a table version; None if it lacks one of its columns."""
        if version is None:
            return None
        if id(version) not in self._keys:
            columns = {column.name: column for column in version.columns}
            key = None
            if all(name in columns for name in self._names):
                texts = zip(self._names, self.wanted.values(), strict=True)
                key = tuple(parsed(text, columns[name]) for name, text in texts)
            self._keys[id(version)] = version, key
        return self._keys[id(version)][1]

    def _of_table(self, change: Change) -> HistoryEntry | None:
        """A change of the table as a whole."""
        if not self.found and change.op not in ("M", "T", "X"):
            return None
        notes = [note for note in (_WHOLE_TABLE.get(change.op or ""), (change.detail or {}).get("gap")) if note]
        if notes and not (state := _state(change.values)):
            self._rows.clear()
        elif notes:
            notes.append(state)
        return self._made(change, {}, {}, notes)

    def _entry(self, change: Change) -> HistoryEntry | None:
        """A change of the row; None if it is of another row."""
        asked = self._asked(change.table)
        keys: dict[str, Key | None] = {role: self._key(change, role) for role in ROLES[change.op or ""]}
        matching = {role for role, key in keys.items() if key is not None and (key == asked or key in self._followed)}
        if not matching:
            self.unreadable += None in keys.values()
            return None
        notes = []
        if state := _state(change.values):
            notes.append(state)
        else:
            if "before" in keys:
                notes += self._before(change, keys["before"])
            notes += self._follow(change, keys, matching, asked)
        self.found += 1
        values = change.before if "before" in keys else change.after
        key = {name: (values or {}).get(name) for name in self._names}
        notes += [f"{name}: {why}" for name, why in (change.detail or {}).get("absent", {}).items()]
        notes += [f"{fault.field}: {fault.says()}" for fault in change.faults]
        notes += filter(None, [(change.detail or {}).get("gap")])
        return self._made(change, key, _changed(change), notes)

    def _made(
        self, change: Change, key: dict[str, Any], changed: dict[str, tuple[Any, Any]], notes: list[str]
    ) -> HistoryEntry:
        place = self.log.origin.metadata(change.extent, change.length)
        return HistoryEntry(change, key, changed, notes, place)

    def _key(self, change: Change, role: str) -> Key | None:
        """The key of a row; None if the log does not show it."""
        values, columns = getattr(change, role), {c.name: c for c in change.table.columns} if change.table else {}
        if values is None or not all(name in columns for name in self._names):
            return None
        found = [comparable(values.get(name), columns[name].form) for name in self._names]
        lacking = _lacking(change, role)
        return None if lacking.intersection(self._names) else tuple("\0" if one is None else one for one in found)

    def _before(self, change: Change, key: Key | None) -> Iterator[str]:
        """What the row that a change found says of changes that the log lacks."""
        if key is None or key not in self._rows:
            yield "what is before this change is not in the log"
            return
        left, lacking = self._rows[key], _lacking(change, "before")
        if left is None:
            yield "the change before it left no row: what made the row is not in the log"
            return
        before = change.before or {}
        differing = [name for name in left if name in before and name not in lacking and left[name] != before[name]]
        if differing:
            yield f"what changed {', '.join(differing)} before this is not in the log"

    def _follow(
        self, change: Change, keys: Mapping[str, Key | None], matching: set[str], asked: Key | None
    ) -> Iterator[str]:
        """Note what a change leaves, and go on with the key that it gives the row."""
        before, after = keys.get("before"), keys.get("after")
        if change.op == "I" and after is not None and self._rows.get(after) is not None:
            yield "the change before it left a row: what deleted it is not in the log"
        if before is not None:
            self._rows[before] = None
        if after is not None:
            lacking = _lacking(change, "after")
            self._rows[after] = {name: value for name, value in (change.after or {}).items() if name not in lacking}
        if change.op == "U" and before != after:
            yield from self._moved(change, after, matching)
        if before is not None and before != after and before != asked:
            self._followed.discard(before)
            self._rows.pop(before, None)
        if after is not None and after != asked:
            self._followed.add(after)

    def _moved(self, change: Change, after: Key | None, matching: set[str]) -> Iterator[str]:
        if "before" not in matching:
            yield f"the row had another key before: {self._shown(change.before)}; see its own history"
        elif after is None:
            yield "the key that the row has behind this is not known: its later changes are not listed"
        else:
            yield f"the row has another key from here on: {self._shown(change.after)}"

    def _shown(self, values: Values | None) -> str:
        found = to_json({name: (values or {}).get(name) for name in self._names})
        return " ".join(f"{name}={value}" for name, value in found.items())


def _name(name: str, known: list[str]) -> str:
    """The column that a user names; the case of letters counts only if that decides."""
    same = dict.fromkeys(column for column in known if column.upper() == name.upper())
    if name not in known and len(same) != 1:
        hint = "one of " + ", ".join(dict.fromkeys(known))
        raise OptionError(f"key: there is no column {name!r} in the table", code="LMP-S003", hint=hint)
    return name if name in known else next(iter(same))


def _lacking(change: Change, role: str) -> set[str]:
    """Columns whose value in a row is not known: it is absent or bad."""
    names = [*(change.detail or {}).get("absent", {}), *(fault.field or "" for fault in change.faults)]
    columns = [column.name for column in change.table.columns] if change.table else []
    start = f"{role}."
    return {
        column
        for name in names
        if name.startswith(start)
        for column in columns
        if f"{name[len(start) :]}.".startswith(f"{column}.")
    }


def _changed(change: Change) -> dict[str, tuple[Any, Any]]:
    """Values before and after, of all columns that a change may have changed."""
    before, after = change.before or {}, change.after or {}
    lacking = _lacking(change, "before") | _lacking(change, "after")
    return {
        name: (before.get(name), after.get(name))
        for name in dict.fromkeys((*before, *after))
        if change.op != "U" or name in lacking or repr(before.get(name)) != repr(after.get(name))
    }


def _state(values: Values) -> str:
    """What became of a change that was not committed; empty if it was."""
    if values.get("uor_disp") == "A":
        return "its transaction was rolled back"
    if values.get("uor_disp") != "C":
        return "its transaction was not committed in the log"
    is_kept = values.get("log_rec_disp") in ("C", "", None) and values.get("sql_type") != "U"
    return "" if is_kept else "it was taken back, or takes back another change"
