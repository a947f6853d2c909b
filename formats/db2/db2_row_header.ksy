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
  The outer header says what the record is to its page, the inner one how the columns behind it are
  stored. Rows that were moved by an update leave a pointer in their old place: the pointer is no row,
  the row at its new place is marked.
doc-ref: IBM/db2-samples, c/utilrecov.c at version 11.5, and one printed row of version 9.7
params:
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
seq:
  - id: record_type
    -lm-status: documented
    type: u1
    doc: Type of the outer record. 0x00 and 0x10 are complete rows, as are those with bit 0x04
    doc-ref: &sample IBM/db2-samples, c/utilrecov.c at version 11.5, and one printed row of version 9.7
  - id: reserved
    -lm-status: documented
    size: 1
    doc: Reserved
    doc-ref: *sample
  - id: record_length
    -unit: bytes
    -lm-status: documented
    type: u2
    valid: _io.size
    doc: Length of the record, this header included
    doc-ref: *sample
  - id: inner_record_type
    -lm-status: documented
    type: u1
    doc: |
      Type of the inner record: bit 0x01 formatted user data, bit 0x02 the same with VALUE
      COMPRESSION, neither internal control
    doc-ref: *sample
  - id: inner_reserved
    -lm-status: documented
    size: 1
    doc: Reserved
    doc-ref: *sample
instances:
  form:
    value: 'not is_complete ? form::internal_control : inner_record_type & 0x01 != 0 ? form::formatted : inner_record_type & 0x02 != 0 ? form::compressed : form::internal_control'
    doc: What stands behind the headers
  is_complete:
    value: 'record_type == 0x00 or record_type == 0x10 or record_type & 0x04 != 0'
    doc: Whether the outer record is a complete row
  is_moved_here:
    value: 'record_type & 0x04 != 0'
    doc: Whether the row was put here because it did not fit in its old place
  is_pointer:
    value: 'record_type & 0x02 != 0'
    doc: Whether the row stands elsewhere
enums:
  form:
    0:
      id: internal_control
      doc: No row
    1:
      id: formatted
      doc: Formatted user data
    2:
      id: compressed
      doc: User data with VALUE COMPRESSION
