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
  One record as db2ReadLog, db2ReadLogNoConn or sqlurlog returns it, without the prefix of the API.

  All numbers stand in the byte order of the server. The header has one of three forms, which a
  compensation record makes longer. Behind it, records of type normal, redo, undo, compensation and
  information only begin with the byte that names the component they come from; function ids of
  different components overlap, so the component is asked first. Records of all other types belong to
  the transaction manager or to a utility and have no such byte.

  The set of types is open: a record of a type or component that is not listed keeps its bytes.
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
    -unit: bytes
    -lm-status: documented
    type: u4
    valid: _io.size
    doc: Length of the entire record, this header included
    doc-ref: &v7 'IBM Db2 V7, Administrative API Reference, "Log Manager Log Record Header", https://public.dhe.ibm.com/ps/products/db2/info/vr7/html/db2b0/db2b0210.htm'
  - id: type
    -lm-status: documented
    -lm-source: From which version on is not stated; both are accepted in all generations
    type: u2
    enum: log_record_type
    doc: Type of the record; until version 9.5 an ASCII letter, later partly numbers
    doc-ref: &types 'IBM Db2 V7, Log Manager Log Record Header, record types; newer values: IBM/db2-samples at version 11.5'
  - id: general_flag
    -lm-status: documented
    type: u2
    doc: Bits that say how recovery treats the record
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
    value: type
    doc: What the record is, as far as its type says it
  is_redo_always:
    value: 'general_flag & 0x0001 != 0'
    doc: Redo always
  is_propagatable:
    value: 'general_flag & 0x0002 != 0'
    doc: 'Propagatable: of a table with DATA CAPTURE CHANGES, or of interest to every reader'
  is_temporary_table:
    value: 'general_flag & 0x0004 != 0'
    doc: Of a temporary table, from version 10.1 on
  is_rollforward_undo:
    value: 'general_flag & 0x0008 != 0'
    doc: Table space rollforward undo
  is_singular:
    value: 'general_flag & 0x0010 != 0'
    doc: 'Singular transaction: no commit or abort record follows, the record is committed at once'
  is_conditionally_recoverable:
    value: 'general_flag & 0x0080 != 0'
    doc: Conditionally recoverable
  is_check_constraint_rollforward:
    value: 'general_flag & 0x0100 != 0'
    doc: Table space rollforward at check constraint process
  is_runtime_rollback:
    value: 'general_flag & 0x0200 != 0'
    doc: Runtime rollback
  is_pseudo_compensation:
    value: 'general_flag & 0x0800 != 0'
    doc: Pseudo compensation
  is_compensation:
    value: 'type == log_record_type::compensation'
    doc: Whether the header goes on with what a compensation record compensates
  compensates_named:
    value: 'type == log_record_type::compensation and general_flag & 0x0002 != 0'
    doc: Whether the header also names the record that is compensated
types:
  chain_v7:
    doc: 'Rest of the header, versions 5 to 9.5: 20, 26 or 32 bytes with the three fields before it'
    doc-ref: *v7
    seq:
      - id: previous_lsn
        -lm-status: documented
        type: db2_sqlu_lsn(_root.byte_order)
        doc: Log sequence number of the previous record of the transaction, zero for its first
        doc-ref: *v7
      - id: transaction_id
        -lm-status: documented
        size: 6
        doc: Transaction identifier (SQLU_TID)
        doc-ref: *v7
      - id: before_compensated_lsn
        -lm-status: documented
        type: db2_sqlu_lsn(_root.byte_order)
        if: '_root.is_compensation or _root.type == log_record_type::backout_free'
        doc: |
          Log sequence number of the record before the one that is compensated; versions 6 and 7
          give it for backout-free records too
        doc-ref: *v7
      - id: compensated_lsn
        -lm-status: documented
        type: db2_sqlu_lsn(_root.byte_order)
        if: _root.compensates_named
        doc: Log sequence number of the record that is compensated
        doc-ref: *v7
  chain_v97:
    doc: 'Rest of the header, version 9.7: 24, 32 or 40 bytes with the three fields before it'
    doc-ref: &v97 'IBM Db2 9.7: header sizes and places as its applications read them; printed lengths of records, 42, 46, 97, 100 and 102 bytes, add up only so'
    seq:
      - id: previous_lsn
        -lm-status: documented
        -lm-type: lsn
        type: u8
        doc: Log sequence number of the previous record of the transaction, zero for its first
        doc-ref: *v97
      - id: transaction_id
        -lm-status: documented
        size: 6
        doc: Transaction identifier (SQLU_TID)
        doc-ref: *v97
      - id: header_padding
        -lm-status: inferred
        size: 2
        doc: Aligns what follows; the manual does not show it
        doc-ref: *v97
      - id: before_compensated_lsn
        -lm-status: documented
        -lm-type: lsn
        type: u8
        if: _root.is_compensation
        doc: Log sequence number of the record before the one that is compensated
        doc-ref: *v97
      - id: compensated_lsn
        -lm-status: documented
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
        -lm-status: documented
        -lm-type: lsn
        type: u8
        doc: Log sequence number of this record
        doc-ref: *v10
      - id: lfs
        -lm-status: documented
        -lm-type: lsn
        type: u8
        doc: Log flush sequence of this record
        doc-ref: *v10
      - id: previous_lso
        -lm-status: documented
        -lm-type: lsn
        type: u8
        doc: Log sequence offset of the previous record of the transaction, zero for its first
        doc-ref: *v10
      - id: transaction_id
        -lm-status: documented
        size: 6
        doc: Transaction identifier (SQLU_TID)
        doc-ref: *v10
      - id: log_stream_id
        -lm-status: documented
        type: u2
        doc: Log stream that the record is of; not set in headers of 40 bytes
        doc-ref: *v10
      - id: before_compensated_log_stream_id
        -lm-status: documented
        type: u2
        if: _root.is_compensation
        doc: Log stream of the next offset
        doc-ref: *v10
      - id: reserved
        -lm-status: documented
        size: 6
        if: _root.is_compensation
        doc: Reserved
        doc-ref: *v10
      - id: before_compensated_lso
        -lm-status: inferred
        -lm-type: lsn
        type: u8
        if: _root.is_compensation
        doc: |
          Log sequence offset of the record before the one that is compensated; the page says
          extra LSO, the meaning is that of version 7
        doc-ref: *v10
      - id: compensated_lso
        -lm-status: inferred
        -lm-type: lsn
        type: u8
        if: _root.compensates_named
        doc: |
          Log sequence offset of the record that is compensated; the page says extra LSO, the
          meaning is that of version 7
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
            'component::dms': db2_dms(_root.generation, _root.byte_order)
            'component::long_field': db2_long_field(_root.generation, _root.byte_order)
            'component::dom': db2_dom(_root.generation, _root.byte_order)
            'component::lob': db2_lob(_root.generation, _root.byte_order)
            'component::datalink': db2_datalink(_root.byte_order)
            'component::relation': db2_ddl(_root.byte_order)
            'component::csl': db2_xml(_root.byte_order)
            _: unlisted
        doc: The record of the component
        doc-ref: *orig
    instances:
      component:
        -lm-type: peek
        pos: 0
        type: u1
        enum: component
        if: '_io.size > 0'
        doc: Component identifier
      kind:
        value: component
        doc: What the record is, as far as its component says it
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
  component:
    1:
      id: dms
      doc: Data manager services
    3:
      id: long_field
      doc: Long field manager
    4:
      id: dom
      doc: Data object manager
    5:
      id: lob
      doc: LOB manager
    6:
      id: storage
      doc: Storage manager; internal
    8:
      id: datalink
      doc: Datalink manager, versions 5.2 to 7
    11:
      id: relation
      doc: 'Relation manager: DDL statements'
    15:
      id: csl
      doc: 'CSL manager: XML documents'
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
      doc: 'E: local pending list, until version 9.5'
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
      doc: 'M: normal commit, until version 9.5'
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
      doc: 'X: TM prepare, until version 9.5'
    89:
      id: heuristic_commit_letter
      doc: 'Y: heuristic commit, until version 9.5'
    90:
      id: xa_prepare_letter
      doc: 'Z: XA prepare, until version 9.5'
    97:
      id: datalink
      doc: 'a: datalink manager record, versions 6 and 7'
    99:
      id: mpp_coordinator_commit_letter
      doc: 'c: MPP coordinator commit, until version 9.5'
    103:
      id: mpp_log_synchronization
      doc: 'g: MPP log synchronization'
    105:
      id: information_only
      doc: 'i: propagate only, ignored by recovery'
    111:
      id: backup_start
      doc: 'o: backup start'
    112:
      id: rollforward_to_pit_starts
      doc: 'p: table space rollforward to point in time starts, until version 9.5'
    113:
      id: rollforward_to_pit_ends
      doc: 'q: table space rollforward to point in time ends'
    115:
      id: mpp_subordinate_commit_letter
      doc: 's: MPP subordinate commit, until version 9.5'
    122:
      id: mpp_prepare_letter
      doc: 'z: MPP prepare, until version 9.5'
    123:
      id: mpp_prepare
      doc: MPP prepare
    124:
      id: xa_prepare
      doc: XA prepare
    125:
      id: tm_prepare
      doc: TM prepare
    132:
      id: commit
      doc: Normal commit
    133:
      id: mpp_subordinate_commit
      doc: MPP subordinate commit
    134:
      id: mpp_coordinator_commit
      doc: MPP coordinator commit
    135:
      id: heuristic_commit
      doc: Heuristic commit
    137:
      id: rollforward_to_pit_begins
      doc: Table space rollforward to point in time starts
    138:
      id: local_pending_list
      doc: Local pending list
    139:
      id: application_information
      doc: Application information, from version 10.1 on
