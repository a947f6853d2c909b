meta:
  id: acme_reading
  title: Reading of a meter
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One reading of one meter
doc-ref: 'Meters, "Reading"'
seq:
  - {id: is_read, type: u1, enum: yes_no}
  - {id: is_paid, type: u1, enum: yes_no}
enums:
  yes_no:
    1: 'yes'
    0: 'no'
