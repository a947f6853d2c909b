# generate: acme/acme_a.ksy:10:13: error: it imports acme/acme_b, which is not built [/meta/imports/0]
# generate: acme/acme_b.ksy:9:15: error: there is no key sizzle in a field; did you mean size? [/seq/0/sizzle]
# lint: acme/acme_a.ksy:10:13: error: it imports acme/acme_b, which is not built [/meta/imports/0]
# lint: acme/acme_b.ksy:9:15: error: there is no key sizzle in a field; did you mean size? [/seq/0/sizzle]
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
