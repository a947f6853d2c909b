# generate: acme/acme_a.ksy:11:5: error: unable to use type 'u2' without default endianness; give endian: be or endian: le under meta [/seq/0/type]
meta:
  id: acme_a
  title: A number without byte order
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
seq:
  - id: one
    type: u2
