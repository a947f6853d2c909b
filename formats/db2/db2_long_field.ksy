meta:
  id: db2_long_field
  title: Db2 for LUW, long field manager log records
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
  Data of LONG VARCHAR and LONG VARGRAPHIC columns. Offsets count from the end of the log record
  header. Length and place count sectors of 512 bytes: the actual data length is not logged. The
  tables have neither row nor column; that values cannot be put together therefore is inferred.

  The table of version 5 is that of a record that adds a long field, the same one of version 6 that
  of records that add, delete or do not update it. That versions 7 to 9.5 have this form, too, is
  inferred. Of version 11.5 only the header is at hand.
doc-ref: 'IBM Db2 V6, Administrative API Reference, "Long Field Manager Log Records", Tables 108 and 109, https://public.dhe.ibm.com/ps/products/db2/info/vr6/htm/db2b0/db2b0212.htm'
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
        _: undocumented
    doc: The record
    doc-ref: &v6 'IBM Db2 V6, Administrative API Reference, "Long Field Manager Log Records", Tables 108 and 109, https://public.dhe.ibm.com/ps/products/db2/info/vr6/htm/db2b0/db2b0212.htm'
instances:
  kind:
    -lm-status: documented
    -lm-column: false
    -lm-source: The values are inferred
    pos: 1
    type: u1
    enum: operation
    doc: Operation identifier
    doc-ref: *v6
types:
  of_v7:
    doc: A record of versions 5 to 9.5, by whether it is long enough
    doc-ref: *v6
    seq:
      - id: body
        -lm-status: documented
        -lm-type: body
        -lm-source: |
          That a record long enough for the table of versions 5 and 6 has its form, and that others
          have only the header, is inferred
        type:
          switch-on: '_io.size >= 16'
          cases:
            'true': add_long_field
            _: undocumented
        doc: The record
        doc-ref: *v6
  header:
    doc: Long field manager log record header
    doc-ref: *v6
    seq:
      - id: component
        -orig-id: Originator code (component identifier = 3)
        -lm-status: documented
        type: u1
        enum: db2_server::component
        doc: Component identifier, 3
        doc-ref: *v6
      - id: operation_id
        -orig-id: Operation type
        -lm-status: documented
        -lm-source: The values are inferred
        type: u1
        doc: Operation type
        doc-ref: *v6
      - id: pool_id
        -orig-id: Pool identifier
        -lm-status: documented
        -lm-source: That it is the table space of the long field object is inferred
        type: u2
        doc: Pool identifier
        doc-ref: *v6
      - id: object_id
        -orig-id: Object identifier
        -lm-status: documented
        -lm-source: That it is the long field object is inferred
        type: u2
        doc: Object identifier
        doc-ref: *v6
      - id: parent_pool_id
        -orig-id: Parent pool identifier
        -lm-status: documented
        type: u2
        doc: 'Parent pool identifier: pool ID of the data object'
        doc-ref: &n101 'IBM Db2 V6, Administrative API Reference, "Long Field Manager Log Records", Table 108; its notes: V5, API Reference, "Long Field Manager Log Records", Table 101'
      - id: parent_object_id
        -orig-id: Parent object identifier
        -lm-status: documented
        type: u2
        doc: 'Parent object identifier: object ID of the data object'
        doc-ref: *n101
  add_long_field:
    doc: |
      A long field is added; from version 6 on, also one that is deleted, or that an update leaves
      as it is
    doc-ref: *v6
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *v6
      - id: long_field_length
        -orig-id: Long field length
        -unit: sectors of 512 bytes
        -lm-status: documented
        type: u2
        doc: Long field data length in 512-byte sectors
        doc-ref: &n102 'IBM Db2 V6, Administrative API Reference, "Long Field Manager Log Records", Table 109; its notes: V5, API Reference, "Long Field Manager Log Records", Table 102'
      - id: file_offset
        -orig-id: File offset
        -unit: sectors of 512 bytes
        -lm-status: documented
        type: u4
        doc: 512-byte sector offset into the long field object where data is to be inserted
        doc-ref: *n102
      - id: data
        -orig-id: Long field data
        -lm-status: documented
        -lm-source: That it includes what fills its last sector is inferred
        size-eos: true
        doc: Long field data
        doc-ref: *v6
  undocumented:
    doc: A record of which only the header is at hand
    doc-ref: &v11 'IBM Db2 11.5, "Long field manager log records", Table 1, https://www.ibm.com/docs/en/db2/11.5.x?topic=records-long-field-manager-log'
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *v11
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *v11
enums:
  operation:
    110:
      id: add_long_field
      -lm-status: inferred
      doc: Add long field record, in later versions
    111:
      id: delete_long_field
      -lm-status: inferred
      doc: Delete long field record, in later versions
    112:
      id: non_update_long_field
      -lm-status: inferred
      doc: Non-update long field record, in later versions
