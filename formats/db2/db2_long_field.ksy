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
  header. Length and place count sectors of 512 bytes: the actual length is not logged, and neither
  are row and column, so values cannot be put together. Operation identifiers of version 5 are not
  known.
doc-ref: 'IBM Db2 V5, API Reference, "Long Field Manager Log Records"; that versions 6 and 7 kept the form is inferred'
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
    doc-ref: &v5 'IBM Db2 V5, API Reference, "Long Field Manager Log Records"; that versions 6 and 7 kept the form is inferred'
instances:
  kind:
    -lm-type: peek
    pos: 1
    type: u1
    enum: operation
    doc: Operation identifier
types:
  of_v7:
    doc: A record of versions 5 to 9.5, by whether it is long enough
    doc-ref: *v5
    seq:
      - id: body
        -lm-status: documented
        -lm-type: body
        type:
          switch-on: '_io.size >= 16'
          cases:
            'true': add_long_field
            _: undocumented
        doc: The record
        doc-ref: *v5
  header:
    doc: Long field manager log record header
    doc-ref: *v5
    seq:
      - id: component
        -lm-status: documented
        type: u1
        doc: Component identifier, 3
        doc-ref: *v5
      - id: operation_id
        -lm-status: documented
        type: u1
        doc: What happened
        doc-ref: *v5
      - id: pool_id
        -lm-status: documented
        type: u2
        doc: Table space of the long field object
        doc-ref: *v5
      - id: object_id
        -lm-status: documented
        type: u2
        doc: Long field object
        doc-ref: *v5
      - id: parent_pool_id
        -lm-status: documented
        type: u2
        doc: Table space of the table
        doc-ref: *v5
      - id: parent_object_id
        -lm-status: documented
        type: u2
        doc: Table
        doc-ref: *v5
  add_long_field:
    doc: A long field is added
    doc-ref: *v5
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *v5
      - id: long_field_length
        -unit: sectors of 512 bytes
        -lm-status: inferred
        type: u2
        doc: Length of the data
        doc-ref: *v5
      - id: file_offset
        -unit: sectors of 512 bytes
        -lm-status: inferred
        type: u4
        doc: Place in the object
        doc-ref: *v5
      - id: data
        -lm-status: inferred
        size-eos: true
        doc: Long field data, with what fills its last sector
        doc-ref: *v5
  undocumented:
    doc: A record that has only a number
    doc-ref: *v5
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *v5
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *v5
enums:
  operation:
    110:
      id: add_long_field
      doc: Add long field record, in later versions
    111:
      id: delete_long_field
      doc: Delete long field record, in later versions
    112:
      id: non_update_long_field
      doc: Non-update long field record, in later versions
