"""Descriptions of tables: those in the log, under the names of the tables file."""

from __future__ import annotations

from collections.abc import Iterator

from lmparse.db2.tables import Ids, Table
from lmparse.db2.transaction_index import ChangeReference, Transaction, TransactionIndex
from lmparse.errors import ControlError


class Descriptions:
    """What is known of the tables of one log."""

    def __init__(self, index: TransactionIndex, tables_file: str | None) -> None:
        self._index = index
        self._tables_file = tables_file
        self._named: dict[tuple[Ids, int], Table] = {}
        """Descriptions under the names of the tables file, by table and identity of the description in the log."""

    def of(self, transaction: Transaction, reference: ChangeReference) -> Table | None:
        """The description of a change's table: from the log where it has one, under the names of the tables file.

        Raises ControlError LMP-C010 when the two contradict each other.
        """
        if reference.ids is None:
            return None
        named = self._index.named.get(reference.ids)
        logged = self._index.description(transaction, reference)
        if logged is None or named is None:
            return logged or named
        # The same object for all changes of a version, which is what tells versions apart; the index keeps the key.
        known = self._named.get((reference.ids, id(logged)))
        if known is not None:
            return known
        difference = logged.differs_from(named)
        if difference is not None:
            raise ControlError(
                "the tables file is not of this log", code="LMP-C010", file=self._tables_file, found=difference,
                hint="print it again from the catalog of the database that wrote the log",
            )  # fmt: skip
        return self._named.setdefault((reference.ids, id(logged)), logged.named_by(named))

    def all(self, *, is_committed: bool) -> Iterator[Table]:
        """Every description, under the names of the tables file; of the log's own those of committed changes only."""
        for ids, records in self._index.tables.items():
            named = self._index.named.get(ids)
            for record in records:
                if record.is_committed or not is_committed:
                    for table in (record.before, record.table):
                        if table is not None:
                            yield table.named_by(named) if named is not None else table
        yield from self._index.named.values()
