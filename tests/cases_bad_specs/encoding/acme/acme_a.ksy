# generate: acme/acme_a.ksy:7:35: error: 'utf-8"),open("./there","w"),("' is not the name of an encoding [/seq/0/encoding]
# lint: acme/acme_a.ksy:7:35: error: 'utf-8"),open("./there","w"),("' is not the name of an encoding [/seq/0/encoding]
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
seq:
  - {id: one, type: str, size: 1, encoding: 'utf-8"),open("./there","w"),("', doc: d, doc-ref: r}
