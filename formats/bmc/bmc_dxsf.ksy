meta:
  id: bmc_dxsf
  title: Log Master control file, XMLSTRING data set name record (DXSF)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  Names the data set that holds data from SYSIBM.SYSXMLSTRINGS. Present only when the XMLSTRING keyword
  named a data set.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "XMLSTRING data set name record (DXSF)", https://docs.bmc.com/docs/logmasterfordb2/121/xmlstring-data-set-name-record-dxsf-857523050.html'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DXSF'
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "XMLSTRING data set name record (DXSF)"'
  - id: dsname
    -orig-id: DSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 44
    if: not _io.eof
    doc: Name of the XMLSTRING data set
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Bytes behind the fields known here; kept as they are
    doc-ref: *table
