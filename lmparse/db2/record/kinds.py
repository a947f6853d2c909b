"""Kinds of Db2 LUW log records, by their meaning for changes: `db2_dms.insert_record` is an insert.

A kind is a spec and a word of that spec. The numbers of the kinds stand in the specs.
"""

from __future__ import annotations

INSERTS = ("db2_dms.insert_record", "db2_dms.insert_record_v97", "db2_dms.insert_record_to_empty_page")
MULTIPLE = "db2_dms.insert_multiple_records"
UNDO_MULTIPLE = "db2_dms.undo_insert_multiple_records"
DELETES = ("db2_dms.delete_record", "db2_dms.delete_record_v97", "db2_dms.delete_record_to_empty_page")
UPDATES = ("db2_dms.update_record", "db2_dms.update_record_v97")
ROWS = frozenset((*INSERTS, *DELETES, *UPDATES, MULTIPLE))
"""Kinds of records that change rows."""
INITIALIZE = "db2_dms.initialize_table"
ADD_COLUMNS = "db2_dms.add_columns"
DROP = "db2_dom.drop_table"
DROP_COLUMNS = "db2_dms.drop_columns"
ALTER = ("db2_dms.alter_column", "db2_dms.alter_lob_column")
"""Kinds of records that change a column; no manual says how."""
CREATE = "db2_dom.create_table"
UNDESCRIBED = (DROP, DROP_COLUMNS, *ALTER)
"""Kinds of records that drop a table or change its columns without describing the result: no manual says which columns
a record drops, or how it alters a column."""
DESCRIBING = (INITIALIZE, ADD_COLUMNS, *UNDESCRIBED)
"""Kinds of records that define the columns of a table from there on, with or without describing them."""
ATTRIBUTE = "db2_dms.alter_table_attribute"
TRUNCATE = "db2_dom.import_replace"
NOT_LOGGED = "db2_dom.activate_not_logged"
LOAD = "db2_utility.load_start"
_OBJECTS = (
    INITIALIZE, ATTRIBUTE, ADD_COLUMNS, *ALTER, DROP_COLUMNS, "db2_dms.rename", "db2_dms.update_partition_state",
    "db2_dms.change_row_version", NOT_LOGGED, CREATE, DROP, "db2_dom.create_index", "db2_dom.drop_index",
    "db2_dom.reorg_table", "db2_ddl.ddl_statement",
)  # fmt: skip
OPERATIONS: dict[str, str] = {
    **dict.fromkeys((*INSERTS, MULTIPLE), "I"), **dict.fromkeys(DELETES, "D"), **dict.fromkeys(UPDATES, "U"),
    TRUNCATE: "T", **dict.fromkeys(_OBJECTS, "O"), LOAD: "O",
}  # fmt: skip
"""The operation of each kind of record that is a change."""
UNDOES: dict[str, tuple[str, ...]] = {
    "db2_dms.undo_insert_record": INSERTS,
    "db2_dms.undo_insert_record_to_empty_page": INSERTS,
    UNDO_MULTIPLE: (MULTIPLE,),
    "db2_dms.undo_delete_record": DELETES,
    "db2_dms.undo_delete_record_to_empty_page": DELETES,
    "db2_dms.undo_update_record": UPDATES,
    "db2_dms.undo_add_columns": ("db2_dms.add_columns",),
    "db2_dms.undo_alter_column": ("db2_dms.alter_column",),
    "db2_dms.undo_alter_lob_column": ("db2_dms.alter_lob_column",),
    "db2_dms.undo_rename": ("db2_dms.rename",),
    "db2_dms.undo_update_partition_state": ("db2_dms.update_partition_state",),
    "db2_dms.undo_drop_columns": ("db2_dms.drop_columns",),
    "db2_dms.alter_table_attribute": ("db2_dms.alter_table_attribute",),
    "db2_dom.undo_create_table": (CREATE,),
    "db2_dom.undo_drop_table": (DROP,),
    "db2_dom.drop_index": ("db2_dom.create_index",),
    "db2_dom.create_index": ("db2_dom.drop_index",),
    "db2_ddl.undo_ddl_statement": ("db2_ddl.ddl_statement",),
}
"""The kinds of changes that each kind of compensation undoes."""
UNDOES_DEFINITION = tuple(kind for kind, undone in UNDOES.items() if not {CREATE, *DESCRIBING}.isdisjoint(undone))
"""Kinds of compensations that change the columns of a table."""
_COMMIT_WORDS = (
    *("normal_commit", "commit", "heuristic_commit_letter", "heuristic_commit"),
    *("mpp_subordinate_commit_letter", "mpp_subordinate_commit"),
    *("mpp_coordinator_commit_letter", "mpp_coordinator_commit"),
    *("local_pending_list_letter", "local_pending_list", "global_pending_list"),
)
COMMITS = tuple(f"db2_transaction.{word}" for word in _COMMIT_WORDS)
ABORTS = ("db2_transaction.normal_abort", "db2_transaction.heuristic_abort")
LOBS_NAMED = ("db2_lob.add_lob_data", "db2_lob.add_lob_amount")
LOBS_UNNAMED = ("db2_lob.afim_data", "db2_lob.afim_amount")
XML = "db2_xml.xml_data"
PIECES = frozenset((*LOBS_NAMED, *LOBS_UNNAMED, XML))
DIFFERENCE = "db2_log.dms"
"""An update that is not for propagation. It has no rows."""
NOT_STORED_OUTSIDE = "db2_dms.undo_start_of_out_of_row_data"
"""Undoes the pieces of a row that was not written after all."""
