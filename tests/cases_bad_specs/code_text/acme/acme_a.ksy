meta:
  id: acme_a
  title: A code that is not what its number means
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
seq:
  - id: state
    -codec: ebcdic
    type: u1
    enum: state
enums:
  state:
    0xd6:
      id: working
      -orig-id: 'X'
