meta:
  id: f_twice
  title: A name that is in several kinds of a record
  endian: be
seq:
  - id: code
    type: u1
    doc: What it is
  - id: digit
    -codec: ebcdic
    -lm-type: decimaltext
    size: 1
    doc: A digit
  - id: body
    -lm-type: body
    size-eos: true
    type:
      switch-on: code
      cases:
        1: one
        2: two
        _: other
    doc: What is behind
types:
  one:
    doc: A kind
    seq:
      - id: value
        type: u1
        doc: A number
  two:
    doc: Another kind
    seq:
      - id: value
        type: u1
        valid:
          any-of: [0, 1, 2, 3, 4, 5, 6, 7]
        doc: A number, with the same name
  other:
    doc: Anything else
    seq:
      - id: payload
        size-eos: true
        doc: As it is
