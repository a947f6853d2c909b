meta:
  id: f_list
  title: A switch in a repeated type
  endian: be
seq:
  - id: code
    type: u1
    doc: What it is
  - id: body
    -lm-type: body
    type:
      switch-on: code
      cases:
        1: many
        _: one
    doc: What is behind
types:
  many:
    doc: Many items
    seq:
      - id: count
        type: u1
        doc: How many
      - id: items
        type: item
        repeat: expr
        repeat-expr: count
        doc: The items
  one:
    doc: One item
    seq:
      - id: item
        type: item
        doc: The item
  item:
    doc: A short or a long number
    seq:
      - id: size
        type: u1
        doc: What it is
      - id: value
        type:
          switch-on: size
          cases:
            1: u1
            2: u2
            _: u4
        doc: The number
