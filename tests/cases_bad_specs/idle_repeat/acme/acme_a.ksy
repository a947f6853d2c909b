# generate: acme/acme_a.ksy:7:29: error: what is repeated takes no bytes, so it never ends [/seq/0/repeat]
# lint: acme/acme_a.ksy:7:29: error: what is repeated takes no bytes, so it never ends [/seq/0/repeat]
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
seq:
  - {id: many, type: empty, repeat: eos, doc: d, doc-ref: r}
types: {empty: {seq: [], doc: d, doc-ref: r}}
