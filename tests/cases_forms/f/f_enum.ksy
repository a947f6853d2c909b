meta:
  id: f_enum
  title: A body by a code of an enumeration, with a default
  endian: be
seq:
  - id: code
    type: u1
    enum: code
    doc: What it is
  - id: body
    -lm-type: body
    size-eos: true
    type:
      switch-on: code
      cases:
        'code::named': named
        'code::numbers': numbers
        'code::pair': pair
        'code::checked': checked
        _: other
    doc: What is behind
instances:
  kind:
    value: code
    doc: What it is
types:
  named:
    doc: Text of a length that the record says
    seq:
      - id: name_length
        type: u1
        doc: Bytes
      - id: name
        -codec: ebcdic
        size: name_length
        doc: Text
      - id: note
        -codec: ebcdic
        size: 2
        if: not _io.eof
        doc: A shorter record ends before it
      - id: rest
        -lm-type: rest
        size-eos: true
        doc: More
  numbers:
    doc: Numbers
    seq:
      - id: low
        type: u2le
        doc: Least byte first
      - id: amount
        type: s4
        doc: With sign
      - id: large
        type: u8
        doc: Of 64 bits
      - id: name
        type: u1
        doc: A number here, a text elsewhere
      - id: surplus
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
  pair:
    doc: Two parts
    seq:
      - id: first
        type: part
        doc: One
      - id: second
        type: part
        valid:
          expr: _.length == first.length or _.length == 0
        doc: The other
  part:
    doc: A length, and as many bytes
    seq:
      - id: length
        type: u1
        valid:
          max: 9
        doc: Bytes
      - id: content
        size: length
        doc: The bytes
  checked:
    doc: What only some values are
    seq:
      - id: choice
        type: u1
        valid:
          any-of:
            - 1
            - 3
        doc: One or three
      - id: least
        type: u1
        valid:
          min: 1
        doc: Not zero
      - id: flagged
        type: u1
        if: least & 2 != 0 and choice != 3
        doc: Only with a flag
      - id: tail
        size-eos: true
        doc: More
  other:
    doc: Anything else
    seq:
      - id: payload
        size-eos: true
        doc: As it is
enums:
  code:
    1: named
    2: numbers
    3: pair
    4: checked
    5: other_word
