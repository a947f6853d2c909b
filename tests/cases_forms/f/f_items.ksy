meta:
  id: f_items
  title: Lists in a body that the data choose
  endian: be
seq:
  - id: code
    type: u1
    doc: What it is
  - id: body
    -lm-type: body
    size-eos: true
    type:
      switch-on: code
      cases:
        1: counted
        2: to_end
        3: nested
        4: one
        _: nothing
    doc: What is behind
types:
  counted:
    doc: As many items as a number says
    seq:
      - id: count
        type: u1
        doc: How many
      - id: items
        type: item
        repeat: expr
        repeat-expr: count & 3
        doc: The items
      - id: rest
        -lm-type: rest
        size-eos: true
        doc: More
  to_end:
    doc: Items to the end
    seq:
      - id: items
        type: item
        repeat: eos
        doc: The items
  nested:
    doc: Lists in a list
    seq:
      - id: groups
        type: group
        repeat: expr
        repeat-expr: 2
        doc: The groups
  group:
    doc: A group of pairs
    seq:
      - id: pairs
        type: pair
        repeat: expr
        repeat-expr: _root.code - 2
        doc: The pairs
  pair:
    doc: Two numbers
    seq:
      - id: first
        type: u1
        doc: One
      - id: second
        -codec: ebcdic
        size: 1
        doc: A character
  item:
    doc: A length, and as many bytes
    seq:
      - id: length
        type: u1
        doc: Bytes
      - id: content
        size: length & 7
        doc: The bytes
  one:
    doc: One item under the name of the list
    seq:
      - id: items
        type: pair
        doc: One pair
  nothing:
    doc: Nothing
    seq:
      - id: payload
        size-eos: true
        doc: As it is
