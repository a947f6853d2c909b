meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  endian: le
doc: One reading of one meter
doc-ref: 'Meters, "Reading"'
seq:
  - {id: value, type: u4}
  - {id: reserved, size: 4}
  - {id: name, -codec: ebcdic, size: 8}
