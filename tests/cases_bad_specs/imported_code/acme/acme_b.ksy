meta:
  id: acme_b
  title: Codes
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
enums:
  state:
    0xd6:
      id: working
      -orig-id: 'X'
