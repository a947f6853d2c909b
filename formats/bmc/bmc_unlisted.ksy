meta:
  id: bmc_unlisted
  title: Log Master control file, a record whose layout is not known
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  A control record that no page at hand describes, DTSI, DCLI and DCL2 among them, or the current
  path record, whose code is not known either. Its code and its bytes are kept.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Logical log control file"'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    -lm-source: That an unlisted record has it at its start, as all listed ones have, is inferred
    size: 4
    doc: Control record type
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Logical log control file"'
  - id: payload
    -lm-status: unknown
    size-eos: true
    doc: Everything behind the code
    doc-ref: *table
