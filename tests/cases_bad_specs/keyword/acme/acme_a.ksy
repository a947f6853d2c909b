# generate: acme/acme_a.ksy:11:6: error: 'class' is a keyword of Python [/seq/0/id]
# lint: acme/acme_a.ksy:11:6: error: 'class' is a keyword of Python [/seq/0/id]
meta:
  id: acme_a
  title: A keyword of Python as an id
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
seq:
  - {id: class, size: 2}
