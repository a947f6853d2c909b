# generate: acme/acme_a.ksy:18:5: error: there is no type acme_a::two; a path begins here, and each of its names is of one type [/seq/1/type]
# generate: acme/acme_a.ksy:21:44: error: there is no type acme_a::two::three; a path begins here, and each of its names is of one type [/seq/2/type/cases/2]
# generate: acme/acme_a.ksy:25:5: error: there is no type acme_a::two; a path begins here, and each of its names is of one type [/instances/ahead/type]
# lint: acme/acme_a.ksy:18:5: error: there is no type acme_a::two; a path begins here, and each of its names is of one type [/seq/1/type]
# lint: acme/acme_a.ksy:21:44: error: there is no type acme_a::two::three; a path begins here, and each of its names is of one type [/seq/2/type/cases/2]
# lint: acme/acme_a.ksy:25:5: error: there is no type acme_a::two; a path begins here, and each of its names is of one type [/instances/ahead/type]
meta:
  id: acme_a
  title: Types that are named through the id of the spec, which the compiler takes for the whole spec
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - {id: one, type: u1}
  - id: in_two
    type: acme_a::two
    if: one == 1
  - id: any
    type: {switch-on: one, cases: {1: two, 2: acme_a::two::three, 3: two::three}}
instances:
  ahead:
    pos: 4
    type: acme_a::two
    if: one == 2
types:
  two:
    doc: Two
    doc-ref: None
    seq: [{id: a, type: u1}]
    types: {three: {doc: Three, doc-ref: None, seq: [{id: b, type: u2}]}}
