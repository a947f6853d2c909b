meta:
  id: bmc_dlob
  title: Log Master control file, LOB column description record (DLOB)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  A LOB column that occurs in selected log records, and for which the product creates at least one LOB
  VSAM file to contain its values. The copy of the page at hand breaks off after TBCREATOR.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 13.1, "LOB column description record (DLOB)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/LOB-column-description-record-DLOB/'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DLOB, LOB Column Description Record (Db2)'
    doc-ref: &table 'BMC AMI Log Master for Db2 13.1, "LOB column description record (DLOB)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/LOB-column-description-record-DLOB/'
  - id: nologging
    -orig-id: NOLOGGING
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: nologging
    if: not _io.eof
    doc: 'Y: logging is disabled for the current LOB table space; N: it is enabled'
    doc-ref: *table
  - id: nullcol
    -orig-id: NULLCOL
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: nullcol
    if: not _io.eof
    doc: 'Y: the LOB column is nullable; N: it is not'
    doc-ref: *table
  - id: dbname
    -orig-id: DBNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    if: not _io.eof
    doc: Name of the database that contains the auxiliary LOB table space
    doc-ref: *table
  - id: tsname
    -orig-id: TSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    if: not _io.eof
    doc: Name of the auxiliary LOB table space
    doc-ref: *table
  - id: base_tsname
    -orig-id: BASETSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    if: not _io.eof
    doc: Name of the base table space that contains the current LOB column
    doc-ref: *table
  - id: npart
    -orig-id: NPART
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Number of partitions in the base table that contains the LOB columns
    doc-ref: *table
  - id: dsnum
    -orig-id: DSNUM
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Total number of LOB VSAM files created for the current LOB column
    doc-ref: *table
  - id: pgsize
    -orig-id: PGSIZE
    -codec: ebcdic
    -lm-status: documented
    size: 10
    if: not _io.eof
    doc: Page size of the LOB VSAM files created for the column (4K, 8K, 16K, and so forth)
    doc-ref: *table
  - id: dssize
    -orig-id: DSSIZE
    -codec: ebcdic
    -unit: KB
    -lm-status: documented
    -lm-type: decimaltext
    size: 10
    if: not _io.eof
    doc: Maximum size, in kilobytes, of the LOB VSAM files created for the column
    doc-ref: *table
  - id: dbid
    -orig-id: DBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Database identifier (DBID) of the database that contains the auxiliary LOB table
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Page set identifier (PSID) of the LOB table space that contains the auxiliary table
    doc-ref: *table
  - id: obid
    -orig-id: OBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Object identifier (OBID) of the auxiliary LOB table
    doc-ref: *table
  - id: base_dbid
    -orig-id: BASEDBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Database identifier (DBID) of the database that contains the base table with the column
    doc-ref: *table
  - id: base_psid
    -orig-id: BASEPSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Page set identifier (PSID) of the table space that contains the base table with the column
    doc-ref: *table
  - id: base_obid
    -orig-id: BASEOBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Object identifier (OBID) of the base table with the column
    doc-ref: *table
  - id: tb_creator
    -orig-id: TBCREATOR
    -codec: ebcdic
    -lm-status: documented
    -lm-source: |
      The copy of the page at hand breaks off inside the description; that the base table is meant
      is inferred
    size: 128
    if: not _io.eof
    doc: Creator of the table
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: |
      Table and column names and the names of the VSAM files are expected here; no page at hand
      gives their places
    doc-ref: *table
enums:
  nologging:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
      doc: Logging is disabled for the LOB table space
    0xd5:
      id: 'no'
      -orig-id: 'N'
      doc: Logging is enabled for the LOB table space
  nullcol:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
      doc: The LOB column is nullable
    0xd5:
      id: 'no'
      -orig-id: 'N'
      doc: The LOB column is not nullable
