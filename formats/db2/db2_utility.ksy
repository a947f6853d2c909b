meta:
  id: db2_utility
  title: Db2 for LUW, utility manager records
  application: IBM Db2 for Linux, UNIX and Windows
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /db2/db2_server
    - /db2/db2_log
  endian:
    switch-on: byte_order
    cases:
      'db2_server::byte_order::little': le
      _: be
doc: |
  What utilities write. There is no component header: the type in the log record header says what it
  is, and offsets count from the end of that header. A load writes no row (inferred): after its record
  the page advises to ignore those of the table until source and target are synchronized anew.
doc-ref: 'IBM Db2 12.1, "Utility manager log records", https://www.ibm.com/docs/en/db2/12.1.x?topic=records-utility-manager-log (offsets there count from the start of a header of 40 bytes)'
params:
  - id: generation
    type: u1
    enum: db2_server::generation
    doc: Form of the log record header
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
  - id: type
    type: u2
    enum: db2_log::log_record_type
    doc: Type in the log record header
seq:
  - id: body
    -lm-status: documented
    -lm-type: body
    type:
      switch-on: type
      cases:
        'db2_log::log_record_type::migration_begin': migration_begin
        'db2_log::log_record_type::migration_end': migration_end
        'db2_log::log_record_type::load_start': load_start
        _: undocumented
    doc: The record
    doc-ref: &v12 'IBM Db2 12.1, "Utility manager log records", https://www.ibm.com/docs/en/db2/12.1.x?topic=records-utility-manager-log (offsets there count from the start of a header of 40 bytes)'
instances:
  kind:
    -lm-status: documented
    -lm-column: false
    value: type
    doc: What the record is
    doc-ref: 'IBM Db2 V7, Administrative API Reference, "Log Manager Log Record Header", Table 95, log record types; IBM/db2-samples, c/utilrecov.c at version 11.5'
types:
  migration_begin:
    doc: The system catalog begins to be migrated
    doc-ref: *v12
    seq:
      - id: start_time
        -orig-id: Start time
        -lm-status: documented
        size: 10
        doc: Start time
        doc-ref: *v12
      - id: previous_release
        -orig-id: Previous release
        -lm-status: documented
        type: u2
        doc: Previous release
        doc-ref: *v12
      - id: new_release
        -orig-id: New release
        -lm-status: documented
        type: u2
        doc: New release
        doc-ref: *v12
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *v12
  migration_end:
    doc: The system catalog has been migrated
    doc-ref: *v12
    seq:
      - id: end_time
        -orig-id: End time
        -lm-status: documented
        size: 10
        doc: End time
        doc-ref: *v12
      - id: new_release
        -orig-id: New release
        -lm-status: documented
        type: u2
        doc: New release
        doc-ref: *v12
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *v12
  load_start:
    doc: A load begins
    doc-ref: &v6 'IBM Db2 V6, Administrative API Reference, "Utility Manager Log Records", Table 125, https://public.dhe.ibm.com/ps/products/db2/info/vr6/htm/db2b0/db2b0215.htm (offsets there count from the start of a header of 20 bytes)'
    seq:
      - id: log_record_id
        -orig-id: Log record identifier
        -lm-status: documented
        type: u4
        doc: Log record identifier
        doc-ref: *v6
      - id: pool_id
        -orig-id: Pool identifier
        -lm-status: documented
        -lm-source: That it is the table space of the table is inferred
        type: u2
        doc: Pool identifier
        doc-ref: *v6
      - id: object_id
        -orig-id: Object identifier
        -lm-status: documented
        -lm-source: That it is the table, and that later versions have the same place, is inferred
        type: u2
        doc: Object identifier
        doc-ref: *v6
      - id: flag
        -orig-id: Flag
        -lm-status: documented
        -lm-source: That later versions have the same place is inferred
        type: u1
        doc: Flag
        doc-ref: *v6
      - id: object_pool_list
        -orig-id: Object pool list
        -lm-status: documented
        -lm-source: |
          What the list holds is not in the page; that later versions have the same place is
          inferred
        size-eos: true
        doc: Object pool list
        doc-ref: *v6
  undocumented:
    doc: Backup, rollforward, quiesce and what else has only a name
    doc-ref: &none No page at hand gives the body of this record
    seq:
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *none
