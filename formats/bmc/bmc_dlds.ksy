meta:
  id: bmc_dlds
  title: Log Master control file, logical log data set record (DLDS)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  Names the data file and says what it holds. The product follows the current path record instead
  when the data set has moved; layout and code of that record are not known.

  A record may end before any field but the first, and go on behind the last: releases differ.
doc-ref: 'BMC AMI Log Master for Db2 13.1, "Logical log data set record (DLDS)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Logical-log-data-set-record-DLDS'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: Record code, DLDS
    doc-ref: &table 'BMC AMI Log Master for Db2 13.1, "Logical log data set record (DLDS)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Logical-log-data-set-record-DLDS'
  - id: orig_data_dsname
    -orig-id: ORIGDATADSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 44
    if: not _io.eof
    doc: Name the data set had when it was written
    doc-ref: *table
  - id: record_format
    -orig-id: RECORDFORMAT
    -codec: ebcdic
    -lm-status: documented
    size: 3
    if: not _io.eof
    doc: VB; VBS is tolerated and ignored
    doc-ref: *table
  - id: date_format
    -orig-id: DATEFORMAT
    -codec: ebcdic
    -lm-status: documented
    -lm-source: No page at hand gives the layout of the form of SAS
    size: 8
    if: not _io.eof
    doc: 'Form of dates and times in row images: DB2I is the ISO form of Db2, SASTIME the one of SAS'
    doc-ref: *table
  - id: expand_var
    -orig-id: EXPANDVAR
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: columns of varying length are padded to their full length'
    doc-ref: *table
  - id: segmented
    -orig-id: SEGMENTED
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: the data file has segmented records'
    doc-ref: *table
  - id: ddl_objects
    -orig-id: DDLOBJECTS
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: the data file has DDL records (change type CO)'
    doc-ref: *table
  - id: lobs_included
    -orig-id: LOBSINCLUDED
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: LOB values were kept, in data sets of their own'
    doc-ref: *table
  - id: xml_included
    -orig-id: XMLINCLUDED
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: XML values were kept, in data sets of their own'
    doc-ref: *table
  - id: xmlstring_included
    -orig-id: XMLSTRINGINCLUDED
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: there is an XMLSTRING data set'
    doc-ref: *table
  - id: merged
    -orig-id: MERGED
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: made by merging logical logs'
    doc-ref: *table
  - id: cmds_included
    -orig-id: CMDSINCLUDED
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: 'Y: the data file has Db2 command records (change type CM)'
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
    0xd5:
      id: 'no'
      -orig-id: 'N'
