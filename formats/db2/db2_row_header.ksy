meta:
  id: db2_row_header
  title: Db2 for LUW, headers of a record in a data page
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
  The outer header says what the record is to its page, the inner one how the columns behind it
  are stored. That rows moved by an update leave a pointer in their old place, which is no row,
  and are marked at their new place, is inferred.
doc-ref: IBM/db2-samples, c/utilrecov.c at version 11.5, and one printed row of version 9.7
params:
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
seq:
  - id: record_type
    -lm-status: documented
    -lm-source: |
      That 4, and all with its bit, are complete rows too, and that bit 0x02 marks a pointer, is
      from applications that read them
    type: u1
    doc: 'Type of the outer record: 0 and 16 are updatable records, 4 is special control'
    doc-ref: &sample IBM/db2-samples, c/utilrecov.c at version 11.5, and one printed row of version 9.7
  - id: reserved
    -lm-status: inferred
    size: 1
    doc: Reserved
    doc-ref: *sample
  - id: record_length
    -unit: bytes
    -lm-status: documented
    -lm-valid-status: inferred
    -lm-source: |
      That it includes this header, and equals the length in the log record, is from a printed row
      of version 9.7
    type: u2
    valid: _io.size
    doc: Length of the record
    doc-ref: *sample
  - id: inner_record_type
    -orig-id: record type
    -lm-status: documented
    -lm-source: That bit 0x02 is user data with VALUE COMPRESSION is from applications that read it
    type: u1
    doc: 'Type of the inner record: 1 is formatted user data, others are internal control'
    doc-ref: 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 108; IBM/db2-samples, c/utilrecov.c at version 11.5'
  - id: inner_reserved
    -lm-status: inferred
    size: 1
    doc: Reserved
    doc-ref: *sample
instances:
  form:
    -lm-status: inferred
    value: 'not is_complete ? form::internal_control : inner_record_type & 0x01 != 0 ? form::formatted : inner_record_type & 0x02 != 0 ? form::compressed : form::internal_control'
    doc: What stands behind the headers
    doc-ref: *sample
  is_complete:
    -lm-status: inferred
    -lm-column: false
    value: 'record_type == 0x00 or record_type == 0x10 or record_type & 0x04 != 0'
    doc: Whether the outer record is a complete row
    doc-ref: *sample
  is_moved_here:
    -lm-status: inferred
    value: 'record_type & 0x04 != 0'
    doc: Whether the row was put here because it did not fit in its old place
    doc-ref: *sample
  is_pointer:
    -lm-status: inferred
    value: 'record_type & 0x02 != 0'
    doc: Whether the row stands elsewhere
    doc-ref: *sample
enums:
  form:
    0:
      id: internal_control
      -lm-status: documented
      doc: No row
    1:
      id: formatted
      -lm-status: documented
      doc: Formatted user data
    2:
      id: compressed
      -lm-status: inferred
      doc: User data with VALUE COMPRESSION
