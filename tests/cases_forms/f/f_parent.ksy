meta:
  id: f_parent
  title: A body by fields of the records around it
  endian: be
seq:
  - id: flags
    type: u1
    doc: Bits
  - id: code
    type: u1
    doc: What it is
  - id: outer
    -lm-type: body
    type:
      switch-on: flags & 1
      cases:
        0: plain
        1: deep(code, flags)
    doc: What is behind
instances:
  is_long:
    value: flags & 2 != 0
    doc: Whether numbers are long
types:
  plain:
    doc: One number
    seq:
      - id: inner
        -lm-type: body
        type:
          switch-on: '_parent.is_long ? 1 : 0'
          cases:
            0: short
            1: long
        doc: What is behind
  short:
    doc: Short
    seq:
      - id: value
        type: u2
        doc: Of two bytes
  long:
    doc: Long
    seq:
      - id: value
        type: u4
        doc: Of four bytes
      - id: more
        size: (_root.code + 1) * 2 - 1
        if: _root.code < 4
        doc: As many bytes as the code says
  deep:
    doc: By its parameters
    params:
      - id: kind_of_it
        type: u1
        doc: The code
      - id: bits
        type: u1
        doc: The flags
    seq:
      - id: body
        -lm-type: body
        type:
          switch-on: kind_of_it
          cases:
            1: short
            2: long
            3: ahead
            _: nothing
        doc: What is behind
  ahead:
    doc: Bytes of a length that is inside them
    seq:
      - id: lead
        size: own_length
        doc: The bytes
      - id: last
        type: u1
        if: bits_of_it & 4 == 4
        doc: With a flag
    instances:
      own_length:
        -lm-column: false
        pos: _io.pos + 1
        type: u1
        doc: The second byte
      bits_of_it:
        value: _root.flags
        doc: The flags
  nothing:
    doc: Nothing
    seq:
      - id: payload
        size-eos: true
        doc: As it is
