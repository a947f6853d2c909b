# generate: acme/acme_a.ksy:14:5: error: there is no len_txt in acme_a; did you mean len_text? [/seq/1/size]
meta:
  id: acme_a
  title: A field whose name is misspelt
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - id: len_text
    type: u1
  - id: text
    size: len_txt
