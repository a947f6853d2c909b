meta:
  id: common_packed_decimal
  title: Packed decimal number
  license: Apache-2.0
  ks-version: '0.11'
  bit-endian: be
doc: |
  The form nnn...s: digits, two in a byte, and the sign in the last half byte. The decimal point
  is not stored; that it follows from the scale of the column is inferred.
doc-ref: &page 'IBM z/Architecture Principles of Operation, SA22-7832, "Decimal-Number Formats"; IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", "Field Lengths"'
params:
  - id: len
    type: u4
    doc: Bytes the number takes
seq:
  - id: digits
    -lm-status: documented
    size: len - 1
    doc: Digits, two in a byte
    doc-ref: *page
  - id: last_digit
    -lm-status: documented
    type: b4
    doc: Rightmost digit
    doc-ref: *page
  - id: sign
    -lm-status: documented
    type: b4
    enum: sign
    doc: Sign of the number
    doc-ref: *page
enums:
  sign:
    0xa:
      id: plus_a
      doc: Plus, alternate code
    0xb:
      id: minus_b
      doc: Minus, alternate code
    0xc:
      id: plus
      doc: Plus, preferred code
    0xd:
      id: minus
      doc: Minus, preferred code
    0xe:
      id: plus_e
      doc: Plus, alternate code
    0xf:
      id: unsigned
      doc: Plus, alternate code; also the zone of a digit
