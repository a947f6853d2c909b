# generate: acme/acme_a.ksy:4:3: error: the id is 'acme_b', but the file is named acme_a [/meta/id]
# lint: acme/acme_a.ksy:4:3: error: the id is 'acme_b', but the file is named acme_a [/meta/id]
meta:
  id: acme_b
  title: Named otherwise than its file
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
seq:
  - {id: one, size: 2}
