meta:
  id: acme_b
  title: The same id twice
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
seq:
  - {id: one, size: 2}
  - {id: one, size: 2}
