meta:
  id: db2_dom
  title: Db2 for LUW, data object manager log records
  application: IBM Db2 for Linux, UNIX and Windows
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /db2/db2_server
  endian:
    switch-on: byte_order
    cases:
      'db2_server::byte_order::little': le
      _: be
doc: |
  Records of the component that keeps the objects behind tables and indexes. Offsets count from the
  end of the log record header, as in the tables of the manual.
doc-ref: 'IBM Db2 12.1, "Data manager log records", https://www.ibm.com/docs/en/db2/12.1?topic=records-data-manager-log'
params:
  - id: generation
    type: u1
    enum: db2_server::generation
    doc: Form of the log record header
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
seq:
  - id: body
    -lm-status: documented
    -lm-type: body
    type:
      switch-on: kind
      cases:
        'function_id::create_index': index
        'function_id::drop_index': index
        'function_id::drop_table': table
        'function_id::import_replace': import_replace
        'function_id::reorg_table': reorg
        'function_id::create_table': table
        'function_id::undo_create_table': table
        'function_id::undo_drop_table': table
        _: undocumented
    doc: The record
    doc-ref: &t97 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 97'
instances:
  kind:
    -lm-status: documented
    -lm-column: false
    pos: 1
    type: u1
    enum: function_id
    doc: Function identifier
    doc-ref: *t97
types:
  header:
    doc: DOM log record header (DOMLogRecordHeader)
    doc-ref: *t97
    seq:
      - id: component
        -orig-id: Component identifier (=4)
        -lm-status: documented
        type: u1
        enum: db2_server::component
        doc: Component identifier, 4
        doc-ref: *t97
      - id: function_id
        -orig-id: Function identifier
        -lm-status: documented
        -lm-source: |
          Table 97 lists the identifiers of version 7; the others are those of version 12.1
        type: u1
        enum: function_id
        doc: Function identifier
        doc-ref: 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 97; 12.1, "Data manager log records", Table 4'
      - id: object_tablespace_id
        -orig-id: 'Object identifiers: table space identifier'
        -lm-status: documented
        type: u2
        doc: 'Object identifiers: table space identifier'
        doc-ref: *t97
      - id: object_id
        -orig-id: 'Object identifiers: object identifier'
        -lm-status: documented
        type: u2
        doc: 'Object identifiers: object identifier'
        doc-ref: *t97
      - id: tablespace_id
        -orig-id: 'Table identifiers: table space identifier'
        -lm-status: documented
        type: u2
        doc: 'Table identifiers: table space identifier'
        doc-ref: *t97
      - id: table_id
        -orig-id: 'Table identifiers: table identifier'
        -lm-status: documented
        type: u2
        doc: 'Table identifiers: table identifier'
        doc-ref: *t97
      - id: object_type
        -orig-id: Object type
        -lm-status: documented
        type: u1
        doc: Object type
        doc-ref: *t97
      - id: flags
        -orig-id: Flags
        -lm-status: documented
        type: u1
        doc: Flags
        doc-ref: *t97
    instances:
      is_undo:
        -lm-status: documented
        -lm-column: false
        value: 'function_id == function_id::undo_create_table or function_id == function_id::undo_drop_table'
        doc: Whether it is a log record written during the undo or rollback of an action
        doc-ref: *t97
  import_replace:
    doc: |
      An IMPORT REPLACE is being executed: the table is re-initialized, without user records. The
      second identifiers in the log header identify the table.
    doc-ref: &t99 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 99'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t97
      - id: internal
        -orig-id: internal
        -lm-status: documented
        size-eos: true
        doc: Internal
        doc-ref: *t99
    instances:
      record_class:
        -lm-status: documented
        -lm-source: That it is the same in later versions is inferred
        value: 'db2_server::record_class::redo'
        doc: Class of the record
        doc-ref: *t99
  reorg:
    doc: |
      REORG has committed to completing the reorganization of a table; that the length of the record
      shows its form is inferred
    doc-ref: &t101 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 101'
    seq:
      - id: body
        -lm-status: documented
        -lm-type: body
        -lm-source: |
          That the length of the record shows its form is inferred; the page has that of version 7
        type:
          switch-on: _io.size
          cases:
            268: reorg_table
            494: reorg_table_v10
            _: undocumented
        doc: The record
        doc-ref: *t101
  reorg_table:
    doc: REORG has committed to completing the reorganization of a table, version 7
    doc-ref: *t101
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t97
      - id: internal
        -orig-id: Internal
        -lm-status: documented
        size: 252
        doc: Internal
        doc-ref: *t101
      - id: index_token
        -orig-id: Index token
        -lm-status: documented
        type: u2
        doc: If not 0, the index by which the reorg is clustered (clustering index)
        doc-ref: *t101
      - id: temp_tablespace_id
        -orig-id: Temporary table space ID
        -lm-status: documented
        type: u2
        doc: If not 0, the system temporary table space that was used to build the reorg
        doc-ref: *t101
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *t101
    instances:
      record_class:
        -lm-status: documented
        value: 'db2_server::record_class::normal'
        doc: Class of the record
        doc-ref: *t101
  reorg_table_v10:
    doc: |
      REORG has committed to completing the reorganization of a table, from version 10.1 on (inferred)
    doc-ref: &readers As applications of version 10.1 and later read it; no page at hand shows it
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t97
      - id: internal
        -lm-status: inferred
        size: 476
        doc: Kept as it is
        doc-ref: *readers
      - id: index_token
        -lm-status: inferred
        type: u2
        doc: Index by which it was clustered, 0 for none
        doc-ref: *readers
      - id: temp_tablespace_id
        -lm-status: inferred
        type: u2
        doc: System temporary table space that was used, 0 for none
        doc-ref: *readers
      - id: long_temp_tablespace_id
        -lm-status: inferred
        type: u2
        doc: System temporary table space for long data that was used, 0 for none
        doc-ref: *readers
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *readers
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::normal'
        doc: Class of the record, as in version 7
        doc-ref: *t101
  index:
    doc: An index is created or dropped
    doc-ref: &t102 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 102'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t97
      - id: padding
        -orig-id: Padding
        -lm-status: documented
        size: 2
        doc: Padding
        doc-ref: *t102
      - id: index_token
        -orig-id: Index token
        -lm-status: documented
        -lm-source: That it is the index id of the catalog, and 0 for an internal index, is inferred
        type: u2
        doc: Index token
        doc-ref: *t102
      - id: index_root_page
        -orig-id: Index root page
        -lm-status: documented
        type: u4
        doc: Index root page
        doc-ref: *t102
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: '_.size == 0 or _root.generation != db2_server::generation::v7'
        doc: Nothing in version 7; for later versions no length is documented
        doc-ref: *t102
    instances:
      record_class:
        -lm-status: documented
        -lm-source: That it is the same in later versions is inferred
        value: 'db2_server::record_class::undo'
        doc: Class of the record
        doc-ref: *t102
  table:
    doc: The data object of a permanent table is created or dropped, or that is rolled back
    doc-ref: &t103 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 103, create table and drop table'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t97
      - id: internal
        -orig-id: Internal
        -lm-status: documented
        size: 56
        if: '_root.generation == db2_server::generation::v7'
        doc: Internal
        doc-ref: *t103
      - id: internal_later
        -lm-status: inferred
        size-eos: true
        doc: The same from version 9.7 on, where no length is documented
        doc-ref: *t103
    instances:
      record_class:
        -lm-status: documented
        -lm-source: That it is the same in later versions, and so of undo drop table, is inferred
        value: 'header.is_undo ? db2_server::record_class::compensation : db2_server::record_class::normal'
        doc: Normal, and compensation for what a rollback writes
        doc-ref: *t103
  undocumented:
    doc: A record that has only a name
    doc-ref: &v12 'IBM Db2 12.1, "Data manager log records", https://www.ibm.com/docs/en/db2/12.1?topic=records-data-manager-log'
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t97
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *v12
enums:
  function_id:
    2:
      id: create_index
      doc: Create index
    3:
      id: drop_index
      doc: Drop index
    4:
      id: drop_table
      doc: Drop table
    5:
      id: undo_drop_table
      doc: Undo drop table
    6:
      id: start_object_completion
      -lm-status: inferred
      doc: Start of object completion; internal
    11:
      id: import_replace
      doc: Truncate table (import replace)
    12:
      id: activate_not_logged
      doc: Activate NOT LOGGED INITIALLY
    35:
      id: reorg_table
      doc: Reorg table
    101:
      id: create_table
      doc: Create table
    130:
      id: undo_create_table
      doc: Undo create table
