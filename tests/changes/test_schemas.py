"""Schemas of changes: the same columns for all families, each with what its own family says of them."""

from __future__ import annotations

from lmparse.bmc.log.log import LogicalLog
from lmparse.changes.schemas import changes_schema
from lmparse.db2.log import Db2Log


def test_families_share_columns_and_not_their_docs() -> None:
    log_master, luw = (changes_schema(None, header=True, docs=log.column_docs()) for log in (LogicalLog, Db2Log))
    assert log_master.names == luw.names
    assert log_master.types == luw.types
    for name, words in (("ts", "no time of their own"), ("txn_id", "transaction identifier"), ("plan", "null")):
        assert words in luw.field(name).metadata[b"comment"].decode()
        assert luw.field(name).metadata != log_master.field(name).metadata
    assert all(field.metadata for field in luw if not field.name.startswith("_"))
