# generate: acme/acme_a.ksy:21:9: error: a case is the name of a type [/seq/1/type/cases/2]
# generate: acme/acme_a.ksy:22:9: error: a case is the name of a type [/seq/1/type/cases/3]
# generate: acme/acme_a.ksy:24:28: error: ['u1'] is not a mapping of keys [/seq/2/type/cases]
# lint: acme/acme_a.ksy:21:9: error: a case is the name of a type [/seq/1/type/cases/2]
# lint: acme/acme_a.ksy:22:9: error: a case is the name of a type [/seq/1/type/cases/3]
# lint: acme/acme_a.ksy:24:28: error: ['u1'] is not a mapping of keys [/seq/2/type/cases]
meta:
  id: acme_a
  title: Cases that are not types
  license: CC0-1.0
doc: One
doc-ref: None
seq:
  - id: one
    type: u1
  - id: two
    type:
      switch-on: one
      cases:
        1: u1
        2: 4
        3: {switch-on: one, cases: {1: u1}}
  - id: three
    type: {switch-on: one, cases: [u1]}
