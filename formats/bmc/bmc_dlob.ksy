meta:
  id: bmc_dlob
  title: Log Master control file, LOB column description record (DLOB)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  A LOB column whose values were kept, in VSAM files of their own; row images do not hold them.
  The page breaks off after TBCREATOR.

  A record may end before any field but the first, and go on behind the last: releases differ.
doc-ref: 'BMC AMI Log Master for Db2 13.1, "LOB column description record (DLOB)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/LOB-column-description-record-DLOB/'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: Record code, DLOB
    doc-ref: &table 'BMC AMI Log Master for Db2 13.1, "LOB column description record (DLOB)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/LOB-column-description-record-DLOB/'
  - id: nologging
    -orig-id: NOLOGGING
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: changes of the column are not logged'
    doc-ref: *table
  - id: nullcol
    -orig-id: NULLCOL
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: the column may be null'
    doc-ref: *table
  - id: dbname
    -orig-id: DBNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    if: not _io.eof
    doc: Database of the auxiliary table
    doc-ref: *table
  - id: tsname
    -orig-id: TSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    if: not _io.eof
    doc: Table space of the auxiliary table
    doc-ref: *table
  - id: base_tsname
    -orig-id: BASETSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    if: not _io.eof
    doc: Table space of the base table
    doc-ref: *table
  - id: npart
    -orig-id: NPART
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Number of partitions
    doc-ref: *table
  - id: dsnum
    -orig-id: DSNUM
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Number of VSAM files that hold the values
    doc-ref: *table
  - id: pgsize
    -orig-id: PGSIZE
    -codec: ebcdic
    -lm-status: documented
    size: 10
    if: not _io.eof
    doc: Page size, as in 4K
    doc-ref: *table
  - id: dssize
    -orig-id: DSSIZE
    -codec: ebcdic
    -unit: KB
    -lm-status: documented
    -lm-type: decimaltext
    size: 10
    if: not _io.eof
    doc: Size of a data set
    doc-ref: *table
  - id: dbid
    -orig-id: DBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Database id of the auxiliary table
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Table space id of the auxiliary table
    doc-ref: *table
  - id: obid
    -orig-id: OBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Id of the auxiliary table
    doc-ref: *table
  - id: base_dbid
    -orig-id: BASEDBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Database id of the base table
    doc-ref: *table
  - id: base_psid
    -orig-id: BASEPSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Table space id of the base table
    doc-ref: *table
  - id: base_obid
    -orig-id: BASEOBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Id of the base table
    doc-ref: *table
  - id: tb_creator
    -orig-id: TBCREATOR
    -codec: ebcdic
    -lm-status: documented
    size: 128
    if: not _io.eof
    doc: Owner of the base table
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Table and column names and the names of the VSAM files, at places no page at hand gives
    doc-ref: *table
enums:
  yes_no:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
    0xd5:
      id: 'no'
      -orig-id: 'N'
