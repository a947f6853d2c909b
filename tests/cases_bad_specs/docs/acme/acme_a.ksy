# generate: acme/acme_a.ksy:8:1: error: a doc may hold neither a backslash nor three quotes: it becomes a docstring [/doc]
# lint: acme/acme_a.ksy:8:1: error: a doc may hold neither a backslash nor three quotes: it becomes a docstring [/doc]
meta:
  id: acme_a
  title: A backslash in a doc
  license: CC0-1.0
  ks-version: '0.11'
doc: C:\Users
doc-ref: None
seq:
  - {id: one, size: 2}
