# generate: acme/acme_a.ksy:14:5: error: there is no enumeration knd; did you mean kind? [/seq/0/enum]
# lint: acme/acme_a.ksy:14:5: error: there is no enumeration knd; did you mean kind? [/seq/0/enum]
meta:
  id: acme_a
  title: An enumeration whose name is misspelt
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - id: one
    type: u1
    enum: knd
enums:
  kind:
    1:
      id: first
