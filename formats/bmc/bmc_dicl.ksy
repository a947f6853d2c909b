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
    doc: Record code, DICL
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Index column description record (DICL)"'
  - id: sysid
    -orig-id: SYSID
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: Db2 subsystem the object belongs to
    doc-ref: *table
  - id: dbid
    -orig-id: DBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    doc: Database id, four hex digits
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    doc: Page set id of the index, four hex digits
    doc-ref: *table
  - id: ix_col_rec_num
    -orig-id: IXCOLRECNUM
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 2
    doc: Number of this record among those of the index
    doc-ref: *table
  - id: ix_col_rec_key_count
    -orig-id: IXCOLRECKEYCOUNT
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 2
    doc: Number of key columns in this record
    doc-ref: *table
  - id: sequence_number
    -orig-id: SEQUENCENUMBER
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    doc: Version of the table the index belongs to
    doc-ref: *table
  - id: dicl_key_info
    -orig-id: DICLKEYINFO
    -lm-status: documented
    type: key_column
    repeat: expr
    repeat-expr: num_key_columns
    doc: The key columns, in key order
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    doc: Bytes behind the key columns; kept as they are
    doc-ref: *table
instances:
  num_key_columns:
    value: (ix_col_rec_key_count[0] & 0xf) * 10 + (ix_col_rec_key_count[1] & 0xf)
    doc: The count as a number; the low half of an EBCDIC digit is its value
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
        doc: Number of the column in the table
        doc-ref: *table
      - id: key_col_order
        -orig-id: KEYCOLORDER
        -codec: ebcdic
        -lm-status: documented
        type: u1
        enum: key_col_order
        doc: Order of the column in the key
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
