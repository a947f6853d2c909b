# generate: acme/acme_a.ksy:14:5: error: there is no type bcd_tz [/seq/1/type]
# lint: acme/acme_a.ksy:14:5: error: there is no type bcd_tz [/seq/1/type]
meta:
  id: acme_a
  title: A field of a type that does not exist
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - {id: one, type: u1}
  - id: two
    type: bcd_tz
