meta:
  id: f_bits
  title: A body by a bit field; only the parser reads it
  endian: be
  bit-endian: be
seq:
  - id: word
    type: b2
    doc: What it is
  - id: unused
    type: b6
    doc: Nothing
  - id: body
    -lm-type: body
    type:
      switch-on: word
      cases:
        1: short
        _: long
    doc: What is behind
types:
  short:
    doc: Short
    seq:
      - id: value
        type: u1
        doc: Of one byte
  long:
    doc: Long
    seq:
      - id: value
        type: u2
        doc: Of two bytes
