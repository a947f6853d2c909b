# generate: acme/acme_a.ksy:13:5: error: there is no type persn; did you mean person? [/seq/0/type]
# lint: acme/acme_a.ksy:13:5: error: there is no type persn; did you mean person? [/seq/0/type]
meta:
  id: acme_a
  title: A type whose name is misspelt
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - id: one
    type: persn
types:
  person:
    seq:
      - {id: two, type: u1}
