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
  - {id: high, type: u1}
  - {id: row, type: row}
  - {id: low, type: u1}
types:
  row:
    seq: [{id: first, type: u1}]
    instances:
      again: {pos: 0, type: u1, if: first > 3}
