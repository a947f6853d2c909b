meta:
  id: common_rba10
  title: Relative byte address, extended form of 10 bytes
  license: Apache-2.0
  ks-version: '0.11'
doc: A place in the log. The 6-byte form stands at offset 4 of the extended one.
doc-ref: &page 'BMC AMI Log Master for Db2, "Logical log data file", footnote 1'
-lm-type: rba10
seq:
  - id: high
    -lm-status: documented
    size: 4
    doc: The bytes in front of a non-extended RBA, zero in the example of the page
    doc-ref: *page
  - id: rba6
    -lm-status: documented
    size: 6
    doc: A non-extended RBA of 6 bytes
    doc-ref: *page
