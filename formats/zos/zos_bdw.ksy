meta:
  id: zos_bdw
  title: Block descriptor word (BDW), normal and extended
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  bit-endian: be
doc: |
  Stands before every block of a data set of blocked format, where a transfer has kept it. The
  extended form is for blocks above 32760 bytes, on tape.
doc-ref: &page 'IBM z/OS DFSMS Using Data Sets, SC23-6855, "Block Descriptor Word (BDW)"'
seq:
  - id: is_extended
    -lm-status: documented
    type: b1
    doc: Set in the extended form
    doc-ref: *page
  - id: length_extended
    -unit: bytes
    -lm-status: documented
    -lm-valid-status: inferred
    -lm-source: The least length is that of the normal form; the page gives none for this one
    type: b31
    valid:
      min: 8
    if: is_extended
    doc: Length of the block, these four bytes included
    doc-ref: *page
  - id: length_normal
    -unit: bytes
    -lm-status: documented
    type: b15
    valid:
      min: 8
      max: 32760
    if: not is_extended
    doc: Length of the block, these four bytes included
    doc-ref: *page
  - id: reserved
    -lm-status: documented
    type: b16
    valid: 0
    if: not is_extended
    doc: Zero
    doc-ref: *page
instances:
  length:
    -lm-status: documented
    value: 'is_extended ? length_extended : length_normal'
    doc: Length of the block, these four bytes included
    doc-ref: *page
