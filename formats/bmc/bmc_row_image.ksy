meta:
  id: bmc_row_image
  title: Log Master logical log, row image
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  The columns of one row, in the order of their column numbers, as the DLCI records of the table
  version describe them. One entry a column in each of the arrays.

  A nullable column has its null byte in front of everything, also of the length. In the Db2 log a
  varying column has it the other way round, and counts it in the length: X'0006' X'00' ABCDE
  there is X'00' X'0005' ABCDE here, and a null X'0001' X'FF' is X'FF' X'0000'.

  Whether a null column of fixed length keeps its value bytes, and whether the length of a varying
  graphic column counts bytes or characters, is not stated; both are found once for a file, by
  which way fills the images exactly.
doc-ref:
  - 'BMC AMI Log Master for Db2, "Logical log data file", text behind the table "Data change record (LLDF)"'
  - 'BMC AMI Log Master for Db2 12.1, "Logical log column information record (DLCI)"'
params:
  - id: storages
    type: u1[]
    doc: A value of `storage` for each column
  - id: widths
    type: u4[]
    doc: Bytes of the value, the longest one for a varying column
  - id: nullables
    type: u1[]
    doc: 1 when a null indicator stands in front
  - id: len_units
    type: u1[]
    doc: A value of `len_unit` for each column
  - id: null_keeps_bytes
    type: bool
    doc: Whether a null column of fixed length keeps its value bytes
  - id: is_expanded
    type: bool
    doc: Whether varying columns are padded to their full length (EXPANDVAR)
seq:
  - id: columns
    -lm-status: documented
    type: column(storages[_index], widths[_index], nullables[_index], len_units[_index])
    repeat: expr
    repeat-expr: storages.size
    doc: The columns, ordered by their logical position in the base table (COLNO)
    doc-ref: &text 'BMC AMI Log Master for Db2, "Logical log data file", text behind the table "Data change record (LLDF)"'
  - id: surplus
    -lm-status: inferred
    size-eos: true
    valid:
      expr: _.size == 0
    doc: Nothing; an image that its columns do not fill is read wrongly
    doc-ref: *text
types:
  column:
    doc: Null indicator, length and value of one column, as far as it has them
    doc-ref: *text
    params:
      - id: storage
        type: u1
        doc: Whether a length stands in front of the value
      - id: width
        type: u4
        doc: Bytes of the value, the longest one for a varying column
      - id: is_nullable
        type: u1
        doc: 1 when a null indicator stands in front
      - id: len_unit
        type: u1
        doc: Bytes that one unit of the length stands for
    seq:
      - id: null_indicator
        -lm-status: documented
        -lm-valid-status: inferred
        -lm-source: |
          The examples of the manual have 00 and FF; that there is no other value is inferred
        type: u1
        enum: null_indicator
        valid:
          any-of:
            - null_indicator::present
            - null_indicator::absent
        if: is_nullable == 1
        doc: Null byte of a nullable column, in front of its data
        doc-ref: *text
      - id: len_value
        -lm-status: documented
        -lm-valid-status: inferred
        type: u2
        valid:
          max: width / len_unit
        if: storage == storage::varying.to_i
        doc: |
          Two-byte length attribute of a variable length field, without the null byte; zero when
          the field is null
        doc-ref: *text
      - id: value
        -lm-status: documented
        size: 'storage == storage::varying.to_i ? len_value * len_unit : is_null and not _root.null_keeps_bytes ? 0 : width'
        doc: |
          The data of the column. Numeric fields, DATE, TIME and TIMESTAMP are in an external
          format
        doc-ref: *text
      - id: padding
        -lm-status: documented
        -lm-source: That the padding is behind the value is inferred
        size: width - len_value * len_unit
        if: storage == storage::varying.to_i and _root.is_expanded
        doc: Pads a VAR field to its full length when EXPANDVAR is Y
        doc-ref: 'BMC AMI Log Master for Db2 13.1, "Logical log data set record (DLDS)", EXPANDVAR'
    instances:
      is_null:
        -lm-status: documented
        value: is_nullable == 1 and null_indicator == null_indicator::absent
        doc: Whether the column is null
        doc-ref: *text
enums:
  storage:
    0:
      id: fixed
      -lm-status: inferred
      doc: Always the same number of bytes
    1:
      id: varying
      -lm-status: documented
      doc: A length of two bytes, then that much
  len_unit:
    1:
      id: byte
      -lm-status: documented
      doc: A length counts bytes
    2:
      id: character
      -lm-status: inferred
      doc: A length counts double-byte characters; that of a graphic column may (inferred)
  null_indicator:
    0x00:
      id: present
      doc: The column is not null
    0xff:
      id: absent
      doc: The column is null
