# generate: acme/acme_a.ksy:5:80: error: ks-opaque-types is not taken: it makes other code than a parser of the spec [/meta/ks-opaque-types]
# generate: acme/acme_a.ksy:9:15: error: there is no type antigravity [/seq/0/type]
# lint: acme/acme_a.ksy:5:80: error: ks-opaque-types is not taken: it makes other code than a parser of the spec [/meta/ks-opaque-types]
# lint: acme/acme_a.ksy:9:15: error: there is no type antigravity [/seq/0/type]
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be, ks-opaque-types: true}
doc: d
doc-ref: r
seq:
  - {id: one, type: antigravity, doc: d, doc-ref: r}
