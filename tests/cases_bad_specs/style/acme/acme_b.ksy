# An import of the other one.
meta:
  id: acme_b
  title: Sound
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
seq:
  - {id: one, size: 2}
