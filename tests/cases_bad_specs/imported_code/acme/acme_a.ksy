# lint: acme/acme_a.ksy:16:5: error: -orig-id is 'X', but the number means 'O' [/seq/0/enum]
# The codes are in acme_b, which does not know that they are letters.
meta:
  id: acme_a
  title: An imported code that is not what its number means
  license: CC0-1.0
  ks-version: '0.11'
  imports:
    - /acme/acme_b
doc: One
doc-ref: None
seq:
  - id: state
    -codec: ebcdic
    type: u1
    enum: acme_b::state
