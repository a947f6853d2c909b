# generate: acme/acme_a.ksy:9:29: error: what is repeated takes no bytes, so it never ends [/seq/0/repeat]
# lint: acme/acme_a.ksy:9:29: error: what is repeated takes no bytes, so it never ends [/seq/0/repeat]
# lint: acme/acme_a.ksy:10:26: error: doc comes after seq [/types/empty/doc]
# lint: acme/acme_a.ksy:10:34: error: doc-ref comes after seq [/types/empty/doc-ref]
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
seq:
  - {id: many, type: empty, repeat: eos, doc: d, doc-ref: r}
types: {empty: {seq: [], doc: d, doc-ref: r}}
