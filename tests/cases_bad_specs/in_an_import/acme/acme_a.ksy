# generate: acme/acme_a.ksy:8:13: error: it imports acme/acme_b, which is not built [/meta/imports/0]
# generate: acme/acme_b.ksy:9:5: error: 'size', 'size-eos' or 'terminator' must be specified [/seq/0]
meta:
  id: acme_a
  title: Imports a faulty spec
  license: CC0-1.0
  ks-version: '0.11'
  imports: [/acme/acme_b]
doc: One
doc-ref: None
seq:
  - {id: one, type: acme_b}
