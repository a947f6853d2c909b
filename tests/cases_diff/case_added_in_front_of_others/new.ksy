meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One reading of one meter
doc-ref: 'Meters, "Reading"'
seq:
  - {id: code, type: u1}
  - id: part
    type:
      switch-on: code
      cases:
        1: gas
        2: power
  - {id: other, type: power}
  - {id: last, type: u2}
types:
  gas:
    seq:
      - {id: volume, type: u4}
  power:
    seq:
      - {id: watts, type: u2}
