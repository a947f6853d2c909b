# generate: acme/acme_a.ksy:16:35: error: Python has no encoding 'IBM1047' [/seq/1/encoding]
# generate: acme/acme_a.ksy:19:3: error: 'kaitai_struct' becomes the class KaitaiStruct, which means something else in the generated code [/types/kaitai_struct]
# generate: acme/acme_a.ksy:26:5: error: 'mro' means something else in the generated code [/enums/kind/1]
# lint: acme/acme_a.ksy:16:35: error: Python has no encoding 'IBM1047' [/seq/1/encoding]
# lint: acme/acme_a.ksy:19:3: error: 'kaitai_struct' becomes the class KaitaiStruct, which means something else in the generated code [/types/kaitai_struct]
# lint: acme/acme_a.ksy:26:5: error: 'mro' means something else in the generated code [/enums/kind/1]
meta:
  id: acme_a
  title: Names that mean something else, and an encoding of EBCDIC
  license: CC0-1.0
  ks-version: '0.11'
doc: One
doc-ref: None
seq:
  - {id: bytes, size: 2}
  - {id: two, size: 2, type: str, encoding: IBM1047}
  - {id: three, size: 2, type: str, encoding: cp1252}
types:
  kaitai_struct:
    doc: One
    doc-ref: None
    seq:
      - {id: one, size: 1}
enums:
  kind:
    1: mro
    2: value
