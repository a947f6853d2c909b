# generate: acme/acme_a.ksy:14:24: error: there is no code page 'klingon' [/seq/0/-codec]
# generate: acme/acme_a.ksy:15:24: error: there is no code page 'ebcdci'; did you mean ebcdic? [/seq/1/-codec]
# lint: acme/acme_a.ksy:14:24: error: there is no code page 'klingon' [/seq/0/-codec]
# lint: acme/acme_a.ksy:15:24: error: there is no code page 'ebcdci'; did you mean ebcdic? [/seq/1/-codec]
meta:
  id: acme_a
  title: Code pages that are unknown, and one that Python lacks
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - {id: one, size: 4, -codec: klingon}
  - {id: two, size: 4, -codec: ebcdci}
  - {id: three, size: 4, -codec: cp1047}
