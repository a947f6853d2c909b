# generate: acme/acme_a.ksy:13:5: error: state has a code that is too large for u1 [/seq/0/enum]
meta:
  id: acme_a
  title: A code that does not fit into its field
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
    0xd6d8: working
