# generate: acme/acme_a.ksy:9:7: error: there is no spec acme/acme_z [/meta/imports/0]
# lint: acme/acme_a.ksy:9:7: error: there is no spec acme/acme_z [/meta/imports/0]
meta:
  id: acme_a
  title: Imports what is not there
  license: CC0-1.0
  ks-version: '0.11'
  imports:
    - /acme/acme_z
doc: One
doc-ref: None
seq:
  - {id: one, size: 2}
