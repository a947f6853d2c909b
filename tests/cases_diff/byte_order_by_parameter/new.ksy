meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  endian:
    switch-on: byte_order
    cases:
      1: le
      _: be
doc: One reading of one meter
doc-ref: 'Meters, "Reading"'
params:
  - {id: byte_order, type: u1}
seq:
  - {id: number, type: u2}
