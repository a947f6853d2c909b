"""Order and outcome of the changes of a Db2 LUW log."""

from __future__ import annotations

from lmparse.changes import order
from lmparse.db2.transaction_index import ChangeReference, Transaction


def seq(transaction: Transaction, reference: ChangeReference) -> str:
    """The sort key of a change: commit position, log flush sequence, log sequence number, log stream, row number.

    A commit position is the log sequence number of the commit record and its log stream.
    """
    commit = order.NOT_COMMITTED
    if state(transaction, reference) == "committed":
        commit = f"{transaction.commit_lsn:016X}{transaction.commit_stream:04X}"
    ordinal = 2 * reference.number + (reference.notice is not None)
    return order.seq(commit, f"{reference.lfs:020X}{reference.lsn:020X}", reference.stream, ordinal)


def commit_micros(transaction: Transaction) -> int | None:
    """When a transaction was committed, in microseconds since 1970."""
    return None if transaction.commit_time is None else transaction.commit_time * 1_000_000


def state(transaction: Transaction, reference: ChangeReference) -> str:
    """What became of a change: committed, rolled-back, or open."""
    return "rolled-back" if reference.is_undone else transaction.state
