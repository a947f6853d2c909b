meta:
  id: bmc_dtob
  title: Log Master control file, table synonym and alias record (DTOB)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  A synonym or alias of a table that existed when the logical log file was created.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Table synonym and alias record (DTOB)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Table-synonym-and-alias-record-DTOB'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DTOB, Table Synonym and Alias Record'
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Table synonym and alias record (DTOB)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Table-synonym-and-alias-record-DTOB'
  - id: sysid
    -orig-id: SYSID
    -codec: ebcdic
    -lm-status: documented
    size: 4
    if: not _io.eof
    doc: Originating SYSID
    doc-ref: *table
  - id: dbid
    -orig-id: DBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Database ID (hexadecimal) of the table
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Table space PSID (hexadecimal, page set descriptor) of the table
    doc-ref: *table
  - id: obid
    -orig-id: OBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Table ID (hexadecimal)
    doc-ref: *table
  - id: obj_type
    -orig-id: OBJTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: obj_type
    if: not _io.eof
    doc: Type of object
    doc-ref: *table
  - id: obj_creator_len
    -orig-id: OBJCREATORLEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Length of the creator portion of the synonym or alias name
    doc-ref: *table
  - id: obj_creator
    -orig-id: OBJCREATOR
    -codec: ebcdic
    -lm-status: documented
    size: 128
    if: not _io.eof
    doc: Creator of the synonym or alias
    doc-ref: *table
  - id: obj_name_len
    -orig-id: OBJNAMELEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Length of the synonym or alias name
    doc-ref: *table
  - id: obj_name
    -orig-id: OBJNAME
    -codec: ebcdic
    -lm-status: documented
    size: 128
    if: not _io.eof
    doc: Name of the synonym or alias
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Bytes behind the fields known here; kept as they are
    doc-ref: *table
enums:
  obj_type:
    0xe2:
      id: synonym
      -orig-id: 'S'
      doc: Synonym
    0xc1:
      id: alias
      -orig-id: 'A'
      doc: Alias
