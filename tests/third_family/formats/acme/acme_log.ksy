meta:
  id: acme_log
  title: Acme teller log, one record a change
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: A log that nobody writes. It shows how a package of its own brings a family to lmparse.
doc-ref: 'A manual of our own, "Teller log"'
seq:
  - id: len_record
    -orig-id: LEN
    -unit: bytes
    -lm-status: documented
    type: u2
    valid:
      min: 25
      max: 25
    doc: Length of the record, these two bytes included
    doc-ref: &table 'A manual of our own, "Teller log", table'
  - id: operation
    -orig-id: OP
    -codec: ascii
    -lm-status: documented
    type: u1
    enum: operation
    doc: What happened to the row
    doc-ref: *table
  - id: row_table
    -orig-id: TABLE
    -lm-status: documented
    type: u1
    enum: row_table
    doc: Which table the row is of
    doc-ref: *table
  - id: transaction
    -orig-id: TXN
    -lm-status: documented
    type: u4
    doc: Number of the transaction
    doc-ref: *table
  - id: outcome
    -orig-id: OUTCOME
    -lm-status: documented
    type: u1
    enum: outcome
    doc: What became of the transaction
    doc-ref: *table
  - id: commit_time
    -orig-id: COMMITTIME
    -unit: seconds since 1970, UTC
    -lm-status: documented
    type: u4
    doc: When the transaction was committed; 0 if it was not
    doc-ref: *table
  - id: number
    -orig-id: NUMBER
    -lm-status: documented
    type: u4
    doc: Number of the account or of the branch
    doc-ref: *table
  - id: name
    -orig-id: NAME
    -codec: ascii
    -lm-status: documented
    size: 8
    doc: Owner of the account or city of the branch
    doc-ref: *table
enums:
  operation:
    0x49:
      id: insert
      doc: A row was inserted
    0x44:
      id: delete
      doc: A row was deleted
  outcome:
    0:
      id: open
      doc: It goes on
    1:
      id: committed
      doc: It was committed
    2:
      id: rolled_back
      doc: It was rolled back
  row_table:
    1:
      id: account
      doc: Accounts
    2:
      id: branch
      doc: Branches
