meta:
  id: bmc_dtbi
  title: Log Master control file, table information record (DTBI)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /common/common_rba10
  endian: be
doc: |
  One version of one table. A version holds from `create_rba` until `drop_rba`; its columns are
  the DLCI records with the same ids and the same sequence number.

  The page prints the first reserved field at decimal 54, hex 34; hex 34 is 52, the decimal number
  is a misprint. It breaks off after DBNAME: the table space, the full owner and table names and
  their short forms must follow, at places no page at hand gives.

  A record may end before any field but the first, and go on behind the last: releases differ.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Table information record (DTBI)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Table-information-record-DTBI'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: Record code, DTBI
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Table information record (DTBI)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Table-information-record-DTBI'
  - id: sysid
    -orig-id: SYSID
    -codec: ebcdic
    -lm-status: documented
    size: 4
    if: not _io.eof
    doc: Db2 subsystem the object belongs to
    doc-ref: *table
  - id: dbid
    -orig-id: DBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Database id, four hex digits
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Table space id, four hex digits
    doc-ref: *table
  - id: tbobid
    -orig-id: TBOBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Table id, four hex digits
    doc-ref: *table
  - id: object_type
    -orig-id: OBJECTTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 2
    if: not _io.eof
    doc: TB
    doc-ref: *table
  - id: db2_num_col
    -orig-id: DB2NUMCOL
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Columns of the table in Db2
    doc-ref: *table
  - id: db2_max_row_len
    -orig-id: DB2MAXROWLEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Longest row in Db2
    doc-ref: *table
  - id: ll_num_col
    -orig-id: LLNUMCOL
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Columns in the row images of the data file
    doc-ref: *table
  - id: ll_max_row_len
    -orig-id: LLMAXROWLEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Longest row image in the data file
    doc-ref: *table
  - id: row_type
    -orig-id: ROWTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: row_type
    if: not _io.eof
    doc: Whether the rows of the table vary in length
    doc-ref: *table
  - id: sequence_number
    -orig-id: SEQUENCENUMBER
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: |
      Counts the versions of the object; the same number stands in its DIXI, DCXI, DCLI and DLCI
      records
    doc-ref: *table
  - id: create_rba
    -orig-id: CREATERBA
    -lm-status: documented
    type: common_rba10
    if: not _io.eof
    doc: RBA or LRSN from which this version holds
    doc-ref: *table
  - id: reserved1
    -lm-status: documented
    size: 2
    if: not _io.eof
    doc: Reserved
    doc-ref: *table
  - id: drop_rba
    -orig-id: DROPRBA
    -lm-status: documented
    type: common_rba10
    if: not _io.eof
    doc: RBA or LRSN at which this version ended; zero while it holds
    doc-ref: *table
  - id: reserved2
    -lm-status: documented
    size: 2
    if: not _io.eof
    doc: Reserved
    doc-ref: *table
  - id: encoding_scheme
    -orig-id: ENCODINGSCHEME
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: encoding_scheme
    if: not _io.eof
    doc: Encoding of the character columns in the row images
    doc-ref: *table
  - id: editproc_name_len
    -orig-id: EDITPROCNAMELEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Length of the name of the edit procedure, 0 without one
    doc-ref: *table
  - id: editproc_name
    -orig-id: EDITPROCNAME
    -codec: ebcdic
    -lm-status: documented
    size: 24
    if: not _io.eof
    doc: Name of the edit procedure
    doc-ref: *table
  - id: dbname_len
    -orig-id: DBNAMELEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Length of the name of the database
    doc-ref: *table
  - id: dbname
    -orig-id: DBNAME
    -codec: ebcdic
    -lm-status: documented
    size: 24
    if: not _io.eof
    doc: Name of the database
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: |
      What follows DBNAME: table space, owner, name, short owner and short name among it. Full
      names are taken from here only where the lengths in the change record prove them.
    doc-ref: *table
enums:
  row_type:
    0xe5:
      id: varying
      -orig-id: 'V'
      doc: Rows vary in length
    0xc6:
      id: fixed
      -orig-id: 'F'
      doc: Rows have one length
  encoding_scheme:
    0xc1:
      id: ascii
      -orig-id: 'A'
      doc: ASCII
    0xc5:
      id: ebcdic
      -orig-id: 'E'
      doc: EBCDIC
    0xe4:
      id: unicode
      -orig-id: 'U'
      doc: Unicode
