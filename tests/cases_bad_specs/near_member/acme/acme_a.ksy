# generate: acme/acme_a.ksy:18:9: error: the enumeration kind has no frst; did you mean first? [/seq/1/type/cases/kind::frst]
meta:
  id: acme_a
  title: A member of an enumeration whose name is misspelt
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - id: one
    type: u1
    enum: kind
  - id: two
    type:
      switch-on: one
      cases:
        kind::frst: inner
types:
  inner:
    seq:
      - {id: three, type: u1}
enums:
  kind:
    1:
      id: first
