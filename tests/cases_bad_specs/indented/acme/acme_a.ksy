# generate: acme/acme_a.ksy:13:4: error: expected <block end>, but found '<block mapping start>': this line is not indented as the lines that it belongs to
# lint: acme/acme_a.ksy:13:4: error: expected <block end>, but found '<block mapping start>': this line is not indented as the lines that it belongs to
meta:
  id: acme_a
  title: A line that is not indented as those before it
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - id: one
   type: u1
