meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One reading of one meter
doc-ref: 'Meters, "Reading"'
seq:
  - {id: number, type: u2}
  - {id: place, type: point, size: 8}
  - {id: name, -codec: ebcdic, size: 8}
types:
  point:
    seq:
      - {id: x, type: u2}
      - {id: y, type: u2}
