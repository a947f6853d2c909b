meta:
  id: bmc_dfds
  title: Log Master control file, filter description record (DFDS)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  A description, in text, of a filter. There is one such record for each filter that was used to
  extract the records of the logical log.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Filter description record (DFDS)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Filter-description-record-DFDS'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DFDS, Filter Description Record'
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Filter description record (DFDS)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Filter-description-record-DFDS'
  - id: filter_id
    -orig-id: FILTERID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    -lm-source: That it is the number that the DFID record of the filter gives is inferred
    size: 4
    if: not _io.eof
    doc: Filter ID
    doc-ref: *table
  - id: description
    -orig-id: DESCRIPTION
    -codec: ebcdic
    -lm-status: documented
    size: 64
    if: not _io.eof
    doc: Description of the filter, supplied by the user
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Bytes behind the fields known here; kept as they are
    doc-ref: *table
