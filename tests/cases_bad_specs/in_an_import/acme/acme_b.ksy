meta:
  id: acme_b
  title: A key that does not exist
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
seq:
  - {id: one, sizzle: 4}
