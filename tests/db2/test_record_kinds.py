"""Db2 for LUW: every kind of log record, in every generation and byte order, is known and read to its last byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from writers.db2 import datalink, ddl, dms, dom, lf, lob, transaction, utility, xml
from writers.db2.columns import Column
from writers.db2.header import Header, record, record_type
from writers.db2.wire import BYTE_ORDERS, GENERATIONS, Rid, Server, TableId

import lmparse
from lmparse.db2.log_record import LogReader
from lmparse.spec import catalog
from lmparse.values.json_form import to_json

TABLE = TableId(2, 4)
PLACE = dms.Place(Rid(0x340, 12), record_offset=5656, free_space=100)
OLD, NEW = bytes.fromhex("0000000C01000000") + b"abcd", bytes.fromhex("0000000E01000000") + b"abcdef"
COLUMNS = [Column("ID", "INTEGER", nullable=False), Column("BODY", "CLOB(1M)"), Column("PRICE", "DECIMAL(9,2)")]
Kind = tuple[str, str, bytes, dict[str, Any]]
"""Type of the record, its kind, its body, and some of the values that were put in."""


def image(server: Server, body: bytes) -> bytes:
    """A record in a data page with headers around some bytes."""
    return bytes(2) + server.u16(8 + len(body)) + bytes([1, 0]) + server.u16(len(body)) + body


def rid(server: Server) -> Any:
    return 0x340 * 256 + 12 if server.generation == "v7" else "00000340000C"


def dms_kinds(server: Server) -> Iterator[Kind]:
    is_v7 = server.generation == "v7"
    later = "" if is_v7 else "_v97"
    old, new = image(server, b"abcd"), image(server, b"abcdefg")
    row = {"tablespace_id": 2, "table_id": 4, "rid": rid(server), "record_offset": 5656, "free_space": 100}
    held = row | {"record_length": 12, "record": old.hex().upper()}
    yield "normal", f"db2_dms.insert_record{later}", dms.insert(server, TABLE, PLACE, old), held
    yield "normal", f"db2_dms.delete_record{later}", dms.delete(server, TABLE, PLACE, old), held
    yield "compensation", "db2_dms.undo_delete_record", dms.undo_delete(server, TABLE, PLACE, old), held
    yield "compensation", "db2_dms.undo_update_record", dms.undo_update(server, TABLE, PLACE, old), held
    taken = {"rid": rid(server), "record_length": 12, "free_space": 100}
    yield "compensation", "db2_dms.undo_insert_record", dms.undo_insert(server, TABLE, PLACE, 12), taken
    update = dms.update(server, TABLE, PLACE, old, new)
    yield "normal", f"db2_dms.update_record{later}", update, {"tablespace_id": 2}
    described = dms.initialize_table(
        server, TABLE, COLUMNS, file_create_lsn=0x123456, index_flag=7, index_root_page=99, tdesc_recid=-3, flags=0x20
    )
    directory = {"file_create_lsn": "000000123456" if is_v7 else "0000000000123456", "index_flag": 7}
    yield "redo", "db2_dms.initialize_table", described, directory | {"index_root_page": 99, "tdesc_recid": -3}
    attribute = dms.alter_table_attribute(server, TABLE, 0x200001, 1)
    masks = {"attribute_mask": 0x200001, "attribute_values": 1}
    yield "normal", "db2_dms.alter_table_attribute", attribute, masks
    counts = {"old_column_count": 2, "new_column_count": 3}
    added = dms.add_columns(server, TABLE, COLUMNS[:2], COLUMNS, undo=False)
    yield "normal", "db2_dms.add_columns", added, counts
    undone = dms.add_columns(server, TABLE, COLUMNS[:2], COLUMNS, undo=True)
    yield "compensation", "db2_dms.undo_add_columns", undone, counts
    names = {113: "alter_column", 115: "undo_alter_column"}
    if not is_v7:
        yield from later_dms_kinds(server, old, held)
        words = {108: "undo_update_partition_state", 116: "alter_lob_column", 119: "undo_alter_lob_column"}
        words |= {122: "rename", 123: "undo_rename", 137: "update_partition_state", 169: "drop_columns"}
        words |= {170: "undo_drop_columns", 171: "change_row_version", 211: "start_of_out_of_row_data"}
        names |= words | {212: "undo_start_of_out_of_row_data"}
    else:
        names |= {103: "create_new_page", 105: "alter_propagation", 107: "undo_alter_propagation", 108: "alter_pending"}
        names |= {109: "alter_defaults", 114: "create_system_page", 117: "reorganize_page", 131: "undo_alter_defaults"}
        names |= {121: "update_changed_columns", 132: "undo_alter_pending"}
    for number, word in names.items():
        yield "normal", f"db2_dms.{word}", dms.named(server, number, TABLE, b"xyz"), {"payload": b"xyz".hex().upper()}
    yield "normal", "db2_dms.unlisted_250", dms.named(server, 250, TABLE, b"xyz"), {"function_id": 250}


def later_dms_kinds(server: Server, row: bytes, held: dict[str, Any]) -> Iterator[Kind]:
    paged = held | {"first_page": 77}
    inserted = dms.insert_to_empty_page(server, TABLE, PLACE, row, first_page=77)
    yield "normal", "db2_dms.insert_record_to_empty_page", inserted, paged
    deleted = dms.delete_to_empty_page(server, TABLE, PLACE, row, first_page=77)
    yield "normal", "db2_dms.delete_record_to_empty_page", deleted, paged
    undone = dms.undo_delete_to_empty_page(server, TABLE, PLACE, row, first_page=77)
    yield "compensation", "db2_dms.undo_delete_record_to_empty_page", undone, paged
    taken = dms.undo_insert_to_empty_page(server, TABLE, PLACE, 12)
    yield "compensation", "db2_dms.undo_insert_record_to_empty_page", taken, {"rid": rid(server)}
    rows = [(PLACE, row), (PLACE, row)]
    counts = {"num_records": 2, "pool_page_number": 5}
    several = dms.insert_multiple(server, TABLE, rows, pool_page=5)
    yield "normal", "db2_dms.insert_multiple_records", several, counts
    undone = dms.undo_insert_multiple(server, TABLE, rows, pool_page=5)
    yield "compensation", "db2_dms.undo_insert_multiple_records", undone, counts
    vector = dms.vector_data(server, TABLE, 3, b"[1,2]")
    yield "normal", "db2_dms.vector", vector, {"column_id": 3, "data": b"[1,2]".hex().upper()}


def dom_kinds(server: Server) -> Iterator[Kind]:
    about = dom.DomObject(TABLE, object=TableId(2, 5), object_type=1, flags=3)
    names = {"tablespace_id": 2, "table_id": 4, "object_tablespace_id": 2, "object_id": 5, "flags": 3}
    index = names | {"index_token": 7, "index_root_page": 8}
    yield "undo", "db2_dom.create_index", dom.create_index(server, about, 7, 8), index
    yield "undo", "db2_dom.drop_index", dom.drop_index(server, about, 7, 8), index
    yield "normal", "db2_dom.create_table", dom.create_table(server, about), names
    yield "normal", "db2_dom.drop_table", dom.drop_table(server, about), names
    yield "compensation", "db2_dom.undo_create_table", dom.undo_create_table(server, about), names
    yield "redo", "db2_dom.import_replace", dom.truncate(server, about, b"abc"), names | {"internal": "616263"}
    reorg = dom.reorg_table(server, about, index_token=6, temporary_tablespace_id=9)
    yield "normal", "db2_dom.reorg_table", reorg, names | {"index_token": 6, "temp_tablespace_id": 9}
    if server.generation != "v7":
        yield "compensation", "db2_dom.undo_drop_table", dom.undo_drop_table(server, about), names
        activated = dom.activate_not_logged_initially(server, about, b"ab")
        yield "normal", "db2_dom.activate_not_logged", activated, names | {"payload": "6162"}
    started = dom.header(server, 6, about)
    yield "undo", "db2_dom.start_object_completion", started, names


def value_kinds(server: Server) -> Iterator[Kind]:
    about = lob.LobObject(TableId(2, 6), TABLE, object_type=2)
    names = {"pool_id": 2, "object_id": 6, "parent_pool_id": 2, "parent_object_id": 4}
    data = names | {"data_length": 3, "data": "616263"}
    if server.generation == "v10":
        placed = {"byte_address": 4096, "column_id": 1}
        added = lob.add_data(server, about, b"abc", 4096, 1)
        yield "normal", "db2_lob.add_lob_data", added, data | placed
        amount = names | placed | {"data_length": 70}
        yield "normal", "db2_lob.add_lob_amount", lob.add_amount(server, about, 70, 4096, 1), amount
        yield "information", "db2_lob.delete_lob", lob.delete(server, about, 70, 4096, 1), amount
        yield "information", "db2_lob.non_update_lob", lob.non_update(server, about, 70, 4096, 1), amount
        document = xml.document(server, about, b"<a/>", 2)
        yield "information", "db2_xml.xml_data", document, {"column_id": 2, "data": b"<a/>".hex().upper()}
    else:
        placed = {"byte_address": 4096.0}
        for_data = lob.afim_data(server, about, b"abc", 4096, operation=64, address_form="double")
        yield "normal", "db2_lob.afim_data", for_data, data | placed
        for_amount = lob.afim_amount(server, about, 70, 4096, operation=65, address_form="double")
        yield "normal", "db2_lob.afim_amount", for_amount, names | placed | {"data_length": 70}
    if server.generation == "v7":
        field = lf.record(server, about, b"abc", 2, operation=110)
        sectors = {"long_field_length": 1, "file_offset": 2, "parent_object_id": 4}
        yield "normal", "db2_long_field.add_long_field", field, sectors
        link = datalink.Link(stem_name=b"file/stem")
        stem = {"stem_name": "file/stem", "stem_name_length": 9}
        yield "datalink", "db2_datalink.link_file", datalink.link_file(server, link), stem
        yield "datalink", "db2_datalink.unlink_file", datalink.unlink_file(server, link), stem
        for number, word in {35: "delete_group", 36: "delete_pgroup", 37: "dlfm_prepare"}.items():
            yield "datalink", f"db2_datalink.{word}", datalink.named(number, b"xy"), {"payload": "7879"}
    else:
        for number, word in {111: "delete_long_field", 112: "non_update_long_field"}.items():
            yield "normal", f"db2_long_field.{word}", lf.header(server, number, about), names
    text = {"tablespace_id": 2, "table_id": 4, "ddl_text": "DROP TABLE T", "ddl_text_length": 12, "ddl_text_left": 0}
    yield "normal", "db2_ddl.ddl_statement", ddl.statement(server, TABLE, b"DROP TABLE T"), text
    undone = ddl.statement(server, TABLE, b"DROP TABLE T", undo=True)
    yield "compensation", "db2_ddl.undo_ddl_statement", undone, text
    yield "normal", "db2_log.storage", bytes([6, 1, 2, 3]), {"payload": "06010203"}


def end_kinds(server: Server) -> Iterator[Kind]:
    is_v7 = server.generation == "v7"
    letter = "_letter" if is_v7 else ""
    ended = {"time_committed": 1_773_483_072, "authid": "DB2INST1"}
    seconds = ended["time_committed"]
    commit = transaction.commit(server, seconds, "DB2INST1")
    yield "commit", f"db2_transaction.{'normal_' if is_v7 else ''}commit", commit, ended
    yield "heuristic_commit", f"db2_transaction.heuristic_commit{letter}", commit, ended
    gxid = transaction.Gxid()
    coordinator = transaction.mpp_coordinator_commit(server, seconds, "DB2INST1", gxid=gxid, nodes=[1, 9])
    coordinated = ended | {"max_node_number": 9}
    yield "mpp_coordinator_commit", f"db2_transaction.mpp_coordinator_commit{letter}", coordinator, coordinated
    subordinate = transaction.mpp_subordinate_commit(server, seconds, "DB2INST1", gxid=gxid)
    yield "mpp_subordinate_commit", f"db2_transaction.mpp_subordinate_commit{letter}", subordinate, ended
    pending = transaction.local_pending_list(server, seconds, "DB2INST1", b"abc")
    known = {"time_committed": seconds} if is_v7 else ended | {"entries": "616263"}
    yield "local_pending_list", f"db2_transaction.local_pending_list{letter}", pending, known
    everywhere = transaction.global_pending_list(server, "DB2INST1", b"abc")
    yield "global_pending_list", "db2_transaction.global_pending_list", everywhere, {}
    abort = transaction.abort(server, "DB2INST1")
    yield "abort", "db2_transaction.normal_abort", abort, {"authid": "DB2INST1"}
    yield "heuristic_abort", "db2_transaction.heuristic_abort", abort, {"authid": "DB2INST1"}
    for word in ("tm_prepare", "xa_prepare", "mpp_prepare"):
        yield word, f"db2_transaction.{word}{letter}", b"abc", {"payload": "616263"}
    words = {"backout_free": "backout_free", "forget": "forget_transaction", "lock_description": "lock_description"}
    words |= {"partial_abort": "partial_abort", "mpp_log_synchronization": "mpp_log_synchronization"}
    words |= {} if is_v7 else {"application_information": "application_information"}
    for type_, word in words.items():
        yield type_, f"db2_transaction.{word}", b"abc", {"payload": "616263"}
    began = utility.migration_begin(server, "2026031410", 8, 9)
    yield "migration_begin", "db2_utility.migration_begin", began, {"previous_release": 8, "new_release": 9}
    done = utility.migration_end(server, "2026031411", 9)
    yield "migration_end", "db2_utility.migration_end", done, {"new_release": 9}
    load = utility.load_start(server, 12, 2, 4)
    yield "load_start", "db2_utility.load_start", load, {"log_record_id": 12, "pool_id": 2, "object_id": 4}
    words = {"load_pending_list": "load_pending_list", "load_delete_start": "table_load_delete_start"}
    words |= {"load_delete_start_compensation": "load_delete_start_compensation", "backup_end": "backup_end"}
    words |= {"backup_start": "backup_start", "tablespace_rolled_forward": "tablespace_rolled_forward"}
    words |= {"table_quiesce": "table_quiesce", "rollforward_pit_end": "rollforward_to_pit_ends"}
    words |= {"rollforward_pit_begin": f"rollforward_to_pit_{'starts' if is_v7 else 'begins'}"}
    for type_, word in words.items():
        yield type_, f"db2_utility.{word}", b"abc", {"payload": "616263"}


def kinds(server: Server) -> Iterator[Kind]:
    yield from dms_kinds(server)
    yield from dom_kinds(server)
    yield from value_kinds(server)
    yield from end_kinds(server)
    yield "compensation_required", "db2_log.compensation_required", b"", {}


FORMS = [(generation, order) for generation in GENERATIONS for order in BYTE_ORDERS]


@pytest.mark.parametrize(("generation", "byte_order"), FORMS)
def test_every_kind_is_read(generation: Any, byte_order: Any) -> None:
    server = Server(generation, byte_order)
    reader = LogReader(generation, byte_order, "bare").records
    count = 0
    for type_, kind, body, values in kinds(server):
        header = Header(record_type(type_, generation), bytes.fromhex("0000000000A1"), lsn=5, previous=3)
        raw = record(server, header, body)
        found = to_json(reader.read(raw).raise_fault().values)
        assert found["kind"] == kind, type_
        assert {name: found.get(name) for name in values} == values, kind
        assert found["transaction_id"] == "0000000000A1"
        assert lmparse.parse(raw, "db2_log", generation=generation, byte_order=byte_order) == found
        count += 1
    assert count > 60


def test_every_listed_kind_is_among_them() -> None:
    seen = {kind for generation, order in FORMS for _, kind, _, _ in kinds(Server(generation, order))}
    enums = {
        "db2_dms": ("function_id", "function_id_v7"), "db2_dom": ("function_id",), "db2_ddl": ("function_id",),
        "db2_datalink": ("function_id",), "db2_lob": ("operation", "insert_lob_data"), "db2_xml": ("operation",),
        "db2_long_field": ("operation",),
    }  # fmt: skip
    listed = {
        f"{spec}.{word}" for spec, names in enums.items() for name in names for word in catalog.load(spec).enum(name)
    }
    assert not listed - seen
    types = set(catalog.load("db2_log").enum("log_record_type"))
    ended = {kind.partition(".")[2] for kind in seen if kind.startswith(("db2_transaction", "db2_utility"))}
    carriers = {"normal", "compensation", "redo", "undo", "compensation_required", "information_only", "datalink"}
    assert types - ended == carriers


@pytest.mark.parametrize("cut", [1, 2])
@pytest.mark.parametrize(("generation", "byte_order"), FORMS)
def test_a_shorter_record_is_an_error_or_keeps_its_bytes(generation: Any, byte_order: Any, cut: int) -> None:
    """A record that lost its last bytes, with a length that says so, is never read as if it were whole."""
    server = Server(generation, byte_order)
    reader = LogReader(generation, byte_order, "bare").records
    for type_, kind, body, values in kinds(server):
        header = Header(record_type(type_, generation), bytes(6), lsn=5, previous=3)
        whole = to_json(reader.read(record(server, header, body)).values) if body else {}
        try:
            found = to_json(reader.read(record(server, header, body[:-cut])).values)
        except lmparse.DataError as fault:
            error = fault
        else:
            # What ends where the record ends is shorter by these bytes.
            shorter = [name for name in found if found[name] != whole.get(name) and name != "length"]
            assert not body or shorter, (kind, values)
            continue
        assert error.field, kind
        assert error.code in ("LMP-R001", "LMP-R002", "LMP-R003", "LMP-V001", "LMP-V003", "LMP-V009"), kind
