meta:
  id: zos_sdw
  title: Segment descriptor word (SDW)
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  Stands before every piece of a record of format VS or VBS; the first one is in place of the RDW.
  That the pieces of a record follow one another is inferred.
doc-ref: &page 'IBM z/OS DFSMS Using Data Sets, SC23-6855, "Segment Descriptor Word"'
seq:
  - id: length
    -orig-id: LL
    -unit: bytes
    -lm-status: documented
    -lm-valid-status: inferred
    -lm-source: |
      4 is accepted for an empty record, and 32760 because whole records are written up to the
      limit of the RDW
    type: u2
    valid:
      min: 4
      max: 32760
    doc: 'Length of the piece, these four bytes included: 5 to 32756'
    doc-ref: *page
  - id: segment_code
    -lm-status: documented
    type: u1
    enum: segment_code
    valid:
      in-enum: true
    doc: Which piece of its record it is, in the two low bits; the others are zero
    doc-ref: *page
  - id: reserved
    -lm-status: documented
    type: u1
    valid: 0
    doc: Zero
    doc-ref: *page
enums:
  segment_code:
    0:
      id: complete
      doc: The whole record
    1:
      id: first
      doc: First piece of several
    2:
      id: last
      doc: Last piece of several
    3:
      id: middle
      doc: Neither first nor last
