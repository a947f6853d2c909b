# generate: acme/acme_a.ksy:13:5: error: the field n of first has the name of another column of the record [/seq/2]
# generate: acme/acme_a.ksy:13:5: error: the field pair_hi of first has the name of another column of the record [/seq/2]
# generate: acme/acme_a.ksy:14:5: error: the field y of second has the name of another column of the record [/seq/3]
# lint: acme/acme_a.ksy:13:5: error: the field n of first has the name of another column of the record [/seq/2]
# lint: acme/acme_a.ksy:13:5: error: the field pair_hi of first has the name of another column of the record [/seq/2]
# lint: acme/acme_a.ksy:14:5: error: the field y of second has the name of another column of the record [/seq/3]
meta: {id: acme_a, title: Columns of a body with names of others, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
seq:
  - {id: n, type: u1, doc: d}
  - {id: pair, type: halves, doc: d}
  - {id: first, -lm-type: body, type: {switch-on: n, cases: {1: one, _: two}}, doc: d}
  - {id: second, -lm-type: body, type: two, doc: d}
types:
  halves:
    doc: d
    doc-ref: r
    -lm-type: bytes
    seq:
      - {id: hi, type: u1, doc: d}
      - {id: lo, type: u1, doc: d}
  one:
    doc: d
    doc-ref: r
    seq:
      - {id: n, type: u2, doc: d}
      - {id: inner, -lm-type: body, type: three, doc: d}
  two:
    doc: d
    doc-ref: r
    seq:
      - {id: y, type: u1, doc: d}
  three:
    doc: d
    doc-ref: r
    seq:
      - {id: pair_hi, type: u1, doc: d}
