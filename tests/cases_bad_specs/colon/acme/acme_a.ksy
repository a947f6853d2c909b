# generate: acme/acme_a.ksy:9:9: error: mapping values are not allowed here: quote a text that has a colon and a blank in it, or indent this line less
# lint: acme/acme_a.ksy:9:9: error: mapping values are not allowed here: quote a text that has a colon and a blank in it, or indent this line less
meta:
  id: acme_a
  title: A text with a colon in it, without quotes
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One: of two
doc-ref: None
seq:
  - {id: one, type: u1}
