meta:
  id: bmc_dicl
  title: Log Master control file, index column description record (DICL)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  Key columns of an index. A long key needs several records. The page contradicts itself on how many
  columns one record may hold, so only the count in the record itself is believed.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Index column description record (DICL)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Index-column-description-record-DICL'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DICL, Index Description Record'
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Index column description record (DICL)"'
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
    doc: Originating DBID (hex)
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    doc: Originating index PSID (hex)
    doc-ref: *table
  - id: ix_col_rec_num
    -orig-id: IXCOLRECNUM
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 2
    doc: Record number of this DICL record, 01 to 05
    doc-ref: *table
  - id: ix_col_rec_key_count
    -orig-id: IXCOLRECKEYCOUNT
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 2
    doc: Number of entries of columns mapped on this DICL record
    doc-ref: *table
  - id: sequence_number
    -orig-id: SEQUENCENUMBER
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    doc: Distinguishes versions of the same database object, 001 by default
    doc-ref: *table
  - id: dicl_key_info
    -orig-id: DICLKEYINFO
    -lm-status: documented
    -lm-source: That they stand in the order of the key is inferred
    type: key_column
    repeat: expr
    repeat-expr: num_key_columns
    doc: Entries of key columns, as many as IXCOLRECKEYCOUNT says
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    doc: Bytes behind the key columns; kept as they are
    doc-ref: *table
instances:
  num_key_columns:
    -lm-status: inferred
    value: (ix_col_rec_key_count[0] & 0xf) * 10 + (ix_col_rec_key_count[1] & 0xf)
    doc: IXCOLRECKEYCOUNT as a number; the low half of an EBCDIC digit is its value
    doc-ref: *table
types:
  key_column:
    doc: One column of the key
    doc-ref: *table
    seq:
      - id: key_col
        -orig-id: KEYCOL
        -codec: ebcdic
        -lm-status: documented
        -lm-type: decimaltext
        size: 3
        doc: Column number
        doc-ref: *table
      - id: key_col_order
        -orig-id: KEYCOLORDER
        -codec: ebcdic
        -lm-status: documented
        type: u1
        enum: key_col_order
        doc: Whether the column is ascending or descending
        doc-ref: *table
enums:
  key_col_order:
    0xc1:
      id: ascending
      -orig-id: 'A'
      doc: Ascending
    0xc4:
      id: descending
      -orig-id: 'D'
      doc: Descending
