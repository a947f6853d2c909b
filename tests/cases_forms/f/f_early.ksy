meta:
  id: f_early
  title: A byte order that is needed before it is known, which no parser reads
  endian:
    switch-on: mark
    cases:
      1: le
      _: be
seq:
  - id: head
    size: 1
    doc: The mark is here
  - id: body
    -lm-type: body
    size-eos: true
    type:
      switch-on: number % 3
      cases:
        0: numbers
        1: addressed
        _: nothing
    if: number != 7
    doc: What is behind
instances:
  mark:
    -lm-column: false
    pos: 0
    type: u1
    doc: Byte order
  number:
    -lm-column: false
    pos: 1
    type: u1
    if: _io.size > 1
    doc: What decides
types:
  numbers:
    doc: Numbers
    seq:
      - id: number
        type: u1
        doc: What decides
      - id: two
        type: s2
        doc: Of two bytes
      - id: place
        -lm-type: lsn
        type: u8
        doc: Shown as bytes
      - id: real
        type: f4
        doc: A real number
  addressed:
    doc: A value with parts
    seq:
      - id: number
        type: u1
        doc: What decides
      - id: address
        type: address
        doc: Shown as bytes, and its parts as numbers
  nothing:
    doc: Nothing known
    seq:
      - id: payload
        size-eos: true
        doc: As it is
  address:
    doc: Page and slot
    -lm-type: bytes
    seq:
      - id: page
        type: u4
        doc: Page
      - id: slot
        type: u2
        doc: Slot
