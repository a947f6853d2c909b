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
  Where the logical log ends, and from where the next one must read so that no unit of recovery is
  lost.

  A record may end before any field but the first, and go on behind the last: releases differ.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Log information end record (DLGE)", https://docs.bmc.com/docs/logmasterfordb2/121/log-information-end-record-dlge-857523032.html'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: Record code, DLGE
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Log information end record (DLGE)"'
  - id: end_rba
    -orig-id: ENDRBA
    -lm-status: documented
    type: common_rba10
    if: not _io.eof
    doc: RBA or LRSN at which the log ends
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
    doc: When the product finished the file
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
    doc: RBA or LRSN of the oldest unit of recovery with a record that could not be completed
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
