meta:
  id: common_lrsn10
  title: Log record sequence number, extended form of 10 bytes
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  The 6-byte form stands at offset 1 of the extended one. That an LRSN comes from the clock in
  data sharing, and from the RBA elsewhere, so that the member id says which, is inferred.
doc-ref: &page 'BMC AMI Log Master for Db2, "Logical log data file", footnote 1'
-lm-type: lrsn10
seq:
  - id: epoch
    -lm-status: inferred
    -lm-source: |
      The footnote shows one zero byte in front of a 6-byte form; that it carries the clock is
      from the extended LRSN of Db2
    size: 1
    doc: Zero in front of a 6-byte form; else the carry of the clock
    doc-ref: *page
  - id: lrsn6
    -lm-status: documented
    size: 6
    doc: A non-extended LRSN of 6 bytes
    doc-ref: *page
  - id: precision
    -lm-status: inferred
    -lm-source: |
      The footnote shows three zero bytes behind a 6-byte form; that they are finer digits is
      from the extended LRSN of Db2
    size: 3
    doc: Zero behind a 6-byte form; else finer digits of the clock
    doc-ref: *page
