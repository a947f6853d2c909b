meta:
  id: db2_transaction
  title: Db2 for LUW, transaction manager records
  application: IBM Db2 for Linux, UNIX and Windows
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /db2/db2_server
    - /db2/db2_log
  endian:
    switch-on: byte_order
    cases:
      'db2_server::byte_order::little': le
      _: be
doc: |
  How a transaction ends. There is no component header: the type in the log record header says what it
  is, and offsets count from the end of that header.

  That a pending list takes the place of a commit record is inferred from the one of a load, of which
  the manual of version 5 says so. Version 9.7 is read as version 10.1 and later (inferred): real
  commits of 42 bytes add up only so. That versions 8.1 to 9.5 are as version 7 is inferred.
doc-ref: 'IBM Db2 11.5, "Transaction manager log records", https://www.ibm.com/docs/en/db2/11.5.x?topic=records-transaction-manager-log (offsets there count from the start of a header of 40 bytes)'
params:
  - id: generation
    type: u1
    enum: db2_server::generation
    doc: Form of the log record header
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
  - id: type
    type: u2
    enum: db2_log::log_record_type
    doc: Type in the log record header
seq:
  - id: body
    -lm-status: documented
    -lm-type: body
    type:
      switch-on: generation
      cases:
        'db2_server::generation::v7': of_v7
        _: of_v97
    doc: The record in the form of its generation
    doc-ref: &v10 'IBM Db2 11.5, "Transaction manager log records", https://www.ibm.com/docs/en/db2/11.5.x?topic=records-transaction-manager-log (offsets there count from the start of a header of 40 bytes)'
instances:
  kind:
    -lm-status: documented
    -lm-column: false
    value: type
    doc: What the record is
    doc-ref: 'IBM Db2 V7, Administrative API Reference, "Log Manager Log Record Header", Table 95, log record types; IBM/db2-samples, c/utilrecov.c at version 11.5'
types:
  of_v7:
    doc: Records of versions 5 to 9.5
    doc-ref: &v7 'IBM Db2 V7, Administrative API Reference, "Transaction Manager Log Records", https://public.dhe.ibm.com/ps/products/db2/info/vr7/html/db2b0/db2b0214.htm (offsets there count from the start of a header of 20 bytes)'
    seq:
      - id: body
        -lm-status: documented
        -lm-type: body
        type:
          switch-on: _root.type
          cases:
            'db2_log::log_record_type::normal_commit': commit
            'db2_log::log_record_type::commit': commit
            'db2_log::log_record_type::heuristic_commit_letter': commit
            'db2_log::log_record_type::heuristic_commit': commit
            'db2_log::log_record_type::mpp_coordinator_commit_letter': coordinator_commit
            'db2_log::log_record_type::mpp_coordinator_commit': coordinator_commit
            'db2_log::log_record_type::mpp_subordinate_commit_letter': subordinate_commit
            'db2_log::log_record_type::mpp_subordinate_commit': subordinate_commit
            'db2_log::log_record_type::local_pending_list_letter': pending_list
            'db2_log::log_record_type::local_pending_list': pending_list
            'db2_log::log_record_type::normal_abort': abort
            'db2_log::log_record_type::heuristic_abort': abort
            _: undocumented
        doc: The record
        doc-ref: *v7
  of_v97:
    doc: Records from version 9.7 on
    doc-ref: *v10
    seq:
      - id: body
        -lm-status: documented
        -lm-type: body
        type:
          switch-on: _root.type
          cases:
            'db2_log::log_record_type::normal_commit': commit_v97
            'db2_log::log_record_type::commit': commit_v97
            'db2_log::log_record_type::heuristic_commit_letter': commit_v97
            'db2_log::log_record_type::heuristic_commit': commit_v97
            'db2_log::log_record_type::mpp_coordinator_commit_letter': coordinator_commit_v97
            'db2_log::log_record_type::mpp_coordinator_commit': coordinator_commit_v97
            'db2_log::log_record_type::mpp_subordinate_commit_letter': subordinate_commit_v97
            'db2_log::log_record_type::mpp_subordinate_commit': subordinate_commit_v97
            'db2_log::log_record_type::local_pending_list_letter': pending_list_v97
            'db2_log::log_record_type::local_pending_list': pending_list_v97
            'db2_log::log_record_type::global_pending_list': global_pending_list_v97
            'db2_log::log_record_type::normal_abort': abort_v97
            'db2_log::log_record_type::heuristic_abort': abort_v97
            _: undocumented
        doc: The record
        doc-ref: *v10
  commit:
    doc: Normal and heuristic commit, until version 9.5
    doc-ref: *v7
    seq:
      - id: time_committed
        -orig-id: Time transaction committed
        -unit: seconds
        -lm-status: documented
        type: u4
        doc: |
          Time transaction committed, in seconds since January 01, 1970, in Coordinated Universal
          Time
        doc-ref: *v7
      - id: authid
        -orig-id: Authorization identifier of the application
        -codec: database
        -lm-status: documented
        size-eos: true
        doc: |
          Authorization identifier of the application, if the log record is marked as propagatable
        doc-ref: *v7
  commit_v97:
    doc: Normal and heuristic commit, from version 9.7 on
    doc-ref: *v10
    seq:
      - id: time_committed
        -orig-id: Time transaction committed
        -unit: seconds
        -lm-status: documented
        -lm-source: |
          Some servers are read as if these were two words, seconds and a fraction; whichever half
          can be a time is taken. Of version 9.7 the same place is inferred
        type: u8
        doc: |
          Time transaction committed, in seconds since January 01, 1970, in Coordinated Universal
          Time
        doc-ref: *v10
      - id: authid_len
        -orig-id: Authorization identifier length
        -unit: bytes
        -lm-status: documented
        type: u2
        if: not _io.eof
        doc: Authorization identifier length, if the log record is marked as propagatable
        doc-ref: *v10
      - id: authid
        -orig-id: Authorization identifier of the application
        -codec: database
        -lm-status: documented
        size: authid_len
        if: not _io.eof
        doc: |
          Authorization identifier of the application, if the log record is marked as propagatable
        doc-ref: *v10
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *v10
  coordinator_commit:
    doc: |
      Commit of the coordinator of a partitioned database, as in version 7. In versions 5 and 6 it
      has no time: the identifier is first. That such a record would not be told apart, but read
      with a wrong time, follows from their tables.
    doc-ref: *v7
    seq:
      - id: time_committed
        -orig-id: Time transaction committed
        -unit: seconds
        -lm-status: documented
        type: u4
        doc: |
          Time transaction committed, in seconds since January 01, 1970, in Coordinated Universal
          Time
        doc-ref: *v7
      - id: gxid
        -orig-id: MPP identifier of the transaction
        -lm-status: documented
        -lm-source: That it has a format id, the lengths of two parts, and the parts is inferred
        size: 20
        doc: MPP identifier of the transaction (SQLP_GXID)
        doc-ref: *v7
      - id: max_node_number
        -orig-id: Maximum node number
        -lm-status: documented
        type: u2
        doc: Maximum node number
        doc-ref: *v7
      - id: tnl
        -orig-id: TNL
        -lm-status: documented
        -lm-source: That it is a list of nodes, one bit each, is inferred
        size: max_node_number / 8 + 1
        doc: TNL, maximum node number / 8 + 1 bytes
        doc-ref: *v7
      - id: authid
        -orig-id: Authorization identifier of the application
        -codec: database
        -lm-status: documented
        size-eos: true
        doc: |
          Authorization identifier of the application, if the log record is marked as propagatable
        doc-ref: *v7
  coordinator_commit_v97:
    doc: |
      Commit of the coordinator of a partitioned database, from version 9.7 on; its places are
      inferred from the older form
    doc-ref: *v10
    seq:
      - id: time_committed
        -unit: seconds
        -lm-status: inferred
        type: u8
        doc: |
          When the transaction was committed, in seconds since 1970-01-01 00:00:00 UTC. Some
          servers are read as if these were two words, seconds and a fraction; whichever half can
          be a time is taken.
        doc-ref: *v10
      - id: gxid
        -lm-status: inferred
        size: 20
        doc: |
          SQLP_GXID: format id, lengths of the two parts, and the parts; inner places are not
          documented
        doc-ref: *v10
      - id: max_node_number
        -lm-status: inferred
        type: u2
        doc: Highest number of a node that takes part
        doc-ref: *v10
      - id: tnl
        -lm-status: inferred
        size: max_node_number / 8 + 1
        doc: Transaction node list, one bit a node
        doc-ref: *v10
      - id: authid_len
        -unit: bytes
        -lm-status: inferred
        type: u2
        if: not _io.eof
        doc: Length of the authorization id
        doc-ref: *v10
      - id: authid
        -codec: database
        -lm-status: inferred
        size: authid_len
        if: not _io.eof
        doc: Authorization id
        doc-ref: *v10
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *v10
  subordinate_commit:
    doc: |
      Commit of a subordinate of a partitioned database, until version 9.5; that it begins as the
      coordinator's of version 7 is inferred. In version 5 it has no time.
    doc-ref: *v7
    seq:
      - id: time_committed
        -unit: seconds
        -lm-status: inferred
        type: u4
        doc: 'When the transaction was committed, in seconds since 1970-01-01 00:00:00 UTC'
        doc-ref: *v7
      - id: gxid
        -lm-status: inferred
        size: 20
        doc: |
          SQLP_GXID: format id, lengths of the two parts, and the parts; inner places are not
          documented
        doc-ref: *v7
      - id: authid
        -codec: database
        -lm-status: inferred
        size-eos: true
        doc: Authorization id, only in records that are propagatable
        doc-ref: *v7
  subordinate_commit_v97:
    doc: |
      Commit of a subordinate of a partitioned database, from version 9.7 on; its places are
      inferred from the older form
    doc-ref: *v10
    seq:
      - id: time_committed
        -unit: seconds
        -lm-status: inferred
        type: u8
        doc: |
          When the transaction was committed, in seconds since 1970-01-01 00:00:00 UTC. Some
          servers are read as if these were two words, seconds and a fraction; whichever half can
          be a time is taken.
        doc-ref: *v10
      - id: gxid
        -lm-status: inferred
        size: 20
        doc: |
          SQLP_GXID: format id, lengths of the two parts, and the parts; inner places are not
          documented
        doc-ref: *v10
      - id: authid_len
        -unit: bytes
        -lm-status: inferred
        type: u2
        if: not _io.eof
        doc: Length of the authorization id
        doc-ref: *v10
      - id: authid
        -codec: database
        -lm-status: inferred
        size: authid_len
        if: not _io.eof
        doc: Authorization id
        doc-ref: *v10
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *v10
  pending_list:
    doc: Local pending list, until version 9.5; takes the place of the commit record (inferred)
    doc-ref: *v7
    seq:
      - id: time_committed
        -unit: seconds
        -lm-status: inferred
        type: u4
        doc: 'When the transaction was committed, in seconds since 1970-01-01 00:00:00 UTC'
        doc-ref: *v7
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Authorization id and entries of the list; where the one ends is not documented
        doc-ref: *v7
  pending_list_v97:
    doc: Local pending list, from version 9.7 on; takes the place of the commit record (inferred)
    doc-ref: *v10
    seq:
      - id: time_committed
        -unit: seconds
        -lm-status: inferred
        type: u8
        doc: |
          When the transaction was committed, in seconds since 1970-01-01 00:00:00 UTC. Some
          servers are read as if these were two words, seconds and a fraction; whichever half can
          be a time is taken.
        doc-ref: 'IBM/db2-samples, c/utilrecov.c at version 11.5, SimpleLogRecordDisplay'
      - id: authid_len
        -unit: bytes
        -lm-status: documented
        -lm-source: Of version 9.7 the same place is inferred
        type: u2
        doc: Length of the authorization id
        doc-ref: 'IBM/db2-samples, c/utilrecov.c at version 11.5, SimpleLogRecordDisplay'
      - id: authid
        -codec: database
        -lm-status: documented
        size: authid_len
        doc: Authorization id
        doc-ref: 'IBM/db2-samples, c/utilrecov.c at version 11.5, SimpleLogRecordDisplay'
      - id: entries
        -lm-status: unknown
        size-eos: true
        doc: Entries of the list
        doc-ref: *v10
  global_pending_list_v97:
    doc: |
      Global pending list, from version 9.7 on; its places are inferred from the local one, and it
      has no time
    doc-ref: *v10
    seq:
      - id: authid_len
        -unit: bytes
        -lm-status: inferred
        type: u2
        doc: Length of the authorization id
        doc-ref: *v10
      - id: authid
        -codec: database
        -lm-status: inferred
        size: authid_len
        doc: Authorization id
        doc-ref: *v10
      - id: entries
        -lm-status: unknown
        size-eos: true
        doc: Entries of the list
        doc-ref: *v10
  abort:
    doc: Normal and heuristic abort, until version 9.5
    doc-ref: *v7
    seq:
      - id: authid
        -codec: database
        -lm-status: inferred
        size-eos: true
        doc: Authorization id, only in records that are propagatable
        doc-ref: *v7
  abort_v97:
    doc: Normal and heuristic abort, from version 9.7 on
    doc-ref: *v10
    seq:
      - id: authid_len
        -unit: bytes
        -lm-status: documented
        type: u2
        if: not _io.eof
        doc: Length of the authorization id
        doc-ref: 'IBM/db2-samples, c/utilrecov.c at version 11.5, SimpleLogRecordDisplay'
      - id: authid
        -codec: database
        -lm-status: documented
        size: authid_len
        if: not _io.eof
        doc: Authorization id
        doc-ref: 'IBM/db2-samples, c/utilrecov.c at version 11.5, SimpleLogRecordDisplay'
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *v10
  undocumented:
    doc: Prepare, forget, lock description, application information and what else has only a name
    doc-ref: &none No page at hand gives the body of this record
    seq:
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *none
