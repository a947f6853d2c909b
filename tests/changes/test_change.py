"""The order of changes: one width for all families, and what is not committed behind everything that is."""

from __future__ import annotations

from lmparse.bmc.log import seq as bmc_order
from lmparse.db2.transactions import seq as db2_order
from lmparse.db2.transactions.references import ChangeReference, Transaction
from lmparse.framing.extents import RecordExtent
from lmparse.options import SEQ_DIGITS

POSITION = bytes.fromhex("00DE1234780700000000")


def bmc_seq(disposition: str) -> str:
    values = {
        "uor_disp": disposition, "uor_commit_lrsn": POSITION, "log_lrsn": POSITION, "log_rba": POSITION, "member_id": 1,
    }  # fmt: skip
    return bmc_order.seq(values, 2)


def db2_seq(state: str) -> str:
    transaction = Transaction(bytes(6), 1, state=state, commit_lfs=8, commit_lsn=9)
    return transaction.seq(ChangeReference(RecordExtent(0, 0, ()), "", "I", None, 5, lfs=7))


def test_seq_has_one_width_and_ends_with_what_is_not_committed() -> None:
    of_bmc = bmc_seq("C"), bmc_seq("A"), bmc_order.NOT_COMMITTED
    of_db2 = db2_seq("committed"), db2_seq("open"), db2_order.NOT_COMMITTED
    for committed, left, position in (of_bmc, of_db2):
        assert len(committed) == len(left) == SEQ_DIGITS
        assert left.startswith(position)
        assert committed < left
    assert of_db2[0].startswith(f"{8:016X}{9:016X}{7:016X}{5:016X}")
