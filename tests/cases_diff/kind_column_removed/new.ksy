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
  - id: part
    -lm-type: body
    type: {switch-on: number, cases: {1: gas}}
types:
  gas:
    doc: Gas
    doc-ref: 'Meters, "Gas"'
    seq:
      - {id: volume, type: u4}
