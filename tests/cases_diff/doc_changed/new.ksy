meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: A reading
doc-ref: 'Meters, "Reading"'
seq:
  - {id: number, type: u2, doc: Number of the meter}
