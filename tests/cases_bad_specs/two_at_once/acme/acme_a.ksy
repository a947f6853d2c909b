# generate: acme/acme_a.ksy:14:5: error: parsing expression 'one == == 3' failed on "== == 3" at position 1:5, expected end-of-input [/instances/is_one/value]
# generate: acme/acme_b.ksy:10:5: error: duplicate attribute ID 'one', previously defined at /seq/0 [/seq/1]
meta:
  id: acme_a
  title: A bad expression
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
seq:
  - {id: one, size: 2}
instances:
  is_one:
    value: one == == 3
