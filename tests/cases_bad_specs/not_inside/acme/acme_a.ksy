# generate: acme/acme_a.ksy:18:25: error: there is no enumeration two::kind; a path begins here, and each of its names is of one type [/seq/0/enum]
# generate: acme/acme_a.ksy:20:5: error: there is no type two::three; a path begins here, and each of its names is of one type [/seq/1/type]
# generate: acme/acme_a.ksy:22:49: error: there is no type acme_a::three::kind; a path begins here, and each of its names is of one type [/seq/2/type/cases/2]
# generate: acme/acme_a.ksy:35:32: error: there is no enumeration two::kind; a path begins here, and each of its names is of one type [/types/four/params/0/enum]
# lint: acme/acme_a.ksy:18:25: error: there is no enumeration two::kind; a path begins here, and each of its names is of one type [/seq/0/enum]
# lint: acme/acme_a.ksy:20:5: error: there is no type two::three; a path begins here, and each of its names is of one type [/seq/1/type]
# lint: acme/acme_a.ksy:22:49: error: there is no type acme_a::three::kind; a path begins here, and each of its names is of one type [/seq/2/type/cases/2]
# lint: acme/acme_a.ksy:35:32: error: there is no enumeration two::kind; a path begins here, and each of its names is of one type [/types/four/params/0/enum]
meta:
  id: acme_a
  title: Names through a type that has no such type or enumeration inside, which the compiler looks for outside
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - {id: one, type: u1, enum: two::kind}
  - id: in_two
    type: two::three
  - id: any
    type: {switch-on: one.to_i, cases: {1: two, 2: acme_a::three::kind}}
types:
  two:
    doc: Two
    doc-ref: None
    seq: [{id: a, type: u1}]
  three:
    doc: Three
    doc-ref: None
    seq: [{id: b, type: u2}]
  four:
    doc: Four
    doc-ref: None
    params: [{id: p, type: u1, enum: two::kind}]
    seq: [{id: c, type: u1}]
enums: {kind: {1: red}}
