meta:
  id: db2_dms
  title: Db2 for LUW, data manager log records
  application: IBM Db2 for Linux, UNIX and Windows
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /db2/db2_server
    - /db2/db2_rid
    - /db2/db2_sqlu_lsn
  endian:
    switch-on: byte_order
    cases:
      'db2_server::byte_order::little': le
      _: be
doc: |
  Records of the component that keeps tables and rows. Offsets count from the end of the log
  record header, as in the tables of the manual.

  Types named like a table of version 7 are its rows; those that end in v97 are the same record
  from version 9.7 on, with log sequence numbers of 8 and row ids of 6 bytes. That version 8.1 to
  9.5 are as version 7, with the newer function ids for rows, is inferred; no page at hand settles
  when those came.

  An update carries two rows. The first fixed part stands before the OLD row and gives the length
  of the NEW one, and the other way round; that the rows' own headers and the length of the whole
  must agree is inferred.
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
      switch-on: generation
      cases:
        'db2_server::generation::v7': of_v7
        _: of_v97
    doc: The record in the form of its generation
    doc-ref: &v12 'IBM Db2 12.1, "Data manager log records", https://www.ibm.com/docs/en/db2/12.1?topic=records-data-manager-log'
types:
  of_v7:
    doc: Records of versions 5 to 9.5
    doc-ref: &t96 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 96, https://public.dhe.ibm.com/ps/products/db2/info/vr7/html/db2b0/db2b0211.htm'
    seq:
      - id: body
        -lm-status: documented
        -lm-type: body
        type:
          switch-on: kind
          cases:
            'function_id_v7::add_columns': add_columns
            'function_id_v7::undo_add_columns': add_columns
            'function_id_v7::delete_record': row
            'function_id_v7::undo_insert_record': rollback_insert
            'function_id_v7::undo_delete_record': row
            'function_id_v7::undo_update_record': row
            'function_id_v7::insert_record': row
            'function_id_v7::update_record': update
            'function_id_v7::alter_table_attribute': alter_table_attribute
            'function_id_v7::initialize_table': initialize_table
            'function_id_v7::delete_record_v97': row
            'function_id_v7::insert_record_v97': row
            'function_id_v7::update_record_v97': update
            _: undocumented
        doc: The record
        doc-ref: *t96
    instances:
      kind:
        -lm-status: documented
        -lm-column: false
        pos: 1
        type: u1
        enum: function_id_v7
        doc: Function identifier
        doc-ref: 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 96; V5, API Reference, "Data Manager Log Records", Table 87'
  of_v97:
    doc: Records from version 9.7 on
    doc-ref: *v12
    seq:
      - id: body
        -lm-status: documented
        -lm-type: body
        type:
          switch-on: kind
          cases:
            'function_id::add_columns': add_columns
            'function_id::undo_add_columns': add_columns
            'function_id::undo_insert_record': rollback_insert_v97
            'function_id::undo_delete_record': row_v97
            'function_id::undo_update_record': row_v97
            'function_id::alter_table_attribute': alter_table_attribute_v97
            'function_id::initialize_table': initialize_table_v97
            'function_id::delete_record': row_v97
            'function_id::insert_record': row_v97
            'function_id::update_record': update_v97
            'function_id::delete_record_v97': row_v97
            'function_id::insert_record_v97': row_v97
            'function_id::update_record_v97': update_v97
            'function_id::delete_record_to_empty_page': row_to_empty_page
            'function_id::insert_record_to_empty_page': row_to_empty_page
            'function_id::undo_delete_record_to_empty_page': row_to_empty_page
            'function_id::undo_insert_record_to_empty_page': rollback_insert_to_empty_page
            'function_id::insert_multiple_records': insert_multiple
            'function_id::undo_insert_multiple_records': undo_insert_multiple
            'function_id::vector': vector
            _: undocumented
        doc: The record
        doc-ref: *v12
    instances:
      kind:
        -lm-status: documented
        -lm-column: false
        pos: 1
        type: u1
        enum: function_id
        doc: Function identifier
        doc-ref: *v12
  header:
    doc: DMS log record header (DMSLogRecordHeader)
    doc-ref: *t96
    seq:
      - id: component
        -orig-id: Component identifier (=1)
        -lm-status: documented
        type: u1
        enum: db2_server::component
        doc: Component identifier, 1
        doc-ref: *t96
      - id: function_id
        -orig-id: Function identifier
        -lm-status: documented
        -lm-source: |
          Table 96 lists the identifiers of version 7; the others are those of version 12.1
        type: u1
        enum: function_id
        doc: Function identifier
        doc-ref: 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 96; 12.1, "Data manager log records", Table 2; V5, API Reference, "Data Manager Log Records", Table 87'
      - id: tablespace_id
        -orig-id: Table space identifier
        -lm-status: documented
        type: u2
        doc: Table space identifier
        doc-ref: *t96
      - id: table_id
        -orig-id: Table identifier
        -lm-status: documented
        -lm-source: That it is unique only together with the table space is inferred
        type: u2
        doc: Table identifier
        doc-ref: *t96
    instances:
      is_undo:
        -lm-status: documented
        -lm-column: false
        value: 'function_id == function_id::undo_add_columns or function_id == function_id::undo_insert_record or function_id == function_id::undo_delete_record or function_id == function_id::undo_update_record or function_id == function_id::undo_alter_column or function_id == function_id::undo_update_partition_state or function_id == function_id::undo_alter_lob_column or function_id == function_id::undo_rename or function_id == function_id::undo_insert_record_to_empty_page or function_id == function_id::undo_delete_record_to_empty_page or function_id == function_id::undo_insert_multiple_records or function_id == function_id::undo_drop_columns or function_id == function_id::undo_start_of_out_of_row_data'
        doc: Whether it is a log record written during the undo or rollback of an action
        doc-ref: *v12
  initialize_table:
    doc: A new permanent table is initialized; describes its columns
    doc-ref: &t98 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 98'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: file_create_lsn
        -orig-id: File create LSN
        -lm-status: documented
        type: db2_sqlu_lsn(_root.byte_order)
        doc: File create LSN
        doc-ref: *t98
      - id: record_type
        -orig-id: 'Table directory record: record type'
        -lm-status: documented
        type: u1
        doc: Record type, of the table directory record
        doc-ref: *t98
      - id: reserved1
        -orig-id: 'Table directory record: reserved'
        -lm-status: documented
        size: 1
        doc: Reserved
        doc-ref: *t98
      - id: index_flag
        -orig-id: 'Table directory record: index flag'
        -lm-status: documented
        type: u2
        doc: Index flag
        doc-ref: *t98
      - id: index_root_page
        -orig-id: 'Table directory record: index root page'
        -lm-status: documented
        type: u4
        doc: Index root page
        doc-ref: *t98
      - id: tdesc_recid
        -orig-id: 'Table directory record: TDESC recid'
        -lm-status: documented
        -lm-source: That it is the record id of the table description is inferred from its name
        type: s4
        doc: TDESC recid
        doc-ref: *t98
      - id: reserved2
        -orig-id: 'Table directory record: reserved'
        -lm-status: documented
        size: 56
        doc: Reserved
        doc-ref: *t98
      - id: flags
        -orig-id: 'Table directory record: flags'
        -lm-status: documented
        type: u4
        doc: |
          Bit 0x20: created with the NOT LOGGED INITIALLY option; no DML activity on the table is
          logged until the transaction that created it has been committed
        doc-ref: *t98
      - id: table_description_length
        -orig-id: Table description length
        -unit: bytes
        -lm-status: documented
        -lm-source: The table prints no type; that it is an unsigned number, in bytes, is inferred
        type: u4
        doc: Table description length
        doc-ref: *t98
      - id: table_description
        -orig-id: Table description record
        -lm-status: documented
        size: table_description_length
        type: table_description
        doc: Table description record
        doc-ref: *t98
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *t98
    instances:
      record_class:
        -lm-status: documented
        value: 'db2_server::record_class::redo'
        doc: Class of the record
        doc-ref: *t98
      is_not_logged_initially:
        -lm-status: documented
        value: 'flags & 0x20 != 0'
        doc: Whether it was created NOT LOGGED INITIALLY
        doc-ref: *t98
  initialize_table_v97:
    doc: A new permanent table is initialized; describes its columns
    doc-ref: &inferred 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 98, with the log sequence number of 8 bytes'
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: padding
        -lm-status: inferred
        size: 2
        doc: Padding
        doc-ref: *inferred
      - id: file_create_lsn
        -lm-status: inferred
        -lm-type: lsn
        type: u8
        doc: Log sequence number at which its file was made
        doc-ref: *inferred
      - id: record_type
        -lm-status: inferred
        type: u1
        doc: Type of the table directory record
        doc-ref: *inferred
      - id: reserved1
        -lm-status: inferred
        size: 1
        doc: Reserved
        doc-ref: *inferred
      - id: index_flag
        -lm-status: inferred
        type: u2
        doc: Index flag
        doc-ref: *inferred
      - id: index_root_page
        -lm-status: inferred
        type: u4
        doc: Root page of the index
        doc-ref: *inferred
      - id: tdesc_recid
        -lm-status: inferred
        type: s4
        doc: Record id of the table description
        doc-ref: *inferred
      - id: reserved2
        -lm-status: inferred
        size: 56
        doc: Reserved
        doc-ref: *inferred
      - id: flags
        -lm-status: inferred
        type: u4
        doc: |
          Bit 0x20: created NOT LOGGED INITIALLY, no change of its rows is logged until the
          transaction commits
        doc-ref: *inferred
      - id: table_description_length
        -unit: bytes
        -lm-status: inferred
        type: u4
        doc: Length of the table description record
        doc-ref: &readers As applications of version 10.1 and later read it; no page at hand shows it
      - id: table_description
        -lm-status: inferred
        size: table_description_length
        type: table_description
        doc: Table description record
        doc-ref: *readers
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *inferred
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::redo'
        doc: Class of the record
        doc-ref: *inferred
      is_not_logged_initially:
        -lm-status: inferred
        value: 'flags & 0x20 != 0'
        doc: Whether it was created NOT LOGGED INITIALLY
        doc-ref: *inferred
  table_description:
    doc: 'Table description record: column descriptors and LOB descriptors'
    doc-ref: *t98
    seq:
      - id: record_type
        -orig-id: record type
        -lm-status: documented
        -lm-source: That it is zero is from applications that read it
        type: u1
        doc: Record type
        doc-ref: *t98
      - id: reserved
        -orig-id: reserved
        -lm-status: documented
        size: 1
        doc: Reserved
        doc-ref: *t98
      - id: num_columns
        -orig-id: number of columns
        -lm-status: documented
        type: u2
        doc: Number of columns
        doc-ref: *t98
      - id: columns
        -orig-id: array
        -lm-status: documented
        type: column_descriptor
        repeat: expr
        repeat-expr: num_columns
        doc: 'Column descriptor array: an element of 8 bytes for each column'
        doc-ref: *t98
      - id: lobs
        -lm-status: documented
        -lm-source: |
          The table prints one array; that this one is behind the column descriptors is inferred
        type: lob_descriptor
        repeat: eos
        doc: |
          LOB descriptor array: an element of 12 bytes for each LOB, CLOB and DBCLOB field; the
          first such field uses the first element
        doc-ref: *t98
  column_descriptor:
    doc: |
      One column, 8 bytes. The page names field type, field length, null flag and field offset;
      that they stand in this order, two bytes each, and their codes are from applications that
      read them.
    doc-ref: *t98
    seq:
      - id: field_type
        -orig-id: field type
        -lm-status: inferred
        type: u2
        enum: column_type
        doc: Type of the column
        doc-ref: *readers
      - id: precision
        -lm-status: inferred
        type: u1
        if: 'field_type == column_type::decimal'
        doc: Digits of a DECIMAL column; first of two single bytes, in any byte order
        doc-ref: *readers
      - id: scale
        -lm-status: inferred
        type: u1
        if: 'field_type == column_type::decimal'
        doc: Digits behind the point of a DECIMAL column
        doc-ref: *readers
      - id: length
        -orig-id: field length
        -unit: bytes
        -lm-status: inferred
        type: u2
        if: 'field_type != column_type::decimal'
        doc: |
          Bytes of a fixed-length column, longest value of a varying one; not used for LOB columns
        doc-ref: *readers
      - id: null_flag
        -orig-id: null flag
        -lm-status: inferred
        type: u2
        doc: |
          Bits: 0x01 nullable, 0x02 NOT NULL, 0x04 type default, 0x08 user default, 0x40
          generated, 0x80 compressed system default
        doc-ref: *readers
      - id: field_offset
        -orig-id: field offset
        -unit: bytes
        -lm-status: documented
        -lm-source: |
          That it is the last two of the eight bytes, and that the formatted record begins with
          the fixed length section here, is inferred
        type: u2
        doc: |
          Offset from the beginning of the formatted record to the fixed length portion of the field
        doc-ref: 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", "Table Descriptor Record", Table 107'
    instances:
      is_nullable:
        -lm-status: inferred
        value: 'null_flag & 0x01 != 0'
        doc: Whether a null byte stands behind its fixed-length portion
        doc-ref: *readers
  lob_descriptor:
    doc: One LOB column, 12 bytes; the page names their number and size only
    doc-ref: *t98
    seq:
      - id: maximum_length
        -unit: bytes
        -lm-status: inferred
        type: u4
        doc: Longest value
        doc-ref: *t98
      - id: inline_length
        -unit: bytes
        -lm-status: inferred
        type: u4
        doc: Longest value that stands in the row, from version 9.7 on
        doc-ref: *t98
      - id: is_logged
        -lm-status: inferred
        type: u4
        doc: Whether the column was created LOGGED
        doc-ref: *t98
  rollback_insert:
    doc: An insert is rolled back
    doc-ref: &t100 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 100'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: padding
        -orig-id: Padding
        -lm-status: documented
        size: 2
        doc: Padding
        doc-ref: *t100
      - id: rid
        -orig-id: RID
        -lm-status: documented
        -lm-source: |
          The table has four bytes; that they are the page number times 256, plus the slot, is
          inferred
        type: s4
        doc: RID
        doc-ref: *t100
      - id: record_length
        -orig-id: Record length
        -unit: bytes
        -lm-status: documented
        -lm-source: That it is the length of the record that is taken back is inferred
        type: u2
        doc: Record length
        doc-ref: *t100
      - id: free_space
        -orig-id: Free space
        -unit: bytes
        -lm-status: documented
        -lm-source: That these are the bytes free on the page is inferred
        type: u2
        doc: Free space
        doc-ref: *t100
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *t100
    instances:
      record_class:
        -lm-status: documented
        value: 'db2_server::record_class::compensation'
        doc: Class of the record
        doc-ref: *t100
  rollback_insert_v97:
    doc: An insert is rolled back
    doc-ref: &sample IBM/db2-samples, c/utilrecov.c at version 11.5
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: padding
        -lm-status: inferred
        size: 2
        doc: Padding
        doc-ref: *sample
      - id: record_length
        -unit: bytes
        -lm-status: documented
        -lm-source: That it is the length of the record that is taken back is inferred
        type: u2
        doc: Length of the record
        doc-ref: *sample
      - id: free_space
        -unit: bytes
        -lm-status: inferred
        -lm-source: |
          The sample leaves two bytes here unread; that they are what Table 100 has, the bytes
          free on the page, is inferred
        type: u2
        doc: Free space on the page
        doc-ref: *sample
      - id: rid
        -lm-status: documented
        -lm-source: That it is page and slot is inferred
        type: db2_rid(_root.byte_order)
        doc: Row id
        doc-ref: *sample
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *sample
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::compensation'
        doc: Class of the record, as in version 7
        doc-ref: *t100
  rollback_insert_to_empty_page:
    doc: An insert into an empty page is rolled back
    doc-ref: *readers
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: padding
        -lm-status: inferred
        size: 2
        doc: Padding
        doc-ref: *readers
      - id: record_length
        -unit: bytes
        -lm-status: inferred
        type: u2
        doc: Length of the record that is taken back
        doc-ref: *readers
      - id: free_space
        -unit: bytes
        -lm-status: inferred
        type: u2
        doc: Free space on the page
        doc-ref: *readers
      - id: rid
        -lm-status: inferred
        type: db2_rid(_root.byte_order)
        doc: 'Row id: page and slot'
        doc-ref: *readers
      - id: internal
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *readers
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::compensation'
        doc: Class of the record
        doc-ref: *readers
  row:
    doc: A row is inserted or deleted, or a delete or update is rolled back
    doc-ref: &t106 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 106'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: padding
        -orig-id: Padding
        -lm-status: documented
        size: 2
        doc: Padding
        doc-ref: *t106
      - id: rid
        -orig-id: RID
        -lm-status: documented
        -lm-source: |
          The table has four bytes; that they are the page number times 256, plus the slot, is
          inferred
        type: s4
        doc: RID
        doc-ref: *t106
      - id: record_length
        -orig-id: Record length
        -unit: bytes
        -lm-status: documented
        type: u2
        doc: Record length, of the record header and data
        doc-ref: *t106
      - id: free_space
        -orig-id: Free space
        -unit: bytes
        -lm-status: documented
        -lm-source: That these are the bytes free on the page is inferred
        type: u2
        doc: Free space
        doc-ref: *t106
      - id: record_offset
        -orig-id: Record offset
        -lm-status: documented
        -lm-source: |
          That it is the byte offset of the record in its page is inferred; rows of one printed
          page of version 9.7 add up so
        type: u2
        doc: Record offset
        doc-ref: *t106
      - id: record
        -orig-id: Record header and data
        -lm-status: documented
        size: record_length
        doc: Record header and data, described by db2_row
        doc-ref: *t106
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *t106
    instances:
      record_class:
        -lm-status: documented
        value: 'header.is_undo ? db2_server::record_class::compensation : db2_server::record_class::normal'
        doc: Normal, and compensation for what a rollback writes
        doc-ref: *t106
  row_v97:
    doc: A row is inserted or deleted, or a delete or update is rolled back
    doc-ref: &printed IBM/db2-samples, c/utilrecov.c at version 11.5, and one printed row of version 9.7
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: iud_flags
        -orig-id: lrIUDflags
        -lm-status: inferred
        type: u2
        doc: |
          Flags of insert, update and delete; 0x8000 marks one half of an update that moved its
          row
        doc-ref: *printed
      - id: record_length
        -unit: bytes
        -lm-status: documented
        type: u2
        doc: Length of the record header and data
        doc-ref: *printed
      - id: free_space
        -unit: bytes
        -lm-status: inferred
        -lm-source: |
          The sample leaves two bytes here unread; that they are what Table 106 has, the bytes
          free on the page, is inferred
        type: u2
        doc: Free space
        doc-ref: *printed
      - id: rid
        -lm-status: documented
        -lm-source: That it is page and slot is inferred
        type: db2_rid(_root.byte_order)
        doc: Row id
        doc-ref: *printed
      - id: record_offset
        -lm-status: documented
        -lm-source: |
          That it is the byte offset of the record in its page is inferred; rows of one printed
          page of version 9.7 add up so
        type: u2
        doc: Offset of the record
        doc-ref: *printed
      - id: record
        -lm-status: documented
        size: record_length
        doc: Record header and data, described by db2_row
        doc-ref: *printed
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *printed
    instances:
      record_class:
        -lm-status: inferred
        value: 'header.is_undo ? db2_server::record_class::compensation : db2_server::record_class::normal'
        doc: Normal, and compensation for what a rollback writes, as in version 7
        doc-ref: *t106
  row_to_empty_page:
    doc: |
      A row is inserted into or deleted from an empty page; that the page is empty before or after is
      inferred from the names of the records
    doc-ref: *sample
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: iud_flags
        -orig-id: lrIUDflags
        -lm-status: inferred
        type: u2
        doc: |
          Flags of insert, update and delete; 0x8000 marks one half of an update that moved its
          row
        doc-ref: *sample
      - id: record_length
        -unit: bytes
        -lm-status: documented
        type: u2
        doc: Length of the record header and data
        doc-ref: *sample
      - id: free_space
        -unit: bytes
        -lm-status: inferred
        -lm-source: |
          The sample leaves two bytes here unread; that they are what Table 106 has, the bytes
          free on the page, is inferred
        type: u2
        doc: Free space
        doc-ref: *sample
      - id: rid
        -lm-status: documented
        -lm-source: That it is page and slot is inferred
        type: db2_rid(_root.byte_order)
        doc: Row id
        doc-ref: *sample
      - id: internal
        -lm-status: unknown
        size: 2
        doc: Kept as it is
        doc-ref: *sample
      - id: first_page
        -lm-status: inferred
        type: u4
        doc: First page of the extent, by its name only
        doc-ref: *sample
      - id: record_offset
        -lm-status: documented
        -lm-source: |
          That it is the byte offset of the record in its page is inferred; rows of one printed
          page of version 9.7 add up so
        type: u2
        doc: Offset of the record
        doc-ref: *sample
      - id: record
        -lm-status: documented
        size: record_length
        doc: Record header and data, described by db2_row
        doc-ref: *sample
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *sample
    instances:
      record_class:
        -lm-status: inferred
        value: 'header.is_undo ? db2_server::record_class::compensation : db2_server::record_class::normal'
        doc: Normal, and compensation for what a rollback writes, as of other rows in version 7
        doc-ref: *t106
  update:
    doc: A row is updated, and its storage location does not change
    doc-ref: &t109 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 109'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: old_row
        -lm-status: documented
        type: update_part
        doc: |
          Padding to old record header and data; the record length in it is that of the new record
        doc-ref: *t109
      - id: new_header
        -orig-id: Log header
        -lm-status: documented
        -lm-valid-status: inferred
        type: header
        valid:
          expr: _.function_id == header.function_id and _.tablespace_id == header.tablespace_id and _.table_id == header.table_id
        doc: Log header of the second part
        doc-ref: *t109
      - id: new_row
        -lm-status: documented
        -lm-valid-status: inferred
        type: update_part
        valid:
          expr: _.record_length == old_row.record.size and old_row.record_length == _.record.size
        doc: |
          Padding to new record header and data; the record length in it is that of the old record
        doc-ref: *t109
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *t109
    instances:
      record_class:
        -lm-status: documented
        value: 'db2_server::record_class::normal'
        doc: Class of the record
        doc-ref: *t109
  update_part:
    doc: One of the two rows of an update
    doc-ref: *t109
    seq:
      - id: padding
        -orig-id: Padding
        -lm-status: documented
        size: 2
        doc: Padding
        doc-ref: *t109
      - id: rid
        -orig-id: RID
        -lm-status: documented
        -lm-source: |
          The table has four bytes; that they are the page number times 256, plus the slot, is
          inferred
        type: s4
        doc: RID
        doc-ref: *t109
      - id: record_length
        -unit: bytes
        -lm-status: documented
        type: u2
        doc: |
          New record length in the part that has the old record, old record length in the part
          that has the new one
        doc-ref: *t109
      - id: free_space
        -orig-id: Free space
        -unit: bytes
        -lm-status: documented
        -lm-source: That these are the bytes free on the page is inferred
        type: u2
        doc: Free space
        doc-ref: *t109
      - id: record_offset
        -orig-id: Record offset
        -lm-status: documented
        -lm-source: |
          That it is the byte offset of the record in its page is inferred; rows of one printed
          page of version 9.7 add up so
        type: u2
        doc: Record offset
        doc-ref: *t109
      - id: record
        -lm-status: documented
        size: own_length
        doc: Old or new record header and data, described by db2_row
        doc-ref: *t109
    instances:
      own_length:
        -lm-status: inferred
        -lm-column: false
        pos: _io.pos + 2
        type: u2
        doc: Length that the record gives in its own header, two bytes behind where it starts
        doc-ref: *sample
  update_v97:
    doc: A row is updated, and its storage location does not change
    doc-ref: *sample
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: old_row
        -lm-status: documented
        type: update_part_v97
        doc: |
          The fields up to the old record header and data, and these; the record length in it is
          that of the new record
        doc-ref: *sample
      - id: new_header
        -lm-status: documented
        -lm-valid-status: inferred
        type: header
        valid:
          expr: _.function_id == header.function_id and _.tablespace_id == header.tablespace_id and _.table_id == header.table_id
        doc: Log header of the second part
        doc-ref: *sample
      - id: new_row
        -lm-status: documented
        -lm-valid-status: inferred
        type: update_part_v97
        valid:
          expr: _.record_length == old_row.record.size and old_row.record_length == _.record.size
        doc: |
          The fields up to the new record header and data, and these; the record length in it is
          that of the old record
        doc-ref: *sample
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *sample
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::normal'
        doc: Class of the record, as in version 7
        doc-ref: *t109
  update_part_v97:
    doc: One of the two rows of an update
    doc-ref: *sample
    seq:
      - id: iud_flags
        -orig-id: lrIUDflags
        -lm-status: inferred
        type: u2
        doc: |
          Flags of insert, update and delete; 0x8000 marks one half of an update that moved its
          row
        doc-ref: *sample
      - id: record_length
        -unit: bytes
        -lm-status: documented
        type: u2
        doc: Length of the record in the OTHER part
        doc-ref: 'IBM/db2-samples, cpp/utilrecov.C at version 11.5'
      - id: free_space
        -unit: bytes
        -lm-status: inferred
        -lm-source: |
          The sample leaves two bytes here unread; that they are what Table 106 has, the bytes
          free on the page, is inferred
        type: u2
        doc: Free space
        doc-ref: *sample
      - id: rid
        -lm-status: documented
        -lm-source: That it is page and slot is inferred
        type: db2_rid(_root.byte_order)
        doc: Row id
        doc-ref: *sample
      - id: record_offset
        -lm-status: documented
        -lm-source: |
          That it is the byte offset of the record in its page is inferred; rows of one printed
          page of version 9.7 add up so
        type: u2
        doc: Offset of the record
        doc-ref: *sample
      - id: record
        -lm-status: documented
        size: own_length
        doc: Record header and data, described by db2_row
        doc-ref: *sample
    instances:
      own_length:
        -lm-status: documented
        -lm-column: false
        pos: _io.pos + 2
        type: u2
        doc: Length that the record gives in its own header, two bytes behind where it starts
        doc-ref: *sample
  insert_multiple:
    doc: Several rows are inserted into one page
    doc-ref: *readers
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: iud_flags
        -orig-id: lrIUDflags
        -lm-status: inferred
        type: u2
        doc: |
          Flags of insert, update and delete; 0x8000 marks one half of an update that moved its
          row
        doc-ref: *readers
      - id: num_records
        -lm-status: inferred
        type: u2
        doc: Number of records
        doc-ref: *readers
      - id: free_space
        -unit: bytes
        -lm-status: inferred
        type: u2
        doc: Free space on the page
        doc-ref: *readers
      - id: sum_of_record_lengths
        -unit: bytes
        -lm-status: inferred
        type: u2
        doc: Sum of the lengths of the records
        doc-ref: *readers
      - id: variable_part_length
        -unit: bytes
        -lm-status: inferred
        type: u2
        doc: Length of what follows the page number
        doc-ref: *readers
      - id: pool_page_number
        -lm-status: inferred
        type: u4
        doc: Page
        doc-ref: *readers
      - id: records
        -lm-status: inferred
        type: placed_record
        repeat: expr
        repeat-expr: num_records
        doc: The records
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
        doc: Class of the record
        doc-ref: *readers
  placed_record:
    doc: One of several records
    doc-ref: *readers
    seq:
      - id: rid
        -lm-status: inferred
        type: db2_rid(_root.byte_order)
        doc: 'Row id: page and slot'
        doc-ref: *readers
      - id: record_offset
        -lm-status: inferred
        type: u2
        doc: Byte offset of the record in its page
        doc-ref: *readers
      - id: record
        -lm-status: inferred
        size: own_length
        doc: Record header and data, described by db2_row
        doc-ref: *readers
    instances:
      own_length:
        -lm-status: inferred
        -lm-column: false
        pos: _io.pos + 2
        type: u2
        doc: Length that the record gives in its own header, two bytes behind where it starts
        doc-ref: *readers
  undo_insert_multiple:
    doc: An insert of several rows is rolled back
    doc-ref: *readers
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: iud_flags
        -orig-id: lrIUDflags
        -lm-status: inferred
        type: u2
        doc: |
          Flags of insert, update and delete; 0x8000 marks one half of an update that moved its
          row
        doc-ref: *readers
      - id: num_records
        -lm-status: inferred
        type: u2
        doc: Number of records
        doc-ref: *readers
      - id: free_space
        -unit: bytes
        -lm-status: inferred
        type: u2
        doc: Free space on the page
        doc-ref: *readers
      - id: sum_of_record_lengths
        -unit: bytes
        -lm-status: inferred
        type: u2
        doc: Sum of the lengths of the records
        doc-ref: *readers
      - id: variable_part_length
        -unit: bytes
        -lm-status: inferred
        type: u2
        doc: Length of what follows the page number
        doc-ref: *readers
      - id: pool_page_number
        -lm-status: inferred
        type: u4
        doc: Page
        doc-ref: *readers
      - id: records
        -lm-status: inferred
        type: removed_record
        repeat: expr
        repeat-expr: num_records
        doc: The records
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
        value: 'db2_server::record_class::compensation'
        doc: Class of the record
        doc-ref: *readers
  removed_record:
    doc: One of several records that are taken back
    doc-ref: *readers
    seq:
      - id: rid
        -lm-status: inferred
        type: db2_rid(_root.byte_order)
        doc: 'Row id: page and slot'
        doc-ref: *readers
      - id: internal
        -lm-status: unknown
        size: 2
        doc: Kept as it is
        doc-ref: *readers
  alter_table_attribute:
    doc: |
      The state of a table is changed by the ALTER TABLE statement, or as a result of adding or
      validating constraints
    doc-ref: &t104 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 104'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: padding
        -orig-id: Padding
        -lm-status: documented
        size: 2
        doc: Padding
        doc-ref: *t104
      - id: attribute_mask
        -orig-id: Alter bit (attribute) mask
        -lm-status: documented
        type: u4
        doc: |
          Alter bit (attribute) mask: the attributes that are altered. 0x1 propagation, 0x2 check
          pending, 0x10000 append mode, 0x200000 LF propagation, 0x400000 LOB propagation
        doc-ref: *t104
      - id: attribute_values
        -orig-id: Alter bit (attribute) values
        -lm-status: documented
        type: u4
        doc: |
          Alter bit (attribute) values: the new value of each attribute in the mask, 0 off, 1 on
        doc-ref: *t104
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *t104
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::normal'
        doc: Class of the record
        doc-ref: *t104
  alter_table_attribute_v97:
    doc: |
      The state of a table is changed by the ALTER TABLE statement, or as a result of adding or
      validating constraints
    doc-ref: *sample
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: attribute_mask
        -lm-status: documented
        type: u8
        doc: 'Alter bit mask: the attributes that are altered; bits as in version 7'
        doc-ref: *sample
      - id: attribute_values
        -lm-status: documented
        type: u8
        doc: 'Alter bit values: the new value of each attribute in the mask, 0 off, 1 on'
        doc-ref: *sample
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *sample
    instances:
      record_class:
        -lm-status: inferred
        value: 'db2_server::record_class::normal'
        doc: Class of the record
        doc-ref: *t104
  add_columns:
    doc: Columns are added, or that is rolled back
    doc-ref: &t105 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 105'
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: padding
        -orig-id: Padding
        -lm-status: documented
        size: 2
        doc: Padding
        doc-ref: *t105
      - id: old_column_count
        -orig-id: Old column count
        -lm-status: documented
        -lm-valid-status: inferred
        type: s4
        valid:
          min: 0
        doc: Old column count
        doc-ref: *t105
      - id: new_column_count
        -orig-id: New column count
        -lm-status: documented
        -lm-valid-status: inferred
        type: s4
        valid:
          min: 0
        doc: New column count
        doc-ref: *t105
      - id: old_arrays
        -orig-id: Old parallel arrays
        -lm-status: documented
        -lm-source: |
          That both sets have an array of column descriptors and one of LOB descriptors follows
          from the size of count times 20; the notes of the table give elements of 8 bytes to the
          old arrays and of 12 to the new ones
        type: parallel_arrays(old_column_count)
        doc: 'Old parallel arrays: information on the old columns'
        doc-ref: *t105
      - id: new_arrays
        -orig-id: New parallel arrays
        -lm-status: documented
        -lm-source: |
          That both sets have an array of column descriptors and one of LOB descriptors follows
          from the size of count times 20; the notes of the table give elements of 8 bytes to the
          old arrays and of 12 to the new ones
        type: parallel_arrays(new_column_count)
        doc: 'New parallel arrays: information on the new columns'
        doc-ref: *t105
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0 or _.size == 24
        doc: |
          Nothing, or 24 bytes: the page says that the whole takes 40 bytes more than the arrays,
          but the first array stands at 16
        doc-ref: *t105
    instances:
      record_class:
        -lm-status: documented
        value: 'header.is_undo ? db2_server::record_class::compensation : db2_server::record_class::normal'
        doc: Normal, and compensation for what a rollback writes
        doc-ref: *t105
  parallel_arrays:
    doc: |
      Descriptors of all columns, and as many of LOB columns; that only the first ones of these
      are used is inferred
    doc-ref: *t105
    params:
      - id: count
        type: s4
        doc: Number of columns
    seq:
      - id: columns
        -lm-status: inferred
        type: column_descriptor
        repeat: expr
        repeat-expr: count
        doc: Column descriptors
        doc-ref: *t105
      - id: lobs
        -lm-status: inferred
        type: lob_descriptor
        repeat: expr
        repeat-expr: count
        doc: LOB descriptors
        doc-ref: *t105
  vector:
    doc: A VECTOR value as text, in front of the row it is of
    doc-ref: *readers
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: column_id
        -lm-status: inferred
        type: u2
        doc: Number of the column in the table
        doc-ref: *readers
      - id: data_length
        -unit: bytes
        -lm-status: inferred
        type: u4
        doc: Length of the data
        doc-ref: *readers
      - id: internal
        -lm-status: unknown
        size: 4
        doc: Kept as it is
        doc-ref: *readers
      - id: data
        -lm-status: inferred
        size: data_length
        doc: The value
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
        doc: Class of the record
        doc-ref: *readers
  undocumented:
    doc: A record that has only a name
    doc-ref: *v12
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *t96
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *v12
enums:
  function_id:
    102:
      id: add_columns
      doc: Add columns to table
    104:
      id: undo_add_columns
      doc: Undo add columns
    106:
      id: delete_record
      doc: Delete record; the page of version 12.1 has 161 in its place
    108:
      id: undo_update_partition_state
      doc: Undo update partition state; version 5 had another record of this number
    110:
      id: undo_insert_record
      doc: Undo insert record
    111:
      id: undo_delete_record
      doc: Undo delete record
    112:
      id: undo_update_record
      doc: Undo update record
    113:
      id: alter_column
      doc: Alter column; alter column length in version 7
    115:
      id: undo_alter_column
      doc: Undo alter column; undo alter column length in version 7
    116:
      id: alter_lob_column
      doc: Alter column information for a LOB column
    118:
      id: insert_record
      doc: Insert record; the page of version 12.1 has 162 in its place
    119:
      id: undo_alter_lob_column
      doc: Undo alter column information for a LOB column
    120:
      id: update_record
      doc: Update record; the page of version 12.1 has 163 in its place
    122:
      id: rename
      doc: Rename a schema or table
    123:
      id: undo_rename
      doc: Undo rename a schema or table
    124:
      id: alter_table_attribute
      doc: Alter table attribute
    128:
      id: initialize_table
      doc: Initialize table
    131:
      id: undo_insert_record_to_empty_page
      doc: Undo insert record to empty page; version 5 had another record of this number
    137:
      id: update_partition_state
      doc: Update partition state
    161:
      id: delete_record_v97
      doc: Delete record, in later versions
    162:
      id: insert_record_v97
      doc: Insert record, in later versions
    163:
      id: update_record_v97
      doc: Update record, in later versions
    164:
      id: delete_record_to_empty_page
      doc: Delete record to empty page
    165:
      id: insert_record_to_empty_page
      doc: Insert record to empty page
    166:
      id: undo_delete_record_to_empty_page
      doc: Undo delete record to empty page
    167:
      id: insert_multiple_records
      doc: Insert multiple records
    168:
      id: undo_insert_multiple_records
      doc: Undo insert multiple records
    169:
      id: drop_columns
      doc: Drop columns
    170:
      id: undo_drop_columns
      doc: Undo drop columns
    171:
      id: change_row_version
      -lm-status: inferred
      doc: Change of the version of a row, with a reorganization pending
    211:
      id: start_of_out_of_row_data
      doc: Start of out-of-row data
    212:
      id: undo_start_of_out_of_row_data
      doc: Undo start of out-of-row data
    213:
      id: vector
      -lm-status: inferred
      doc: Vector as text, from version 12.1.4 on
  function_id_v7:
    102:
      id: add_columns
      doc: Add columns to table
    103:
      id: create_new_page
      doc: Create new page, in version 5
    104:
      id: undo_add_columns
      doc: Undo add columns
    105:
      id: alter_propagation
      doc: Alter prop flag, in version 5
    106:
      id: delete_record
      doc: Delete record
    107:
      id: undo_alter_propagation
      doc: Undo alter prop flag, in version 5
    108:
      id: alter_pending
      doc: Alter check pending flag, in version 5
    109:
      id: alter_defaults
      doc: Alter user defaults add flag, in version 5
    110:
      id: undo_insert_record
      doc: Undo insert record
    111:
      id: undo_delete_record
      doc: Undo delete record
    112:
      id: undo_update_record
      doc: Undo update record
    113:
      id: alter_column
      doc: Alter column length
    114:
      id: create_system_page
      doc: Initialize sys page DTR, in version 5
    115:
      id: undo_alter_column
      doc: Undo alter column length
    117:
      id: reorganize_page
      doc: Reorg page, in version 5
    118:
      id: insert_record
      doc: Insert record
    120:
      id: update_record
      doc: Update record
    121:
      id: update_changed_columns
      doc: Log only updated, in version 5
    124:
      id: alter_table_attribute
      doc: Alter table attribute
    128:
      id: initialize_table
      doc: Initialize table
    131:
      id: undo_alter_defaults
      doc: Undo alter user default flag, in version 5
    132:
      id: undo_alter_pending
      doc: Undo alter pending flag, in version 5
    161:
      id: delete_record_v97
      -lm-status: inferred
      doc: Delete record
    162:
      id: insert_record_v97
      -lm-status: inferred
      doc: Insert record
    163:
      id: update_record_v97
      -lm-status: inferred
      doc: Update record
  column_type:
    0x0000:
      id: smallint
    0x0001:
      id: integer
    0x0002:
      id: decimal
    0x0003:
      id: double
    0x0004:
      id: real
    0x0005:
      id: bigint
    0x0006:
      id: decfloat16
      doc: From version 9.5 on
    0x0007:
      id: decfloat34
      doc: From version 9.5 on
    0x0100:
      id: char
    0x0101:
      id: varchar
    0x0104:
      id: long_varchar
    0x0105:
      id: date
    0x0106:
      id: time
    0x0107:
      id: timestamp
    0x0108:
      id: blob
    0x0109:
      id: clob
    0x010d:
      id: struct_type
    0x010f:
      id: boolean
      doc: From version 11.1 on
    0x0110:
      id: binary
      doc: From version 11.1 on
    0x0111:
      id: varbinary
      doc: From version 11.1 on
    0x0112:
      id: xml
      doc: From version 9.1 on
    0x0200:
      id: graphic
    0x0201:
      id: vargraphic
    0x0202:
      id: long_vargraphic
    0x0203:
      id: dbclob
  iud_flag:
    0x8000:
      id: moved_row
      -lm-status: inferred
      doc: 'One half of an update that moved its row: the delete or the insert'
  table_attribute:
    1:
      id: propagation
      -lm-status: documented
      doc: Propagation
    2:
      id: check_pending
      -lm-status: documented
      doc: Check pending
    0x10000:
      id: append_mode
      -lm-status: documented
      doc: Append mode
    0x200000:
      id: long_field_propagation
      -lm-status: documented
      doc: LF propagation
    0x400000:
      id: lob_propagation
      -lm-status: documented
      doc: LOB propagation
