meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One reading of one meter
doc-ref: 'Meters, "Reading"'
seq:
  - {id: state, -codec: ebcdic, type: u1, enum: state}
enums:
  state:
    0xd6: {id: working, doc: It works}
    0xc6: {id: faulty, doc: It does not}
