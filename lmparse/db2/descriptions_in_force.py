"""Descriptions of the tables of a Db2 LUW log: of each change the one in force at its record."""

from __future__ import annotations

from collections.abc import Iterator

from lmparse.db2.table_history import TableHistory, turning_points
from lmparse.db2.tables import Ids, Table
from lmparse.db2.transaction_index import ChangeReference, Transaction, TransactionIndex
from lmparse.errors import ControlError


class Descriptions:
    """Descriptions of the tables of one log: those in the log, with the names of the tables file."""

    def __init__(self, index: TransactionIndex, tables_file: str | None) -> None:
        self._index = index
        self._tables_file = tables_file
        self._histories: dict[Ids, TableHistory] = {}
        self._named: dict[tuple[Ids, int], Table] = {}
        """Descriptions with the names of the tables file, by table and identity of the description in the log."""
        self.by_file_alone: set[Ids] = set()
        """Tables with rows that only the tables file describes, in front of a record that drops or makes the table."""

    def logged(self, transaction: Transaction, reference: ChangeReference) -> Table | None:
        """The description of the table of a change in the log that was in force at its record.

        Descriptions by other transactions count if committed. One that was rolled back applies to changes that were
        rolled back too. Before the first that counts, the table is as the next record says that it was before, unless
        the table was dropped or made in between: see `settled`.
        """
        ids = reference.ids or (0, 0)
        history = self._histories.get(ids)
        if history is None:
            history = self._histories[ids] = TableHistory(self._index.tables.get(ids, ()))
        return history.at(reference.extent.index, transaction.number, is_undone=reference.is_undone)

    def of(self, transaction: Transaction, reference: ChangeReference) -> Table | None:
        """The description of the table of a change: from the log if it has one, with the names of the tables file.

        Raises ControlError LMP-C010 if the two contradict each other.
        """
        if reference.ids is None:
            return None
        named = self._index.named.get(reference.ids)
        logged = self.logged(transaction, reference)
        if (
            logged is None
            and named is not None
            and self._histories[reference.ids].is_made_behind(reference.extent.index)
        ):
            self.by_file_alone.add(reference.ids)
        if logged is None or named is None:
            return logged or named
        # Versions are distinguished by identity, so all changes of one get the same object; the index keeps the key.
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

    def indexes(self, ids: Ids) -> list[int]:
        """Numbers of the records with which another description of a table is in force, ascending."""
        return turning_points(self._index.tables.get(ids, ()))

    def all(self, *, is_committed: bool) -> Iterator[Table]:
        """Every description with the names of the tables file; with `is_committed` without uncommitted ones."""
        for ids, records in self._index.tables.items():
            named = self._index.named.get(ids)
            for record in records:
                # What a table was before holds for rows in front of the record, whatever becomes of this.
                for table in (record.before, record.table if record.is_committed or not is_committed else None):
                    if table is not None:
                        yield table.named_by(named) if named is not None else table
        yield from self._index.named.values()
