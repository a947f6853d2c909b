meta:
  id: db2_ddl
  title: Db2 for LUW, relation manager log records
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
  The text of DDL statements, logged from version 10.1 on when LOG_DDL_STMTS is YES. Function ids 4
  and 5 mean other things here than in records of the data object manager. That a text too long
  for one record goes on in the next, and that the length that is left counts down, is inferred.
doc-ref: As applications of version 10.1 and later read it; written when the database has LOG_DDL_STMTS switched on
params:
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
seq:
  - id: body
    -lm-status: inferred
    -lm-type: body
    type:
      switch-on: kind
      cases:
        'function_id::ddl_statement': statement
        'function_id::undo_ddl_statement': statement
        _: undocumented
    doc: The record
    doc-ref: &r As applications of version 10.1 and later read it; written when the database has LOG_DDL_STMTS switched on
instances:
  kind:
    -lm-status: inferred
    -lm-column: false
    pos: 1
    type: u1
    enum: function_id
    doc: Function identifier
    doc-ref: *r
types:
  header:
    doc: Relation manager log record header
    doc-ref: *r
    seq:
      - id: component
        -lm-status: inferred
        type: u1
        enum: db2_server::component
        doc: Component identifier, 11
        doc-ref: *r
      - id: function_id
        -lm-status: inferred
        type: u1
        enum: function_id
        doc: What happened
        doc-ref: *r
      - id: tablespace_id
        -lm-status: inferred
        type: u2
        doc: Table space
        doc-ref: *r
      - id: table_id
        -lm-status: inferred
        type: u2
        doc: Table
        doc-ref: *r
      - id: flags
        -lm-status: inferred
        type: u2
        doc: Flags
        doc-ref: *r
  statement:
    doc: A DDL statement is executed, or that is rolled back
    doc-ref: *r
    seq:
      - id: header
        -lm-status: inferred
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *r
      - id: ddl_operation
        -lm-status: inferred
        type: u2
        doc: Operation
        doc-ref: *r
      - id: ddl_object
        -lm-status: inferred
        type: u2
        doc: Kind of object
        doc-ref: *r
      - id: ddl_options
        -lm-status: inferred
        type: u2
        doc: Options
        doc-ref: *r
      - id: num_entries
        -lm-status: inferred
        type: u2
        doc: Number of entries
        doc-ref: *r
      - id: ddl_text_left
        -unit: bytes
        -lm-status: inferred
        type: u4
        doc: Length of the text that follows in further records
        doc-ref: *r
      - id: ddl_text_length
        -unit: bytes
        -lm-status: inferred
        type: u4
        doc: Length of the text in this record
        doc-ref: *r
      - id: entries
        -lm-status: inferred
        type: entry
        repeat: expr
        repeat-expr: num_entries
        doc: Entries
        doc-ref: *r
      - id: entry_data
        -lm-status: unknown
        size: _io.size - _io.pos - ddl_text_length
        doc: Data of the entries
        doc-ref: *r
      - id: ddl_text
        -codec: database
        -lm-status: inferred
        size: ddl_text_length
        doc: Text of the statement
        doc-ref: *r
  entry:
    doc: One entry
    doc-ref: *r
    seq:
      - id: entry_type
        -lm-status: inferred
        type: u2
        enum: entry_type
        doc: Type
        doc-ref: *r
      - id: entry_length
        -unit: bytes
        -lm-status: inferred
        type: u2
        doc: Length
        doc-ref: *r
  undocumented:
    doc: A record that has only a number
    doc-ref: *r
    seq:
      - id: header
        -lm-status: inferred
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *r
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *r
enums:
  function_id:
    4:
      id: ddl_statement
      doc: DDL statement
    5:
      id: undo_ddl_statement
      doc: Undo DDL statement
  entry_type:
    1:
      id: default_schema
      -lm-status: inferred
      doc: Schema of names without one
