meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One reading of one meter
doc-ref: 'Meters, "Reading"'
seq:
  - {id: code, type: u1, enum: kind}
  - id: body
    -lm-type: body
    size-eos: true
    type:
      switch-on: code
      cases:
        'kind::gas': gas
        'kind::power': power
types:
  gas:
    seq:
      - {id: volume, type: u4}
      - {id: shared, type: u2}
  power:
    seq:
      - {id: shared, type: u2}
      - {id: watts, type: u4}
enums:
  kind:
    1: gas
    2: power
