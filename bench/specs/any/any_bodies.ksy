meta:
  id: any_bodies
  title: One of four bodies, each with a calculated value and an enumeration
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: The tag decides which body a record has.
doc-ref: 'Invented for the benchmarks, see bench/README.md'
seq:
  - {id: tag, type: u1}
  - {id: time, type: u8}
  - id: content
    type: {switch-on: tag, cases: {1: login, 2: payment, 3: reading, _: other}}
types:
  login:
    seq: [{id: user, type: u4}, {id: way, type: u1, enum: ways}, {id: failures, type: u1}]
    instances: {is_bad: {value: failures > 3}}
  payment:
    seq: [{id: account, type: u8}, {id: cents, type: u4}, {id: currency, type: u1, enum: currencies}]
    instances: {units: {value: cents / 100}}
  reading:
    seq: [{id: sensor, type: u2}, {id: raw, type: u2}, {id: scale, type: u1, enum: scales}]
    instances: {celsius: {value: raw * 0.01 - 40}}
  other:
    seq: [{id: len_data, type: u1}, {id: data, size: len_data}, {id: why, type: u1, enum: ways}]
    instances: {size: {value: len_data + 11}}
enums:
  ways: {0: password, 1: card, 2: code}
  currencies: {0: eur, 1: usd, 2: gbp}
  scales: {0: celsius, 1: kelvin}
