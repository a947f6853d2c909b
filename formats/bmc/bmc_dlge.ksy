meta:
  id: bmc_dlge
  title: Log Master control file, log information end record (DLGE)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /common/common_rba10
    - /common/common_timestamp17
  endian: be
doc: |
  The end point of the logical log, and the oldest unit of recovery in it that has a log record which
  Log Master was unable to complete.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Log information end record (DLGE)", https://docs.bmc.com/docs/logmasterfordb2/121/log-information-end-record-dlge-857523032.html'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DLGE, Logical Log Information End Record (Db2)'
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Log information end record (DLGE)"'
  - id: end_rba
    -orig-id: ENDRBA
    -lm-status: documented
    type: common_rba10
    if: not _io.eof
    doc: Ending RBA or LRSN for the logical log file
    doc-ref: *table
  - id: reserved1
    -lm-status: documented
    size: 2
    if: not _io.eof
    doc: Reserved
    doc-ref: *table
  - id: end_time
    -orig-id: ENDTIME
    -lm-status: documented
    type: common_timestamp17
    if: not _io.eof
    doc: Time that the product finished creating the logical log file
    doc-ref: *table
  - id: reserved2
    -lm-status: documented
    size: 3
    if: not _io.eof
    doc: Reserved
    doc-ref: *table
  - id: dependent_rba
    -orig-id: DEPENDENTRBA
    -lm-status: documented
    type: common_rba10
    if: not _io.eof
    doc: |
      RBA or LRSN of the oldest unit of recovery in this log with at least one log record that Log
      Master was unable to complete
    doc-ref: *table
  - id: reserved3
    -lm-status: documented
    size: 2
    if: not _io.eof
    doc: Reserved
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Bytes behind the fields known here; kept as they are
    doc-ref: *table
