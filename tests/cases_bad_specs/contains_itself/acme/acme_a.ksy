# generate: acme/acme_a.ksy:6:1: error: the type always contains itself: no record of it ends [/seq]
# lint: acme/acme_a.ksy:6:1: error: the type always contains itself: no record of it ends [/seq]
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
seq:
  - {id: one, type: acme_a, doc: d, doc-ref: r}
