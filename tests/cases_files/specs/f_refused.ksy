meta:
  id: f_refused
  endian: be
seq:
  - id: a
    type: u1
  - id: one
    type: thing
  - id: until
    type: thing
    repeat: until
    repeat-until: _.x == 0
  - id: open
    type: tail
    repeat: expr
    repeat-expr: 1
types:
  thing:
    seq:
      - id: x
        type: u1
  tail:
    seq:
      - id: y
        size-eos: true
