meta:
  id: bmc_dfid
  title: Log Master control file, filter ID record (DFID)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  Connects a filter with a numeric ID. There is one such record for each filter that was used to
  extract the records of the logical log.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 13.1, "Filter ID record (DFID)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Filter-ID-record-DFID'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DFID, Filter ID Record (Db2)'
    doc-ref: &table 'BMC AMI Log Master for Db2 13.1, "Filter ID record (DFID)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast131/Administering/Logical-log-files/Logical-log-control-file/Filter-ID-record-DFID'
  - id: filter_user_id
    -orig-id: FILTERUSERID
    -codec: ebcdic
    -lm-status: documented
    size: 8
    if: not _io.eof
    doc: User ID of the user who created the filter
    doc-ref: *table
  - id: filter_name
    -orig-id: FILTERNAME
    -codec: ebcdic
    -lm-status: documented
    size: 18
    if: not _io.eof
    doc: Name of the filter
    doc-ref: *table
  - id: filter_id
    -orig-id: FILTERID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    -lm-source: That the DFDS record with the same FILTERID is of the same filter is inferred
    size: 4
    if: not _io.eof
    doc: ID of the filter, 4 digits
    doc-ref: *table
  - id: date_format
    -orig-id: DATEFORMAT
    -codec: ebcdic
    -lm-status: documented
    -lm-source: |
      That it says nothing of the dates in row images, whose format the DLDS record gives, is
      inferred
    size: 3
    if: not _io.eof
    doc: 'Format in which dates were entered in the filter: USA, EUR, ISO or JIS'
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Bytes behind the fields known here; kept as they are
    doc-ref: *table
