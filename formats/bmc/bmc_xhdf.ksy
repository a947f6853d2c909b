meta:
  id: bmc_xhdf
  title: Log Master control file, data change header description record (XHDF)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  The format of one field of the header of the data change records, so that a program can process
  them. There is one such record for every header field.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 13.1, "Data change header description record (XHDF)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Data-change-header-description-record-XHDF'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: XHDF, Data Change Header Description Record'
    doc-ref: &table 'BMC AMI Log Master for Db2 13.1, "Data change header description record (XHDF)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Data-change-header-description-record-XHDF'
  - id: head_field_name
    -orig-id: HEADFIELDNAME
    -codec: ebcdic
    -lm-status: documented
    size: 18
    if: not _io.eof
    doc: Name of this header field
    doc-ref: *table
  - id: head_field_type
    -orig-id: HEADFIELDTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u4
    enum: head_field_type
    if: not _io.eof
    doc: Type of data in this field
    doc-ref: *table
  - id: head_field_subtype
    -orig-id: HEADFIELDSUBTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: head_field_subtype
    if: not _io.eof
    doc: Format of data within the type; only BIN has a subtype
    doc-ref: *table
  - id: head_field_len
    -orig-id: HEADFIELDLEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Length of this header field
    doc-ref: *table
  - id: head_field_pos
    -orig-id: HEADFIELDPOS
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Offset of this field in the logical log data change record
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Bytes behind the fields known here; kept as they are
    doc-ref: *table
enums:
  head_field_type:
    0xc2c9d540:
      id: binary
      -orig-id: 'BIN'
      doc: Binary or hexadecimal
    0xc3c8c1d9:
      id: character
      -orig-id: 'CHAR'
      doc: Character
    0xc9d5e340:
      id: integer
      -orig-id: 'INT'
      doc: Integer, length 2 or 4
    0xc4e3e3d4:
      id: timestamp
      -orig-id: 'DTTM'
      doc: Timestamp value, length 26
  head_field_subtype:
    0xe4:
      id: unsigned
      -orig-id: 'U'
      doc: Unsigned format (BIN subtype)
