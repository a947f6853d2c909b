meta:
  id: db2_lob
  title: Db2 for LUW, LOB manager log records
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
  Data of LOB columns, in pieces of at most 32768 bytes. Offsets count from the end of the log
  record header. An update is a delete of the old value and an insert of the new one; when the new
  value is the old one with more behind it, only what is behind is logged. The tables of version 7
  do not name the columns and rows that the data is of; from 10.1 on the column is named (as
  applications read it), and the records stand before that of the row.

  Version 7 lists no operation identifiers: that the length shows which of its two records it is,
  is inferred. Its byte address is declared as double; whether an IEEE number or an integer of 64
  bits stands there is not stated, and found from the bytes.
doc-ref: 'IBM Db2 12.1, "LOB manager log records", https://www.ibm.com/docs/en/db2/12.1.0?topic=records-lob-manager-log; places as applications of version 10.1 and later read them'
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
      switch-on: generation
      cases:
        'db2_server::generation::v10': of_v10
        _: of_v7
    doc: The record in the form of its generation
    doc-ref: &t110 'IBM Db2 V7, Administrative API Reference, "LOB Manager Log Records", Table 110, https://public.dhe.ibm.com/ps/products/db2/info/vr7/html/db2b0/db2b0213.htm'
types:
  of_v7:
    doc: Records of version 7; that they are the same until version 9.7 is inferred
    doc-ref: *t110
    seq:
      - id: body
        -lm-status: documented
        -lm-type: body
        type:
          switch-on: kind
          cases:
            'insert_lob_data::afim_amount': afim_amount
            _: afim_data
        doc: The record
        doc-ref: *t110
    instances:
      kind:
        -lm-status: inferred
        -lm-column: false
        value: '_io.size == 24 ? insert_lob_data::afim_amount : insert_lob_data::afim_data'
        doc: Insert LOB data, with the data or with its amount only
        doc-ref: *t110
  of_v10:
    doc: Records from version 10.1 on
    doc-ref: &v10 'IBM Db2 12.1, "LOB manager log records", https://www.ibm.com/docs/en/db2/12.1.0?topic=records-lob-manager-log; places as applications of version 10.1 and later read them'
    seq:
      - id: body
        -lm-status: inferred
        -lm-type: body
        type:
          switch-on: kind
          cases:
            'operation::add_lob_data': lob_data
            'operation::add_lob_amount': lob_amount
            'operation::delete_lob': lob_amount
            'operation::non_update_lob': lob_amount
            _: undocumented
        doc: The record
        doc-ref: *v10
    instances:
      kind:
        -lm-status: inferred
        -lm-column: false
        pos: 1
        type: u1
        enum: operation
        doc: Operation identifier
        doc-ref: *v10
  header:
    doc: LOB manager log record header (LOBLogRecordHeader)
    doc-ref: *t110
    seq:
      - id: component
        -orig-id: Originator code (component identifier = 5)
        -lm-status: documented
        type: u1
        enum: db2_server::component
        doc: Originator code (component identifier), 5
        doc-ref: *t110
      - id: operation_id
        -orig-id: Operation identifier
        -lm-status: documented
        -lm-source: The page lists no identifiers
        type: u1
        doc: Operation identifier
        doc-ref: *t110
      - id: pool_id
        -orig-id: Pool identifier
        -lm-status: documented
        -lm-source: That it is the table space of the LOB object is inferred
        type: u2
        doc: Pool identifier
        doc-ref: *t110
      - id: object_id
        -orig-id: Object identifier
        -lm-status: documented
        -lm-source: That it is the LOB object is inferred
        type: u2
        doc: Object identifier
        doc-ref: *t110
      - id: parent_pool_id
        -orig-id: Parent pool identifier
        -lm-status: documented
        -lm-source: That it is the table space of the table is inferred
        type: u2
        doc: Parent pool identifier
        doc-ref: *t110
      - id: parent_object_id
        -orig-id: Parent object identifier
        -lm-status: documented
        -lm-source: That it is the table is inferred
        type: u2
        doc: Parent object identifier
        doc-ref: *t110
      - id: object_type
        -orig-id: Object type
        -lm-status: documented
        type: u1
        doc: Object type
        doc-ref: *t110
  header_v10:
    doc: LOB manager log record header from version 10.1 on, 12 bytes
    doc-ref: *v10
    seq:
      - id: component
        -lm-status: inferred
        type: u1
        enum: db2_server::component
        doc: Originator code (component identifier), 5
        doc-ref: *v10
      - id: operation_id
        -lm-status: inferred
        type: u1
        enum: operation
        doc: Operation identifier
        doc-ref: *v10
      - id: pool_id
        -lm-status: inferred
        type: u2
        doc: Table space of the LOB object
        doc-ref: *v10
      - id: object_id
        -lm-status: inferred
        type: u2
        doc: LOB object
        doc-ref: *v10
      - id: parent_pool_id
        -lm-status: inferred
        type: u2
        doc: Table space of the table
        doc-ref: *v10
      - id: parent_object_id
        -lm-status: inferred
        type: u2
        doc: Table
        doc-ref: *v10
      - id: object_type
        -lm-status: inferred
        type: u2
        doc: |
          Type of the object; that it takes two bytes here is inferred from the size of the header
        doc-ref: *v10
  afim_data:
    doc: |
      Data is inserted into a LOB column, or appended to an existing LOB value, and logging of the
      data has been specified
    doc-ref: &t111 'IBM Db2 V7, Administrative API Reference, "LOB Manager Log Records", Table 111'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t110
      - id: padding
        -orig-id: Padding
        -lm-status: documented
        size: 1
        doc: Padding
        doc-ref: *t111
      - id: data_length
        -orig-id: Data length
        -unit: bytes
        -lm-status: documented
        type: u4
        doc: Data length
        doc-ref: *t111
      - id: byte_address
        -orig-id: Byte address in object
        -lm-status: documented
        -lm-source: |
          Declared as double; that an integer of 64 bits stands there where only that is plausible
          is inferred
        type: f8
        doc: Byte address in object
        doc-ref: *t111
      - id: data
        -orig-id: LOB data
        -lm-status: documented
        size: data_length
        doc: LOB data
        doc-ref: *t111
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *t111
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::normal'
        doc: Class of the record
        doc-ref: *t111
      byte_address_integer:
        -lm-status: inferred
        -lm-column: false
        pos: 16
        type: u8
        doc: Byte address of the data in the object, when it is an integer
        doc-ref: *t111
  afim_amount:
    doc: Written in place of AFIM_DATA when logging for the LOB column has been turned off
    doc-ref: &t112 'IBM Db2 V7, Administrative API Reference, "LOB Manager Log Records", Table 112'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t110
      - id: padding
        -orig-id: Padding
        -lm-status: documented
        size: 1
        doc: Padding
        doc-ref: *t112
      - id: data_length
        -orig-id: Data length
        -unit: bytes
        -lm-status: documented
        -lm-source: |
          That it counts the data that is not logged follows from the text: the quantity of data
          is logged
        type: u4
        doc: Data length
        doc-ref: *t112
      - id: byte_address
        -orig-id: Byte address in object
        -lm-status: documented
        -lm-source: |
          Declared as double; that an integer of 64 bits stands there where only that is plausible
          is inferred
        type: f8
        doc: Byte address in object
        doc-ref: *t112
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *t112
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::normal'
        doc: Class of the record
        doc-ref: *t112
      byte_address_integer:
        -lm-status: inferred
        -lm-column: false
        pos: 16
        type: u8
        doc: Byte address of the data in the object, when it is an integer
        doc-ref: *t112
  lob_data:
    doc: Data is inserted into a LOB column or appended to its value
    doc-ref: *v10
    seq:
      - id: header
        -lm-status: inferred
        -lm-type: body
        type: header_v10
        doc: Log header
        doc-ref: *v10
      - id: data_length
        -unit: bytes
        -lm-status: inferred
        type: u4
        doc: Length of the data
        doc-ref: *v10
      - id: byte_address
        -lm-status: inferred
        type: u8
        doc: Byte address of the data in the object
        doc-ref: *v10
      - id: internal
        -lm-status: unknown
        size: 1
        doc: Kept as it is
        doc-ref: *v10
      - id: original_operation
        -lm-status: inferred
        type: u1
        enum: row_operation
        doc: Operation on the row
        doc-ref: *v10
      - id: column_id
        -lm-status: inferred
        type: u2
        doc: |
          Number of the column in the table; 65535 for varying-length columns stored out of the
          row, all together
        doc-ref: *v10
      - id: internal2
        -lm-status: unknown
        size: 4
        doc: Kept as it is
        doc-ref: *v10
      - id: data
        -lm-status: inferred
        size: data_length
        doc: LOB data
        doc-ref: *v10
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *v10
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::normal'
        doc: Class of the record
        doc-ref: *v10
  lob_amount:
    doc: 'An amount without data: of a NOT LOGGED column, or for information only'
    doc-ref: *v10
    seq:
      - id: header
        -lm-status: inferred
        -lm-type: body
        type: header_v10
        doc: Log header
        doc-ref: *v10
      - id: data_length
        -unit: bytes
        -lm-status: inferred
        type: u4
        doc: Length of the data that is not logged
        doc-ref: *v10
      - id: byte_address
        -lm-status: inferred
        type: u8
        doc: Byte address of the data in the object
        doc-ref: *v10
      - id: internal
        -lm-status: unknown
        size: 1
        doc: Kept as it is
        doc-ref: *v10
      - id: original_operation
        -lm-status: inferred
        type: u1
        enum: row_operation
        doc: Operation on the row
        doc-ref: *v10
      - id: column_id
        -lm-status: inferred
        type: u2
        doc: Number of the column in the table
        doc-ref: *v10
      - id: internal2
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *v10
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::normal'
        doc: Class of the record
        doc-ref: *v10
  undocumented:
    doc: A record that has only a number
    doc-ref: *v10
    seq:
      - id: header
        -lm-status: inferred
        -lm-type: body
        type: header_v10
        doc: Log header
        doc-ref: *v10
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *v10
enums:
  operation:
    64:
      id: add_lob_data
      doc: Add LOB data
    65:
      id: add_lob_amount
      doc: Add LOB amount
    66:
      id: delete_lob
      doc: Delete LOB; information only
    67:
      id: non_update_lob
      doc: Non-update LOB; information only
  storage:
    1024:
      id: segment
      -lm-status: inferred
      doc: |
        Bytes of the smallest piece of space in the object; a value begins where one does. Source: IBM Db2
        12.1, "Space requirements for large object data": segments of 1024 bytes times a power of two. That
        the byte address of a value is a multiple of it is inferred.
    0x1000000000000:
      id: object_limit
      -lm-status: inferred
      doc: Bytes that no object has. No page states it; it tells integers from IEEE numbers (inferred)
  column:
    0xffff:
      id: whole_row
      -lm-status: inferred
      doc: |
        In place of a column: the data is the varying-length values of a whole row, stored out of it
        (db2_row, out_of_row_values). Inferred
  insert_lob_data:
    0:
      id: afim_data
      doc: With the data
    1:
      id: afim_amount
      doc: With its amount only
  row_operation:
    1:
      id: insert
      doc: Insert
    2:
      id: delete
      doc: Delete
    4:
      id: update
      doc: Update
