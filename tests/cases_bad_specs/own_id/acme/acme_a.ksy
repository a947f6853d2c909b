# generate: acme/acme_a.ksy:15:5: error: the compiler takes acme_a for what is named here, acme_a.two: name it as it is from here, without the id of the spec [/seq/1/type]
# generate: acme/acme_a.ksy:18:5: error: the compiler takes acme_a for what is named here, acme_a.two.three: name it as it is from here, without the id of the spec [/seq/2/type]
# generate: acme/acme_a.ksy:22:5: error: the compiler takes acme_a for what is named here, acme_a.two: name it as it is from here, without the id of the spec [/instances/ahead/type]
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
