meta:
  id: db2_log
  title: Db2 for LUW, log record
  application: IBM Db2 for Linux, UNIX and Windows
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /db2/db2_server
    - /db2/db2_sqlu_lsn
    - /db2/db2_datalink
    - /db2/db2_ddl
    - /db2/db2_dms
    - /db2/db2_dom
    - /db2/db2_lob
    - /db2/db2_long_field
    - /db2/db2_transaction
    - /db2/db2_utility
    - /db2/db2_xml
  endian:
    switch-on: byte_order
    cases:
      'db2_server::byte_order::little': le
      _: be
doc: |
  One record as db2ReadLog, db2ReadLogNoConn or sqlurlog returns it, without the prefix of the
  API.

  That all numbers stand in the byte order of the server is inferred. The header has one of three
  forms, which a compensation record makes longer. Behind it, records of type normal, redo, undo,
  compensation and information only begin with the byte that names the component they come from;
  function ids of different components overlap, so the component is asked first. That records of
  all other types belong to the transaction manager or to a utility, and have no such byte,
  follows from their tables.

  The set of types is taken as open: a record of a type or component that is not listed keeps its
  bytes.
doc-ref: 'IBM Db2 10.5, "Log record header", topic r0024864; 12.1, https://www.ibm.com/docs/en/db2/12.1?topic=records-log-record-header'
params:
  - id: generation
    type: u1
    enum: db2_server::generation
    doc: Form of the log record header
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
seq:
  - id: length
    -orig-id: Length of the entire log record
    -unit: bytes
    -lm-status: documented
    type: u4
    valid: _io.size
    doc: Length of the entire log record
    doc-ref: &v7 'IBM Db2 V7, Administrative API Reference, "Log Manager Log Record Header", https://public.dhe.ibm.com/ps/products/db2/info/vr7/html/db2b0/db2b0210.htm'
  - id: type
    -orig-id: Type of log record
    -lm-status: documented
    -lm-source: |
      From which version on is not stated; both are accepted in all generations. Of the later
      numbers the sample of IBM has 132 and 138; the others are from applications
    type: u2
    enum: log_record_type
    doc: 'Type of log record: an ASCII letter in versions 5 to 7, partly other numbers later'
    doc-ref: &types 'IBM Db2 V7, Administrative API Reference, "Log Manager Log Record Header", Table 95, log record types; IBM/db2-samples, c/utilrecov.c at version 11.5'
  - id: general_flag
    -orig-id: Log record general flag
    -lm-status: documented
    type: u2
    doc: Log record general flag; each bit is listed below
    doc-ref: &v10 'IBM Db2 10.5, "Log record header", topic r0024864; 12.1, https://www.ibm.com/docs/en/db2/12.1?topic=records-log-record-header'
  - id: chain
    -lm-status: documented
    -lm-type: body
    type:
      switch-on: generation
      cases:
        'db2_server::generation::v7': chain_v7
        'db2_server::generation::v9_7': chain_v97
        _: chain_v10
    doc: Transaction, and the records before this one in it
    doc-ref: *v10
  - id: body
    -lm-status: documented
    -lm-type: body
    size-eos: true
    type:
      switch-on: type
      cases:
        'log_record_type::normal': component_record
        'log_record_type::compensation': component_record
        'log_record_type::redo': component_record
        'log_record_type::undo': component_record
        'log_record_type::compensation_required': component_record
        'log_record_type::information_only': component_record
        'log_record_type::datalink': component_record
        'log_record_type::migration_begin': db2_utility(generation, byte_order, type)
        'log_record_type::migration_end': db2_utility(generation, byte_order, type)
        'log_record_type::load_start': db2_utility(generation, byte_order, type)
        'log_record_type::table_load_delete_start': db2_utility(generation, byte_order, type)
        'log_record_type::load_delete_start_compensation': db2_utility(generation, byte_order, type)
        'log_record_type::load_pending_list': db2_utility(generation, byte_order, type)
        'log_record_type::backup_start': db2_utility(generation, byte_order, type)
        'log_record_type::backup_end': db2_utility(generation, byte_order, type)
        'log_record_type::tablespace_rolled_forward': db2_utility(generation, byte_order, type)
        'log_record_type::rollforward_to_pit_starts': db2_utility(generation, byte_order, type)
        'log_record_type::rollforward_to_pit_begins': db2_utility(generation, byte_order, type)
        'log_record_type::rollforward_to_pit_ends': db2_utility(generation, byte_order, type)
        'log_record_type::table_quiesce': db2_utility(generation, byte_order, type)
        'log_record_type::normal_commit': db2_transaction(generation, byte_order, type)
        'log_record_type::commit': db2_transaction(generation, byte_order, type)
        'log_record_type::heuristic_commit_letter': db2_transaction(generation, byte_order, type)
        'log_record_type::heuristic_commit': db2_transaction(generation, byte_order, type)
        'log_record_type::mpp_subordinate_commit_letter': db2_transaction(generation, byte_order, type)
        'log_record_type::mpp_subordinate_commit': db2_transaction(generation, byte_order, type)
        'log_record_type::mpp_coordinator_commit_letter': db2_transaction(generation, byte_order, type)
        'log_record_type::mpp_coordinator_commit': db2_transaction(generation, byte_order, type)
        'log_record_type::local_pending_list_letter': db2_transaction(generation, byte_order, type)
        'log_record_type::local_pending_list': db2_transaction(generation, byte_order, type)
        'log_record_type::global_pending_list': db2_transaction(generation, byte_order, type)
        'log_record_type::normal_abort': db2_transaction(generation, byte_order, type)
        'log_record_type::heuristic_abort': db2_transaction(generation, byte_order, type)
        'log_record_type::partial_abort': db2_transaction(generation, byte_order, type)
        'log_record_type::backout_free': db2_transaction(generation, byte_order, type)
        'log_record_type::forget_transaction': db2_transaction(generation, byte_order, type)
        'log_record_type::lock_description': db2_transaction(generation, byte_order, type)
        'log_record_type::mpp_log_synchronization': db2_transaction(generation, byte_order, type)
        'log_record_type::tm_prepare_letter': db2_transaction(generation, byte_order, type)
        'log_record_type::tm_prepare': db2_transaction(generation, byte_order, type)
        'log_record_type::xa_prepare_letter': db2_transaction(generation, byte_order, type)
        'log_record_type::xa_prepare': db2_transaction(generation, byte_order, type)
        'log_record_type::mpp_prepare_letter': db2_transaction(generation, byte_order, type)
        'log_record_type::mpp_prepare': db2_transaction(generation, byte_order, type)
        'log_record_type::application_information': db2_transaction(generation, byte_order, type)
        _: unlisted
    doc: What the component, the transaction manager or the utility puts here
    doc-ref: &orig 'IBM Db2 V7, Administrative API Reference, "Data Manager Log Records", Table 96, "LOB Manager Log Records", Table 110; other components: applications of version 10.1 and later'
instances:
  kind:
    -lm-status: documented
    -lm-column: false
    value: type
    doc: What the record is, as far as its type says it
    doc-ref: *types
  is_redo_always:
    -lm-status: documented
    value: 'general_flag & 0x0001 != 0'
    doc: Redo always
    doc-ref: *v10
  is_propagatable:
    -lm-status: documented
    value: 'general_flag & 0x0002 != 0'
    doc: Propagatable
    doc-ref: *v10
  is_temporary_table:
    -lm-status: documented
    -lm-source: That the bit came with version 10.1 is inferred
    value: 'general_flag & 0x0004 != 0'
    doc: Temp table
    doc-ref: *v10
  is_rollforward_undo:
    -lm-status: documented
    value: 'general_flag & 0x0008 != 0'
    doc: Table space rollforward undo
    doc-ref: *v10
  is_singular:
    -lm-status: documented
    -lm-source: That the record is committed at once is inferred
    value: 'general_flag & 0x0010 != 0'
    doc: Singular transaction (no commit or rollback)
    doc-ref: *v10
  is_conditionally_recoverable:
    -lm-status: documented
    value: 'general_flag & 0x0080 != 0'
    doc: Conditionally recoverable
    doc-ref: *v10
  is_check_constraint_rollforward:
    -lm-status: documented
    value: 'general_flag & 0x0100 != 0'
    doc: Table space rollforward at check constraint process
    doc-ref: *v10
  is_runtime_rollback:
    -lm-status: documented
    value: 'general_flag & 0x0200 != 0'
    doc: Runtime rollback
    doc-ref: *v10
  is_pseudo_compensation:
    -lm-status: documented
    value: 'general_flag & 0x0800 != 0'
    doc: Pseudo compensation
    doc-ref: *v10
  is_compensation:
    -lm-status: documented
    -lm-column: false
    value: 'type == log_record_type::compensation'
    doc: Whether it is a compensation log record, whose header is longer
    doc-ref: *v10
  compensates_named:
    -lm-status: documented
    -lm-column: false
    -lm-source: That it is so from version 10.1 on, too, is inferred
    value: 'type == log_record_type::compensation and general_flag & 0x0002 != 0'
    doc: Whether the header also names the log record that is compensated
    doc-ref: *v7
types:
  chain_v7:
    doc: |
      Rest of the header, versions 5 to 7: 20, 26 or 32 bytes with the three fields before it. That
      versions 8.1 to 9.5 have the same is inferred.
    doc-ref: *v7
    seq:
      - id: previous_lsn
        -orig-id: Log Sequence Number of the previous log record written by this transaction
        -lm-status: documented
        type: db2_sqlu_lsn(_root.byte_order)
        doc: |
          Log sequence number of the previous log record written by this transaction; 0 in the
          first one
        doc-ref: *v7
      - id: transaction_id
        -orig-id: Unique transaction identifier
        -lm-status: documented
        size: 6
        doc: Unique transaction identifier (SQLU_TID)
        doc-ref: *v7
      - id: before_compensated_lsn
        -orig-id: Log Sequence Number of the log record for this transaction prior to the log record being compensated
        -lm-status: documented
        type: db2_sqlu_lsn(_root.byte_order)
        if: '_root.is_compensation or _root.type == log_record_type::backout_free'
        doc: |
          Log sequence number of the log record for this transaction prior to the one being
          compensated, in compensation and backout free log records
        doc-ref: *v7
      - id: compensated_lsn
        -orig-id: Log Sequence Number of the log record for this transaction being compensated
        -lm-status: documented
        type: db2_sqlu_lsn(_root.byte_order)
        if: _root.compensates_named
        doc: |
          Log sequence number of the log record for this transaction being compensated, in
          propagatable compensation log records
        doc-ref: *v7
  chain_v97:
    doc: |
      Rest of the header, version 9.7: 24, 32 or 40 bytes with the three fields before it
      (inferred)
    doc-ref: &v97 'IBM Db2 9.7: header sizes and places as its applications read them; printed lengths of records, 42, 46, 97, 100 and 102 bytes, add up only so'
    seq:
      - id: previous_lsn
        -lm-status: inferred
        -lm-type: lsn
        type: u8
        doc: Log sequence number of the previous record of the transaction, zero for its first
        doc-ref: *v97
      - id: transaction_id
        -lm-status: inferred
        size: 6
        doc: Transaction identifier (SQLU_TID)
        doc-ref: *v97
      - id: header_padding
        -lm-status: inferred
        size: 2
        doc: Aligns what follows; the manual does not show it
        doc-ref: *v97
      - id: before_compensated_lsn
        -lm-status: inferred
        -lm-type: lsn
        type: u8
        if: _root.is_compensation
        doc: Log sequence number of the record before the one that is compensated
        doc-ref: *v97
      - id: compensated_lsn
        -lm-status: inferred
        -lm-type: lsn
        type: u8
        if: _root.compensates_named
        doc: Log sequence number of the record that is compensated
        doc-ref: *v97
  chain_v10:
    doc: |
      Rest of the header, from version 10.1 on: 40, 56 or 64 bytes with the three fields before it
    doc-ref: *v10
    seq:
      - id: lsn
        -orig-id: Log sequence number (LSN) of the log record
        -lm-status: documented
        -lm-type: lsn
        type: u8
        doc: Log sequence number (LSN) of the log record
        doc-ref: *v10
      - id: lfs
        -orig-id: Log flush sequence (LFS) for this log record
        -lm-status: documented
        -lm-type: lsn
        type: u8
        doc: Log flush sequence (LFS) for this log record
        doc-ref: *v10
      - id: previous_lso
        -orig-id: Log sequence offset (LSO) of the previous log record in this transaction
        -lm-status: documented
        -lm-type: lsn
        -lm-source: That it is zero in the first one is inferred from version 7
        type: u8
        doc: Log sequence offset (LSO) of the previous log record in this transaction
        doc-ref: *v10
      - id: transaction_id
        -orig-id: Unique transaction identifier
        -lm-status: documented
        size: 6
        doc: Unique transaction identifier (SQLU_TID)
        doc-ref: *v10
      - id: log_stream_id
        -orig-id: Log stream ID
        -lm-status: documented
        type: u2
        doc: Log stream ID; not set in headers of 40 bytes
        doc-ref: *v10
      - id: before_compensated_log_stream_id
        -orig-id: Extra log stream ID of previous LSO for compensation log records
        -lm-status: documented
        type: u2
        if: _root.is_compensation
        doc: Extra log stream ID of the previous LSO, for compensation log records
        doc-ref: *v10
      - id: reserved
        -orig-id: Reserved
        -lm-status: documented
        size: 6
        if: _root.is_compensation
        doc: Reserved
        doc-ref: *v10
      - id: before_compensated_lso
        -orig-id: Extra LSO for compensation log records
        -lm-status: documented
        -lm-type: lsn
        -lm-source: |
          That it is that of the record before the compensated one is inferred from version 7
        type: u8
        if: _root.is_compensation
        doc: Extra LSO for compensation log records
        doc-ref: *v10
      - id: compensated_lso
        -orig-id: Extra LSO for propagatable compensation log records
        -lm-status: documented
        -lm-type: lsn
        -lm-source: That it is that of the compensated record is inferred from version 7
        type: u8
        if: _root.compensates_named
        doc: Extra LSO for propagatable compensation log records
        doc-ref: *v10
  component_record:
    doc: What a component wrote, by its first byte
    doc-ref: *orig
    seq:
      - id: body
        -lm-status: documented
        -lm-type: body
        type:
          switch-on: component
          cases:
            'db2_server::component::dms': dms_record
            'db2_server::component::long_field': db2_long_field(_root.generation, _root.byte_order)
            'db2_server::component::dom': db2_dom(_root.generation, _root.byte_order)
            'db2_server::component::lob': db2_lob(_root.generation, _root.byte_order)
            'db2_server::component::datalink': db2_datalink(_root.byte_order)
            'db2_server::component::relation': db2_ddl(_root.byte_order)
            'db2_server::component::csl': db2_xml(_root.byte_order)
            _: unlisted
        doc: The record of the component
        doc-ref: *orig
    instances:
      component:
        -lm-status: documented
        -lm-column: false
        pos: 0
        type: u1
        enum: db2_server::component
        if: '_io.size > 0'
        doc: Component identifier
        doc-ref: *orig
      kind:
        -lm-status: documented
        -lm-column: false
        value: component
        doc: What the record is, as far as its component says it
        doc-ref: *orig
  dms_record:
    doc: What the data manager wrote
    doc-ref: *orig
    seq:
      - id: body
        -lm-status: documented
        -lm-type: body
        type:
          switch-on: 'is_difference ? 1 : 0'
          cases:
            0: db2_dms(_root.generation, _root.byte_order)
            _: difference
        doc: The record, but that of an update without rows
        doc-ref: *orig
    instances:
      function_id:
        -lm-status: documented
        -lm-column: false
        pos: 1
        type: u1
        enum: db2_dms::function_id
        if: '_io.size > 1'
        doc: Function identifier
        doc-ref: *orig
      is_difference:
        -lm-status: inferred
        -lm-column: false
        value: 'not _root.is_propagatable and (function_id == db2_dms::function_id::update_record or function_id == db2_dms::function_id::update_record_v97)'
        doc: Whether it is an update of a table without DATA CAPTURE CHANGES
        doc-ref: *orig
  difference:
    doc: |
      An update of a table without DATA CAPTURE CHANGES, which is not for propagation: where the rows
      before and after differ, as no page describes it
    doc-ref: *orig
    seq:
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *orig
  unlisted:
    doc: A record of a type or component that no page describes
    doc-ref: *orig
    seq:
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *orig
enums:
  log_record_type:
    65:
      id: normal_abort
      doc: 'A: normal abort'
    66:
      id: backout_free
      doc: 'B: backout free'
    67:
      id: compensation
      doc: 'C: compensation'
    68:
      id: tablespace_rolled_forward
      doc: 'D: table space rolled forward'
    69:
      id: local_pending_list_letter
      doc: 'E: local pending list'
    70:
      id: forget_transaction
      doc: 'F: forget transaction'
    71:
      id: load_pending_list
      doc: 'G: load pending list'
    72:
      id: table_load_delete_start
      doc: 'H: table load delete start'
    73:
      id: heuristic_abort
      doc: 'I: heuristic abort'
    74:
      id: load_start
      doc: 'J: load start'
    75:
      id: load_delete_start_compensation
      doc: 'K: load delete start compensation'
    76:
      id: lock_description
      doc: 'L: lock description'
    77:
      id: normal_commit
      doc: 'M: normal commit'
    78:
      id: normal
      doc: 'N: normal'
    79:
      id: backup_end
      doc: 'O: backup end'
    80:
      id: table_quiesce
      doc: 'P: table quiesce'
    81:
      id: global_pending_list
      doc: 'Q: global pending list'
    82:
      id: redo
      doc: 'R: redo'
    83:
      id: compensation_required
      doc: 'S: compensation required'
    84:
      id: partial_abort
      doc: 'T: partial abort'
    85:
      id: undo
      doc: 'U: undo'
    86:
      id: migration_begin
      doc: 'V: migration begin'
    87:
      id: migration_end
      doc: 'W: migration end'
    88:
      id: tm_prepare_letter
      doc: 'X: TM prepare'
    89:
      id: heuristic_commit_letter
      doc: 'Y: heuristic commit'
    90:
      id: xa_prepare_letter
      doc: 'Z: XA prepare'
    97:
      id: datalink
      doc: 'a: datalink manager record, versions 6 and 7'
    99:
      id: mpp_coordinator_commit_letter
      doc: 'c: MPP coordinator commit'
    103:
      id: mpp_log_synchronization
      doc: 'g: MPP log synchronization'
    105:
      id: information_only
      doc: 'i: propagate only; ignored during roll forward, roll back and crash recovery'
    111:
      id: backup_start
      doc: 'o: backup start'
    112:
      id: rollforward_to_pit_starts
      doc: 'p: table space rollforward to point in time starts'
    113:
      id: rollforward_to_pit_ends
      doc: 'q: table space rollforward to point in time ends'
    115:
      id: mpp_subordinate_commit_letter
      doc: 's: MPP subordinate commit'
    122:
      id: mpp_prepare_letter
      doc: 'z: MPP prepare'
    123:
      id: mpp_prepare
      -lm-status: inferred
      doc: MPP prepare
    124:
      id: xa_prepare
      -lm-status: inferred
      doc: XA prepare
    125:
      id: tm_prepare
      -lm-status: inferred
      doc: TM prepare
    132:
      id: commit
      doc: Normal commit, in later versions
    133:
      id: mpp_subordinate_commit
      -lm-status: inferred
      doc: MPP subordinate commit
    134:
      id: mpp_coordinator_commit
      -lm-status: inferred
      doc: MPP coordinator commit
    135:
      id: heuristic_commit
      -lm-status: inferred
      doc: Heuristic commit
    137:
      id: rollforward_to_pit_begins
      -lm-status: inferred
      doc: Table space rollforward to point in time starts
    138:
      id: local_pending_list
      doc: Local pending list, in later versions
    139:
      id: application_information
      -lm-status: inferred
      doc: Application information
