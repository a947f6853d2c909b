meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
  bit-endian: be
doc: One reading of one meter
doc-ref: 'Meters, "Reading"'
seq:
  - {id: high, type: b12le}
  - {id: same, type: b4le}
  - {id: low, type: b12be}
  - {id: rest, type: b4}
