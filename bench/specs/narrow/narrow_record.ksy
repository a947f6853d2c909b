meta:
  id: narrow_record
  title: Narrow record, 65 bytes
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /common/common_lrsn10
    - /common/common_timestamp17
  endian: be
doc: |
  A ledger entry of few short fields: what a record costs that has next to nothing in it.
doc-ref: 'Invented for the benchmarks, see bench/README.md'
seq:
  - id: sequence
    type: u8
    doc: Number of the entry in its ledger
  - id: entered
    type: common_timestamp17
    doc: When it was entered; zero for a planned entry
  - id: position
    type: common_lrsn10
    doc: Place in the log
  - id: account
    -codec: ebcdic
    size: 12
    doc: Account number
  - id: branch
    type: u2
    doc: Branch that keeps the account
  - id: amount
    -unit: 0.01 of the currency
    type: s8
    doc: Amount of the entry
  - id: currency
    -codec: ebcdic
    size: 3
    doc: ISO 4217 letters
  - id: side
    -codec: ebcdic
    type: u1
    enum: side
    doc: Debit or credit
  - id: state
    -codec: ebcdic
    type: u1
    enum: state
    doc: What became of it
  - id: terminal
    type: u2
    doc: Terminal it came from
  - id: channel
    type: u1
    doc: Channel it came through
enums:
  side:
    0xc3:
      id: credit
      -orig-id: 'C'
      doc: Adds to the account
    0xc4:
      id: debit
      -orig-id: 'D'
      doc: Takes from the account
  state:
    0xd6:
      id: open
      -orig-id: 'O'
      doc: Not yet booked
    0xc2:
      id: booked
      -orig-id: 'B'
      doc: Booked
    0xd9:
      id: returned
      -orig-id: 'R'
      doc: Booked and taken back
