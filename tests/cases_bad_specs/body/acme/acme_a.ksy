# generate: acme/acme_a.ksy:16:16: error: a body is a type with fields, not bytes [/seq/1/-lm-type]
# generate: acme/acme_a.ksy:17:18: error: a body is a type with fields, not u2 [/seq/2/-lm-type]
# generate: acme/acme_a.ksy:18:43: error: a body is the fields of one object, not a list [/seq/3/repeat]
# generate: acme/acme_a.ksy:19:16: error: a body is a type with fields, not u4 [/seq/4/-lm-type]
# generate: acme/acme_a.ksy:19:65: error: a body with a size needs a default case, `_`: the bytes of other kinds would be in no field [/seq/4/type/cases]
# lint: acme/acme_a.ksy:16:16: error: a body is a type with fields, not bytes [/seq/1/-lm-type]
# lint: acme/acme_a.ksy:17:18: error: a body is a type with fields, not u2 [/seq/2/-lm-type]
# lint: acme/acme_a.ksy:18:43: error: a body is the fields of one object, not a list [/seq/3/repeat]
# lint: acme/acme_a.ksy:19:16: error: a body is a type with fields, not u4 [/seq/4/-lm-type]
# lint: acme/acme_a.ksy:19:65: error: a body with a size needs a default case, `_`: the bytes of other kinds would be in no field [/seq/4/type/cases]
meta: {id: acme_a, title: Bodies that are none, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
seq:
  - {id: code, type: u1, doc: d}
  - {id: bare, -lm-type: body, size: 2, doc: d}
  - {id: number, -lm-type: body, type: u2, doc: d}
  - {id: many, -lm-type: body, type: one, repeat: expr, repeat-expr: 2, doc: d}
  - {id: lost, -lm-type: body, size: 4, type: {switch-on: code, cases: {1: one, 2: u4}}, doc: d}
  - {id: right, -lm-type: body, type: {switch-on: code, cases: {1: two}}, doc: d}
types:
  one:
    doc: d
    doc-ref: r
    seq:
      - {id: a, type: u2, doc: d}
  two:
    doc: d
    doc-ref: r
    seq:
      - {id: b, type: u2, doc: d}
