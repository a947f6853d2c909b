# generate: acme/acme_a.ksy:15:5: error: unable to find type 'persn', searching from acme_a; did you mean person? [/seq/0/type]
# lint: acme/acme_a.ksy:15:5: error: there is no type persn [/seq/0/type]
# lint: acme/acme_a.ksy:17:3: error: doc is missing [/types/person]
# lint: acme/acme_a.ksy:17:3: error: doc-ref is missing [/types/person]
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
