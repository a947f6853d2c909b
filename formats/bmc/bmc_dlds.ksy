meta:
  id: bmc_dlds
  title: Log Master control file, logical log data set record (DLDS)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  Names the data file and says what it holds. The name is that at its creation; where the data set has
  been moved to is in the current path record, whose layout and code are not known.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 13.1, "Logical log data set record (DLDS)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Logical-log-data-set-record-DLDS'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DLDS, Logical Log DS Record (Db2)'
    doc-ref: &table 'BMC AMI Log Master for Db2 13.1, "Logical log data set record (DLDS)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Logical-log-data-set-record-DLDS'
  - id: orig_data_dsname
    -orig-id: ORIGDATADSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 44
    if: not _io.eof
    doc: Name of the logical log data set when created
    doc-ref: *table
  - id: record_format
    -orig-id: RECORDFORMAT
    -codec: ebcdic
    -lm-status: documented
    size: 3
    if: not _io.eof
    doc: |
      RECFM of the logical log file: VB, variable blocked; VBS, variable block spanned, is
      tolerated but ignored
    doc-ref: *table
  - id: date_format
    -orig-id: DATEFORMAT
    -codec: ebcdic
    -lm-status: documented
    -lm-source: No page at hand gives the layout of the form of SAS
    size: 8
    if: not _io.eof
    doc: |
      Format of dates and times in the logical log file: DB2I, Db2 ISO format; SASTIME, SAS format
    doc-ref: *table
  - id: expand_var
    -orig-id: EXPANDVAR
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: |
      Y: VAR fields are expanded to full length, or padded as required; N: they are not expanded
    doc-ref: *table
  - id: segmented
    -orig-id: SEGMENTED
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: the logical log file contains segmented records'
    doc-ref: *table
  - id: ddl_objects
    -orig-id: DDLOBJECTS
    -codec: ebcdic
    -lm-status: documented
    -lm-source: That records of change type CO hold it is inferred
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: the logical log file contains DDL information'
    doc-ref: *table
  - id: lobs_included
    -orig-id: LOBSINCLUDED
    -codec: ebcdic
    -lm-status: documented
    -lm-source: That the data are in data sets of their own is from other pages
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: the logical log file contains LOB data'
    doc-ref: *table
  - id: xml_included
    -orig-id: XMLINCLUDED
    -codec: ebcdic
    -lm-status: documented
    -lm-source: That the data are in data sets of their own is from other pages
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: the logical log file contains XML data'
    doc-ref: *table
  - id: xmlstring_included
    -orig-id: XMLSTRINGINCLUDED
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: the logical log file points to XML string information in a separate data set'
    doc-ref: *table
  - id: merged
    -orig-id: MERGED
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: created by merging multiple logical log files'
    doc-ref: *table
  - id: cmds_included
    -orig-id: CMDSINCLUDED
    -codec: ebcdic
    -lm-status: documented
    -lm-source: That records of change type CM hold it is inferred
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: the logical log file contains Db2 command information'
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Bytes behind the fields known here; kept as they are
    doc-ref: *table
enums:
  yes_no:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
      doc: Yes; the description of the field says what
    0xd5:
      id: 'no'
      -orig-id: 'N'
      doc: 'No'
