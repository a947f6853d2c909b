meta:
  id: common_lrsn10
  title: Log record sequence number, extended form of 10 bytes
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  Comes from the clock in data sharing, from the RBA elsewhere: the member id tells which. The
  6-byte form stands at offset 1 of the extended one.
doc-ref: 'BMC AMI Log Master for Db2, "Logical log data file", footnote 1'
-lm-type: lrsn10
seq:
  - id: epoch
    -lm-status: documented
    size: 1
    doc: Carry of the clock; zero in front of a 6-byte form
  - id: lrsn6
    -lm-status: documented
    size: 6
    doc: The 6-byte form
  - id: precision
    -lm-status: documented
    size: 3
    doc: Finer digits of the clock; zero behind a 6-byte form
