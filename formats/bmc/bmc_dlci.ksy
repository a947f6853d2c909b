meta:
  id: bmc_dlci
  title: Log Master control file, logical log column information record (DLCI)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  One column as it exists in the row images of one table version. That the records of a version,
  sorted by LLCOLUMNNUM, describe its whole row image is inferred.

  All fields are character fields; that numbers are EBCDIC digits is inferred. 193 bytes are
  required, more are kept.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Logical log column information record (DLCI)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Logical-log-column-information-record-DLCI/'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DLCI, Logical Log Column Information Record (Db2)'
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Logical log column information record (DLCI)"'
  - id: sysid
    -orig-id: SYSID
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: Originating SYSID
    doc-ref: *table
  - id: dbid
    -orig-id: DBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    doc: Originating database ID (hexadecimal)
    doc-ref: *table
  - id: tbobid
    -orig-id: TBOBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    doc: Originating table ID (hexadecimal)
    doc-ref: *table
  - id: ll_column_num
    -orig-id: LLCOLUMNNUM
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    -lm-source: |
      That row images have the columns in this order is inferred; their page names COLNO of the
      catalog
    size: 3
    doc: Column number
    doc-ref: *table
  - id: ll_column_type
    -orig-id: LLCOLUMNTYPE
    -codec: ebcdic
    -lm-status: documented
    -lm-source: |
      That BIGINT columns come as INT of 8 bytes, and binary ones as CHAR or VCHR of subtype B,
      is inferred; a type that is not listed is kept as bytes
    type: u4
    enum: ll_column_type
    doc: Column data type in the logical log
    doc-ref: *table
  - id: ll_column_len
    -orig-id: LLCOLUMNLEN
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    -lm-source: For DEC the page does not say whether bytes or digits are meant; LOGLOGBYTES decides
    size: 5
    doc: Length of the column in the logical log file
    doc-ref: *table
  - id: ll_scale
    -orig-id: LLSCALE
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 2
    doc: Column scale for decimal data
    doc-ref: *table
  - id: ll_nulls
    -orig-id: LLNULLS
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: ll_nulls
    doc: Whether nulls are allowed
    doc-ref: *table
  - id: ll_column_pos
    -orig-id: LLCOLUMNPOS
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    -lm-source: From where it counts is not stated, so only differences between columns are checked
    size: 5
    doc: |
      Offset of the column within the DATA field; -1 when the column is after the first VARCHAR
      column
    doc-ref: *table
  - id: ll_column_subtype
    -orig-id: LLCOLUMNSUBTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: ll_column_subtype
    doc: |
      What a CHAR or VCHR column holds, or that a BIGINT column is the DOCID column of XML
      columns; not valued for other types
    doc-ref: *table
  - id: key_seq
    -orig-id: KEYSEQ
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    -lm-source: |
      That it is the place of the column in the key, and 0 or blank outside it, is inferred
    size: 3
    doc: Key for SQL generation and for reporting by key
    doc-ref: *table
  - id: key_ordering
    -orig-id: KEYORDERING
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: key_ordering
    doc: Whether the key is ascending or descending
    doc-ref: *table
  - id: db2_row_bytes
    -orig-id: DB2ROWBYTES
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    doc: Number of bytes on a Db2 row (encoded, internalized)
    doc-ref: *table
  - id: fldproc_bytes
    -orig-id: FLDPROCBYTES
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    doc: Number of bytes after the field procedure (decoded, externalized)
    doc-ref: *table
  - id: loglog_bytes
    -orig-id: LOGLOGBYTES
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    -lm-source: That null indicator and length are included is inferred
    size: 5
    doc: Number of bytes on a logical log record
    doc-ref: *table
  - id: sequence_number
    -orig-id: SEQUENCENUMBER
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    doc: |
      Distinguishes versions of the same database object, 001 by default; equal to the sequence
      number of the DTBI record of the table
    doc-ref: *table
  - id: column_name_len
    -orig-id: COLUMNNAMELEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    doc: Length of the column name
    doc-ref: *table
  - id: column_name
    -orig-id: COLUMNNAME
    -codec: ebcdic
    -lm-status: documented
    size: 128
    doc: Column name
    doc-ref: *table
  - id: version
    -orig-id: VERSION
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    doc: |
      Version number of the table containing the column when the logical log file was generated.
      The page prints hex B4 beside decimal 190; 190 is BE, and the total of 193 proves the
      decimal.
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: |
      Bytes behind the fields of the table. The page on Unicode speaks of flags and of the
      original Unicode name, at places it does not give
    doc-ref: *table
enums:
  ll_column_type:
    0xc3c8c1d9:
      id: fixed_character
      -orig-id: 'CHAR'
      doc: Character
    0xc4c5c340:
      id: packed_decimal
      -orig-id: 'DEC'
      doc: Packed decimal
    0xc9d5e340:
      id: integer
      -orig-id: 'INT'
      doc: Integer, length 2 or 4
    0xc4e3e3d4:
      id: timestamp
      -orig-id: 'DTTM'
      doc: Timestamp value
    0xc6d3d6e3:
      id: floating_point
      -orig-id: 'FLOT'
      doc: Floating point, length 4 or 8
    0xe5c3c8d9:
      id: varying_character
      -orig-id: 'VCHR'
      doc: Variable length character
    0xc7d9d7c8:
      id: graphic
      -orig-id: 'GRPH'
      doc: Graphic
    0xe5c7d9c6:
      id: varying_graphic
      -orig-id: 'VGRF'
      doc: Variable length graphic
    0xc4c1e3c5:
      id: date
      -orig-id: 'DATE'
      doc: Date, length 10
    0xe3c9d4c5:
      id: time
      -orig-id: 'TIME'
      doc: Time, length 8
    0xd3e5c3c8:
      id: long_varying_character
      -orig-id: 'LVCH'
      doc: Long variable character
    0xd3e5c7d9:
      id: long_varying_graphic
      -orig-id: 'LVGR'
      doc: Long variable graphic
    0xc2d3d6c2:
      id: binary_large_object
      -orig-id: 'BLOB'
      doc: Binary large object
    0xc3d3d6c2:
      id: character_large_object
      -orig-id: 'CLOB'
      doc: Character large object
    0xc4c2c3d3:
      id: double_byte_large_object
      -orig-id: 'DBCL'
      doc: Double-byte character large object
    0xd9d6e6c9:
      id: row_id
      -orig-id: 'ROWI'
      doc: Row id
    0xc4e3e3e9:
      id: timestamp_with_time_zone
      -orig-id: 'DTTZ'
      doc: Timestamp with time zone
  ll_nulls:
    0xe8:
      id: nullable
      -orig-id: 'Y'
      doc: Nulls allowed
    0xd5:
      id: not_null
      -orig-id: 'N'
      doc: Not null
    0xd3:
      id: nullable_lob
      -orig-id: 'L'
      doc: Nullable large object (LOB)
  ll_column_subtype:
    0xc2:
      id: bit_data
      -orig-id: 'B'
      doc: For bit data
    0xe2:
      id: single_byte
      -orig-id: 'S'
      doc: Single-byte character set
    0xd4:
      id: mixed
      -orig-id: 'M'
      doc: Mixed-byte character set
    0xc9:
      id: inline_lob
      -orig-id: 'I'
      doc: Inline LOB
    0xc4:
      id: document_id
      -orig-id: 'D'
      doc: DOCID column (XML columns)
    0x40:
      id: not_valued
      -orig-id: ' '
      doc: Not valued
  key_ordering:
    0xc1:
      id: ascending
      -orig-id: 'A'
      doc: Ascending
    0xc4:
      id: descending
      -orig-id: 'D'
      doc: Descending
