# generate: acme/acme_a.ksy:8:35: error: 'utf-8"),open("./there","w"),("' is not the name of an encoding [/seq/0/encoding]
# lint: acme/acme_a.ksy:8:26: error: size comes after type [/seq/0/size]
# lint: acme/acme_a.ksy:8:35: error: 'utf-8"),open("./there","w"),("' is not the name of an encoding [/seq/0/encoding]
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
seq:
  - {id: one, type: str, size: 1, encoding: 'utf-8"),open("./there","w"),("', doc: d, doc-ref: r}
