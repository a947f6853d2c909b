meta:
  id: db2_row
  title: Db2 for LUW, record header and data
  application: IBM Db2 for Linux, UNIX and Windows
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /db2/db2_server
    - /db2/db2_row_header
  endian:
    switch-on: byte_order
    cases:
      'db2_server::byte_order::little': le
      _: be
doc: |
  The record in a data manager log record: an outer header, an inner header, and the columns of a
  row when it is user data. Parameters have one entry a column, in the order of their places.

  In a formatted record the fixed length section has the fixed length portions of all columns;
  behind that of a nullable column stands a null byte. That they are packed, in the order of the
  table description, is inferred. A column of variable length has the place and length of its
  value there; the value stands in the variable data section, at an offset from the start of the
  fixed length section.

  With VALUE COMPRESSION there are no fixed length portions: an array of offsets, one more than
  there are columns, then the data (as applications read it). Whether offsets count from the array
  or from the data is not settled; the first of them shows it.

  That a row which was stored before columns were added ends before them is inferred.
doc-ref: 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 108'
params:
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
  - id: offsets
    type: u2[]
    doc: Place of the fixed-length portion of each column in the fixed-length section
  - id: widths
    type: u2[]
    doc: Bytes of the fixed-length portion
  - id: nullables
    type: u1[]
    doc: 1 when a null byte stands behind it
  - id: storages
    type: u1[]
    doc: 'A value of `storage` for each column'
seq:
  - id: header
    -lm-status: documented
    -lm-type: body
    type: db2_row_header(byte_order)
    doc: Outer and inner header
    doc-ref: &sample IBM/db2-samples, c/utilrecov.c at version 11.5, and one printed row of version 9.7
  - id: user_data
    -lm-status: documented
    -lm-type: body
    type:
      switch-on: header.form
      cases:
        'db2_row_header::form::formatted': formatted
        'db2_row_header::form::compressed': compressed
        _: internal_control
    doc: The columns
    doc-ref: &t108 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 108'
types:
  formatted:
    doc: Formatted user data
    doc-ref: *t108
    seq:
      - id: fixed_length
        -orig-id: length of fixed section
        -unit: bytes
        -lm-status: documented
        -lm-source: That it takes two bytes is from IBM/db2-samples, c/utilrecov.c
        type: u2
        doc: Length of fixed section
        doc-ref: *t108
      - id: fixed_section
        -orig-id: fixed length section
        -lm-status: documented
        size: fixed_length
        type: fixed_section
        doc: 'Fixed length section: the fixed length portions of the columns'
        doc-ref: *t108
      - id: variable_section
        -orig-id: variable data section
        -lm-status: documented
        size-eos: true
        doc: Variable data section
        doc-ref: *t108
  fixed_section:
    doc: The fixed-length portions of as many columns as it has room for
    doc-ref: &t107 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", text behind Tables 107 and 108'
    seq:
      - id: columns
        -lm-status: documented
        type: 'column(_root.offsets[_index], _root.widths[_index], _root.nullables[_index], _root.storages[_index])'
        repeat: until
        repeat-until: _io.eof or _index + 1 == _root.offsets.size
        if: not _io.eof
        doc: The columns
        doc-ref: *t107
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing; a section that its columns do not fill is read wrongly
        doc-ref: *t107
  column:
    doc: 'One column: value, or place of the value, and null byte'
    doc-ref: *t107
    params:
      - id: offset
        type: u2
        doc: Place in the section
      - id: width
        type: u2
        doc: Bytes of the value
      - id: is_nullable
        type: u1
        doc: 1 when a null byte stands behind it
      - id: storage
        type: u1
        doc: 'A value of `storage`'
    seq:
      - id: gap
        -lm-status: inferred
        size: offset - _io.pos
        valid:
          expr: _.size == 0
        doc: Nothing between two columns
        doc-ref: *t107
      - id: value_offset
        -lm-status: documented
        -lm-source: |
          That bit 0x8000 marks a value out of the row from version 10.5 on is from applications
          that read it
        type: u2
        if: 'storage == storage::varying.to_i'
        doc: Offset from the beginning of the fixed length section to where the variable data is
        doc-ref: *t107
      - id: value_length
        -unit: bytes
        -lm-status: documented
        type: u2
        if: 'storage == storage::varying.to_i'
        doc: Length of the variable data
        doc-ref: *t107
      - id: value
        -lm-status: documented
        -lm-source: |
          That later versions have TIMESTAMP of other lengths, and types that the page does not
          name, is from applications
        size: width
        if: 'storage == storage::fixed.to_i'
        doc: |
          Fixed length portion of the field. DECIMAL: packed decimal with the sign nibble last,
          (precision + 2) / 2 bytes; DATE: packed yyyymmdd, 4 bytes; TIME: packed hhmmss, 3 bytes;
          TIMESTAMP: packed yyyymmddhhmmssuuuuuu, 10 bytes; others as long as the length in the
          table descriptor record says.
        doc-ref: 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", "Field Lengths", before Table 107'
      - id: null_byte
        -lm-status: documented
        type: u1
        enum: null_byte
        valid:
          any-of:
            - null_byte::present
            - null_byte::absent
        if: is_nullable == 1
        doc: |
          Byte that follows the fixed length portion of a nullable column: 0x00 for a valid value,
          0x01 for NULL
        doc-ref: *t107
    instances:
      is_null:
        -lm-status: documented
        value: 'is_nullable == 1 and null_byte == null_byte::absent'
        doc: Whether the column is null
        doc-ref: *t107
  compressed:
    doc: User data with VALUE COMPRESSION
    doc-ref: &vc IBM Db2, VALUE COMPRESSION; places as applications of version 10.1 and later read them
    seq:
      - id: num_columns
        -lm-status: inferred
        type: u2
        doc: Number of columns
        doc-ref: *vc
      - id: value_offsets
        -lm-status: inferred
        type: u2
        repeat: expr
        repeat-expr: num_columns + 1
        doc: |
          Where each value starts and the last one ends; bit 0x8000 marks a null, a default or a
          value out of the row
        doc-ref: *vc
      - id: data
        -lm-status: inferred
        size-eos: true
        doc: The values
        doc-ref: *vc
    instances:
      len_value_offsets:
        -lm-status: inferred
        -lm-column: false
        value: 2 * (num_columns + 1)
        doc: Bytes of the offsets; what they count from when they count from the array
        doc-ref: *vc
  lob_value:
    doc: What stands in the variable-length section for a LOB column when its value is in the row
    doc-ref: *sample
    seq:
      - id: lob_header
        -lm-status: inferred
        type: u1
        enum: lob_header
        doc: |
          Whether the value stands here; anything else than the listed values points to the LOB
          object
        doc-ref: *sample
      - id: lob_reserved
        -lm-status: inferred
        size: 3
        doc: Zero in the rows that are known
        doc-ref: *sample
      - id: value
        -lm-status: inferred
        size-eos: true
        doc: The value
        doc-ref: *sample
  out_of_row_values:
    doc: Values of varying-length columns that are stored out of the row, all of a row together
    doc-ref: *vc
    params:
      - id: count
        type: u2
        doc: Number of columns of the table
    seq:
      - id: record_type
        -lm-status: inferred
        type: u1
        doc: '0x12'
        doc-ref: *vc
      - id: total_length
        -lm-status: inferred
        size: 3
        doc: Length of the whole, most significant byte first in any byte order
        doc-ref: *vc
      - id: value_offsets
        -lm-status: inferred
        type: u4
        repeat: expr
        repeat-expr: count + 1
        doc: |
          Where each value starts and the last one ends; a column without bytes here has its value
          in the row. From where they count is not settled; the first of them shows it
        doc-ref: *vc
      - id: data
        -lm-status: inferred
        size-eos: true
        doc: The values
        doc-ref: *vc
    instances:
      len_value_offsets:
        -lm-status: inferred
        -lm-column: false
        value: 4 * (count + 1)
        doc: Bytes of the offsets; what they count from when they count from the array
        doc-ref: *vc
  internal_control:
    doc: A record that is no row
    doc-ref: *sample
    seq:
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *sample
enums:
  storage:
    0:
      id: fixed
      -lm-status: documented
      doc: The value itself
    1:
      id: varying
      -lm-status: documented
      doc: Place and length of the value
  null_byte:
    0x00:
      id: present
      doc: There is a valid value
    0x01:
      id: absent
      doc: The value is NULL
  value_offset_flag:
    0x8000:
      id: special
      -lm-status: inferred
      doc: |
        Of a place in the fixed-length section: the value is stored out of the row. With VALUE
        COMPRESSION: an attribute byte, or a value stored out of the row
  attribute_byte:
    0x01:
      id: is_null
      -lm-status: inferred
      doc: 'With VALUE COMPRESSION: the column is null'
    0x80:
      id: system_default
      -lm-status: inferred
      doc: 'With VALUE COMPRESSION: zero or blank, the default of its type'
  lob_header:
    0x69:
      id: inline
      doc: The value stands in the row, behind three bytes more
    0x80:
      id: zero_length
      doc: A value of no bytes
