meta:
  id: common_packed_decimal
  title: Packed decimal number
  license: Apache-2.0
  ks-version: '0.11'
  bit-endian: be
doc: |
  Two digits a byte, the sign in the last half byte. The decimal point is not stored; it follows
  from the scale of the column.
doc-ref: &page 'IBM z/Architecture Principles of Operation, SA22-7832, "Decimal-Number Formats"'
params:
  - id: len
    type: u4
    doc: Bytes the number takes
seq:
  - id: digits
    -lm-status: documented
    size: len - 1
    doc: Leading digits, two in a byte
    doc-ref: *page
  - id: last_digit
    -lm-status: documented
    type: b4
    doc: Last digit
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
      doc: Plus, also accepted
    0xb:
      id: minus_b
      doc: Minus, also accepted
    0xc:
      id: plus
      doc: Plus, the preferred code
    0xd:
      id: minus
      doc: Minus, the preferred code
    0xe:
      id: plus_e
      doc: Plus, also accepted
    0xf:
      id: unsigned
      doc: Plus, of a number without a sign
