meta:
  id: bmc_dcxi
  title: Log Master control file, index information record (DIXI, DCXI)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  An index of a table (DIXI), or the clustering index of a partitioned one (DCXI). The page says
  that both have this layout.

  A record may end before any field but the first, and go on behind the last: releases differ.
doc-ref: 'BMC AMI Log Master for Db2 13.1, "Clustering index information record (DCXI)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Clustering-index-information-record-DCXI'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: Record code, DCXI or DIXI
    doc-ref: &table 'BMC AMI Log Master for Db2 13.1, "Clustering index information record (DCXI)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Clustering-index-information-record-DCXI'
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
    doc: Page set id of the index, four hex digits
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
  - id: num_cols_in_key
    -orig-id: NUMCOLSINKEY
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Columns in the key
    doc-ref: *table
  - id: sequence_number
    -orig-id: SEQUENCENUMBER
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Version of the table the index belongs to
    doc-ref: *table
  - id: type
    -orig-id: TYPE
    -codec: ebcdic
    -lm-status: documented
    size: 1
    if: not _io.eof
    doc: Index type as in SYSIBM.SYSINDEXES
    doc-ref: *table
  - id: ix_creator_len
    -orig-id: IXCREATORLEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Length of the owner
    doc-ref: *table
  - id: ix_creator
    -orig-id: IXCREATOR
    -codec: ebcdic
    -lm-status: documented
    size: 128
    if: not _io.eof
    doc: Owner of the index
    doc-ref: *table
  - id: ix_name_len
    -orig-id: IXNAMELEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Length of the name
    doc-ref: *table
  - id: ix_name
    -orig-id: IXNAME
    -codec: ebcdic
    -lm-status: documented
    size: 128
    if: not _io.eof
    doc: Name of the index
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Bytes behind the fields known here; kept as they are
    doc-ref: *table
