# generate: acme/acme_a.ksy:14:5: error: state has a code that is too large for u1 [/seq/0/enum]
# lint: acme/acme_a.ksy:17:5: error: working is too large for u1 [/enums/state/55000]
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
