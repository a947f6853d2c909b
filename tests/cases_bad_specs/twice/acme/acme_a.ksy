# generate: acme/acme_a.ksy:13:5: error: the key size occurs twice
# lint: acme/acme_a.ksy:13:5: error: the key size occurs twice
meta:
  id: acme_a
  title: A key that occurs twice, of which YAML would take the last
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
seq:
  - id: one
    size: 2
    size: 4
