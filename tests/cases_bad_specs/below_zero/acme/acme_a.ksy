# generate: acme/acme_a.ksy:16:15: error: -4 is not a number of bytes: it is below zero [/seq/0/size]
# generate: acme/acme_a.ksy:17:39: error: -1 is not a number of repetitions: it is below zero [/seq/1/repeat-expr]
# generate: acme/acme_a.ksy:18:17: error: 2 * 1 - 3 is not a number of bytes: it is below zero [/seq/2/size]
# lint: acme/acme_a.ksy:16:15: error: -4 is not a number of bytes: it is below zero [/seq/0/size]
# lint: acme/acme_a.ksy:17:39: error: -1 is not a number of repetitions: it is below zero [/seq/1/repeat-expr]
# lint: acme/acme_a.ksy:18:17: error: 2 * 1 - 3 is not a number of bytes: it is below zero [/seq/2/size]
meta:
  id: acme_a
  title: Sizes and counts below zero
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - {id: one, size: -4}
  - {id: two, type: u1, repeat: expr, repeat-expr: -1}
  - {id: three, size: 2 * 1 - 3}
