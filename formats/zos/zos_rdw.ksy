meta:
  id: zos_rdw
  title: Record descriptor word (RDW)
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  Stands before every record of a data set of format V or VB. The length is at most 32760 there;
  programs on other systems write longer records.
doc-ref: &page 'IBM z/OS DFSMS Using Data Sets, SC23-6855, "Record Descriptor Word (RDW)"'
seq:
  - id: length
    -orig-id: LL
    -unit: bytes
    -lm-status: documented
    type: u2
    valid:
      min: 4
    doc: Length of the record, these four bytes included
    doc-ref: *page
  - id: reserved
    -lm-status: documented
    type: u2
    valid: 0
    doc: Zero; a spanned record has its segment code here
    doc-ref: *page
