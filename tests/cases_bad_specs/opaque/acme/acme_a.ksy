# generate: acme/acme_a.ksy:2:80: error: ks-opaque-types is not taken: it makes other code than a parser of the spec [/meta/ks-opaque-types]
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be, ks-opaque-types: true}
doc: d
doc-ref: r
seq:
  - {id: one, type: antigravity, doc: d, doc-ref: r}
