meta:
  id: bmc_dxml
  title: Log Master control file, XML column description record (DXML)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  An XML column that occurs in selected log records, and for which the product creates at least one
  XML VSAM file to contain its data. The copy of the page at hand breaks off at BASEPSID; up to there
  the layout is that of DLOB.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "XML column description record (DXML)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/XML-column-description-record-DXML'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DXML, XML Column Description Record (Db2)'
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "XML column description record (DXML)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/XML-column-description-record-DXML'
  - id: nologging
    -orig-id: NOLOGGING
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: nologging
    if: not _io.eof
    doc: 'Y: logging is disabled for the current XML table space; N: it is enabled'
    doc-ref: *table
  - id: nullcol
    -orig-id: NULLCOL
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: nullcol
    if: not _io.eof
    doc: 'Y: the XML column is nullable; N: it is not'
    doc-ref: *table
  - id: dbname
    -orig-id: DBNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    if: not _io.eof
    doc: Name of the database that contains the XML table space
    doc-ref: *table
  - id: tsname
    -orig-id: TSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    if: not _io.eof
    doc: Name of the XML table space
    doc-ref: *table
  - id: base_tsname
    -orig-id: BASETSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    if: not _io.eof
    doc: Name of the table space that contains the current XML column
    doc-ref: *table
  - id: npart
    -orig-id: NPART
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Number of partitions in the table that contains the XML columns
    doc-ref: *table
  - id: dsnum
    -orig-id: DSNUM
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Total number of XML VSAM files created for the current XML column
    doc-ref: *table
  - id: pgsize
    -orig-id: PGSIZE
    -codec: ebcdic
    -lm-status: documented
    size: 10
    if: not _io.eof
    doc: Page size of the XML VSAM files created for the column (4K, 8K, 16K, and so forth)
    doc-ref: *table
  - id: dssize
    -orig-id: DSSIZE
    -codec: ebcdic
    -unit: KB
    -lm-status: documented
    -lm-type: decimaltext
    size: 10
    if: not _io.eof
    doc: Maximum size, in kilobytes, of the XML VSAM files created for the column
    doc-ref: *table
  - id: dbid
    -orig-id: DBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Database identifier (DBID) of the database that contains the XML table
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Page set identifier (PSID) of the XML table space that contains the table
    doc-ref: *table
  - id: obid
    -orig-id: OBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Object identifier (OBID) of the XML table
    doc-ref: *table
  - id: base_dbid
    -orig-id: BASEDBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: |
      Database identifier (DBID) of the database that contains the table with the current XML
      column
    doc-ref: *table
  - id: base_psid
    -orig-id: BASEPSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    -lm-source: |
      The copy of the page at hand breaks off inside this line; that it is as BASEPSID of DLOB is
      inferred
    size: 4
    if: not _io.eof
    doc: Page set identifier (PSID) of the table space that contains the table with the column
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Very likely as in DLOB, but no page at hand says so
    doc-ref: *table
enums:
  nologging:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
      doc: Logging is disabled for the XML table space
    0xd5:
      id: 'no'
      -orig-id: 'N'
      doc: Logging is enabled for the XML table space
  nullcol:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
      doc: The XML column is nullable
    0xd5:
      id: 'no'
      -orig-id: 'N'
      doc: The XML column is not nullable
