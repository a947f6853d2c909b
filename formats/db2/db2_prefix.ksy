meta:
  id: db2_prefix
  title: Db2 for LUW, what the log reading APIs put in front of each record
  application: IBM Db2 for Linux, UNIX and Windows
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /db2/db2_server
    - /db2/db2_sqlu_lsn
  endian:
    switch-on: byte_order
    cases:
      'db2_server::byte_order::little': le
      _: be
doc: |
  Which of the forms it is depends on the API, its version and its filter, and is named by the
  framing. There is no padding between records in the samples of IBM: behind the bytes that the
  record's own length counts, the next prefix begins.
doc-ref: 'IBM Db2 11.5, "db2ReadLog - Read log records", db2ReadLogFilterData, https://www.ibm.com/docs/en/db2/11.5?topic=apis-db2readlog-read-log-records'
params:
  - id: framing
    type: u1
    enum: framing
    doc: Form of the prefix
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
seq:
  - id: body
    -lm-status: documented
    -lm-type: body
    type:
      switch-on: framing
      cases:
        'framing::lsn6': lsn6
        'framing::lsn8': lsn8
        'framing::filter': filter
        'framing::filter97': filter97
        'framing::lris': lris
        _: bare
    doc: The prefix
    doc-ref: 'IBM Db2 11.5, "db2ReadLog - Read log records", db2ReadLogFilterData, https://www.ibm.com/docs/en/db2/11.5?topic=apis-db2readlog-read-log-records'
types:
  bare:
    doc: Nothing
    doc-ref: &noconn 'IBM/db2-samples, c/dblognoconnlogmerge.c and c/utilrecov.c: LSN in front of each record of db2ReadLogNoConn'
  lsn6:
    doc: Prefix of 6 bytes, versions 5 to 9.5
    doc-ref: &old IBM Db2 V7, Administrative API Reference, sqlurlog; SQLU_LSN in sqlutil.h
    seq:
      - id: lsn
        -lm-status: inferred
        type: db2_sqlu_lsn(_root.byte_order)
        doc: Log sequence number of the record that follows; no page says so for this API
        doc-ref: *old
  lsn8:
    doc: Prefix of 8 bytes, from version 9.7 on
    doc-ref: *noconn
    seq:
      - id: lsn
        -lm-status: documented
        -lm-type: lsn
        type: u8
        doc: Log sequence number of the record that follows
        doc-ref: *noconn
  filter:
    doc: Prefix of the filtered read from version 10.1 on
    doc-ref: &api 'IBM Db2 11.5, "db2ReadLog - Read log records", db2ReadLogFilterData, https://www.ibm.com/docs/en/db2/11.5?topic=apis-db2readlog-read-log-records'
    seq:
      - id: record_lri_type1
        -orig-id: recordLRIType1
        -lm-status: documented
        type: lri
        doc: 'Type 1 log record identifier: log flush sequence and log sequence number'
        doc-ref: *api
      - id: record_lri_type2
        -orig-id: recordLRIType2
        -lm-status: documented
        type: lri
        doc: 'Type 2 log record identifier: log stream and log sequence offset'
        doc-ref: *api
      - id: real_log_rec_len
        -orig-id: realLogRecLen
        -unit: bytes
        -lm-status: documented
        type: u4
        doc: Real (decompressed) length of the log record
        doc-ref: *api
      - id: sqlcode
        -orig-id: sqlcode
        -lm-status: documented
        type: s4
        doc: Result of row decompression; non-zero if a row could not be decompressed
        doc-ref: *api
  filter97:
    doc: Prefix of the filtered read of version 9.7
    doc-ref: &f97 'IBM/db2-samples, c/utilrecov.c: recordLSN, realLogRecLen and sqlcode of db2ReadLogFilterData before version 10.1'
    seq:
      - id: lsn
        -orig-id: recordLSN
        -lm-status: inferred
        -lm-type: lsn
        type: u8
        doc: |
          Log sequence number of the record that follows; its place is inferred from the
          declaration
        doc-ref: *f97
      - id: real_log_rec_len
        -orig-id: realLogRecLen
        -unit: bytes
        -lm-status: inferred
        type: u4
        doc: |
          Length of the record with its rows decompressed; its place is inferred from the
          declaration
        doc-ref: *f97
      - id: sqlcode
        -orig-id: sqlcode
        -lm-status: inferred
        type: s4
        doc: |
          Result of decompressing its rows; anything but zero means that they are still compressed
        doc-ref: *f97
  lris:
    doc: Prefix of the unconnected read from version 10.1 on
    doc-ref: &lris 'IBM/db2-samples, cpp/utilrecov.C: two db2LRI in front of each record of db2ReadLogNoConn'
    seq:
      - id: record_lri_type1
        -lm-status: inferred
        type: lri
        doc: 'Type 1 log record identifier: log flush sequence and log sequence number'
        doc-ref: *lris
      - id: record_lri_type2
        -lm-status: inferred
        type: lri
        doc: 'Type 2 log record identifier: log stream and log sequence offset'
        doc-ref: *lris
  lri:
    doc: Log record identifier (db2LRI)
    doc-ref: *api
    seq:
      - id: lri_type
        -orig-id: lriType
        -lm-status: documented
        type: u8
        doc: 1 or 2
        doc-ref: *api
      - id: part1
        -orig-id: part1
        -lm-status: documented
        type: u8
        doc: 'Type 1: log flush sequence. Type 2: log stream'
        doc-ref: *api
      - id: part2
        -orig-id: part2
        -lm-status: documented
        type: u8
        doc: 'Type 1: log sequence number. Type 2: log sequence offset'
        doc-ref: *api
enums:
  framing:
    0:
      id: bare
      -lm-status: inferred
      doc: Nothing in front of a record
    1:
      id: lsn6
      -lm-status: inferred
      doc: Log sequence number of 6 bytes
    2:
      id: lsn8
      -lm-status: documented
      doc: Log sequence number of 8 bytes
    3:
      id: filter
      -lm-status: documented
      doc: db2ReadLogFilterData from version 10.1 on, 56 bytes
    4:
      id: filter97
      -lm-status: inferred
      doc: db2ReadLogFilterData of version 9.7, 16 bytes
    5:
      id: lris
      -lm-status: inferred
      doc: Two log record identifiers, 48 bytes
