meta:
  id: bmc_dcxi
  title: Log Master control file, index information record (DIXI, DCXI)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  An index of a table (DIXI), or the clustering index of a partitioned one (DCXI). The page describes
  DCXI and says that its layout is similar to that of DIXI, except for the record type; that DIXI has
  the same places is inferred.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 13.1, "Clustering index information record (DCXI)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Clustering-index-information-record-DCXI'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DCXI, Clustering Index Information Record, or DIXI'
    doc-ref: &table 'BMC AMI Log Master for Db2 13.1, "Clustering index information record (DCXI)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Clustering-index-information-record-DCXI'
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
    doc: Originating DBID (hexadecimal)
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Originating index PSID (hexadecimal)
    doc-ref: *table
  - id: tbobid
    -orig-id: TBOBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Originating table ID (hexadecimal)
    doc-ref: *table
  - id: num_cols_in_key
    -orig-id: NUMCOLSINKEY
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Number of columns in the index key
    doc-ref: *table
  - id: sequence_number
    -orig-id: SEQUENCENUMBER
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: |
      Distinguishes versions of the same database object, 001 by default; equal to the sequence
      number of the DTBI and DIXI records of the table
    doc-ref: *table
  - id: type
    -orig-id: TYPE
    -codec: ebcdic
    -lm-status: documented
    size: 1
    if: not _io.eof
    doc: Index type from SYSIBM.SYSINDEXES
    doc-ref: *table
  - id: ix_creator_len
    -orig-id: IXCREATORLEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Length of the name of the index creator
    doc-ref: *table
  - id: ix_creator
    -orig-id: IXCREATOR
    -codec: ebcdic
    -lm-status: documented
    size: 128
    if: not _io.eof
    doc: Name of the originating index creator
    doc-ref: *table
  - id: ix_name_len
    -orig-id: IXNAMELEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Length of the index name
    doc-ref: *table
  - id: ix_name
    -orig-id: IXNAME
    -codec: ebcdic
    -lm-status: documented
    size: 128
    if: not _io.eof
    doc: Originating index name
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Bytes behind the fields known here; kept as they are
    doc-ref: *table
