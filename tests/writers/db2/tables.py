"""What a script is about: tables, their pages, and the changes a reader must give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .columns import Column
from .dms import Place
from .values import JsonValue
from .wire import Rid, TableId

Op = Literal["I", "U", "D", "T", "O"]
JsonChange = dict[str, Any]

PAGE_BYTES, FIRST_RECORD_OFFSET, LAST_SLOT = 4096, 100, 250
#: Page of a table's first row; two bytes of it differ, so that a wrong order of bytes is seen.
FIRST_PAGE = 0x340


@dataclass(frozen=True)
class Table:
    """A table; its ids are its identity."""

    tablespace_id: int
    table_id: int
    name: str
    columns: tuple[Column, ...]
    schema: str = "PROD"
    value_compression: bool = False

    @property
    def id(self) -> TableId:
        """Table space id and table id."""
        return TableId(self.tablespace_id, self.table_id)

    @property
    def lob_columns(self) -> list[Column]:
        """Its BLOB, CLOB and DBCLOB columns."""
        return [column for column in self.columns if column.lob]


@dataclass
class Change:
    """A change; the values of its row that stand outside of it are kept apart in `lobs`."""

    op: Op
    table: Table
    before: dict[str, JsonValue] | None = None
    after: dict[str, JsonValue] | None = None
    lobs: dict[str, JsonValue] = field(default_factory=dict)

    def json(self, *, with_lobs: bool) -> JsonChange:
        """The change as a reader gives it, without what its transaction adds."""
        after = {**self.after, **self.lobs} if self.after is not None and with_lobs else self.after
        ids = {"tablespace_id": self.table.tablespace_id, "table_id": self.table.table_id}
        return {"op": self.op, **ids, "before": self.before, "after": after}


@dataclass
class Pages:
    """Pages of one table, filled row by row."""

    page: int = FIRST_PAGE
    slot: int = 0
    record_offset: int = FIRST_RECORD_OFFSET

    def allocate(self, length: int) -> Place:
        """A place for a record; the free space is what is left behind it."""
        if self.record_offset + length > PAGE_BYTES or self.slot > LAST_SLOT:
            self.page, self.slot, self.record_offset = self.page + 1, 0, FIRST_RECORD_OFFSET
        free = max(PAGE_BYTES - self.record_offset - length, 0)
        place = Place(Rid(self.page, self.slot), self.record_offset, free)
        self.slot += 1
        self.record_offset += length
        return place
