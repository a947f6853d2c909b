meta:
  id: db2_rid
  title: Db2 for LUW, row id of 6 bytes
  application: IBM Db2 for Linux, UNIX and Windows
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /db2/db2_server
  endian:
    switch-on: byte_order
    cases:
      'db2_server::byte_order::little': le
      _: be
doc: |
  A number of 48 bits in the byte order of the server: page, then slot in its two least significant
  bytes. Read as half-words in the order they stand. Shown with the most significant byte first, so
  that page and slot can be read off: 00000340000C is slot 12 of page 0x340.
doc-ref: 'IBM/db2-samples, c/utilrecov.c: RID of insert, delete and update records'
-lm-type: rid6
params:
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
seq:
  - id: word0
    -lm-status: inferred
    type: u2
    doc: Most significant half-word on a big-endian server, least significant on a little-endian one
    doc-ref: 'IBM/db2-samples, c/utilrecov.c: RID of insert, delete and update records'
  - id: word1
    -lm-status: inferred
    type: u2
    doc: Middle half-word
    doc-ref: 'IBM/db2-samples, c/utilrecov.c: RID of insert, delete and update records'
  - id: word2
    -lm-status: inferred
    type: u2
    doc: The other end of the number
    doc-ref: 'IBM/db2-samples, c/utilrecov.c: RID of insert, delete and update records'
