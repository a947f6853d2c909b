meta:
  id: db2_sqlu_lsn
  title: Db2 for LUW, log sequence number of 6 bytes (SQLU_LSN)
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
  Three half-words, the most significant first, each in the byte order of the server. The union in
  sqlutil.h declares the half-words; their order is inferred.
doc-ref: IBM Db2 V7, sqlutil.h, SQLU_LSN
-lm-type: lsn
params:
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
seq:
  - id: word0
    -lm-status: inferred
    type: u2
    doc: Most significant half-word
    doc-ref: IBM Db2 V7, sqlutil.h, SQLU_LSN
  - id: word1
    -lm-status: inferred
    type: u2
    doc: Middle half-word
    doc-ref: IBM Db2 V7, sqlutil.h, SQLU_LSN
  - id: word2
    -lm-status: inferred
    type: u2
    doc: Least significant half-word
    doc-ref: IBM Db2 V7, sqlutil.h, SQLU_LSN
instances:
  number:
    -lm-status: inferred
    value: word0 << 32 | word1 << 16 | word2
    doc: The log sequence number as one number
    doc-ref: IBM Db2 V7, sqlutil.h, SQLU_LSN
