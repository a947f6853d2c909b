meta:
  id: db2_datalink
  title: Db2 for LUW, datalink manager log records
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
  Files are linked to and unlinked from DATALINK columns, versions 5.2 to 7. The page says that the
  header takes 6 bytes, but what follows begins at 4. Version 6 put a time stamp in front of the
  length of the stem name; that this length shows which form it is is inferred.
doc-ref: 'IBM Db2 V6, Administrative API Reference, "DATALINK Manager Log Records", https://public.dhe.ibm.com/ps/products/db2/info/vr6/htm/db2b0/db2b0216.htm'
params:
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
seq:
  - id: body
    -lm-status: documented
    -lm-type: body
    type:
      switch-on: kind
      cases:
        'function_id::link_file': link_file
        'function_id::unlink_file': unlink_file
        _: undocumented
    doc: The record
    doc-ref: &v6 'IBM Db2 V6, Administrative API Reference, "DATALINK Manager Log Records", https://public.dhe.ibm.com/ps/products/db2/info/vr6/htm/db2b0/db2b0216.htm'
instances:
  kind:
    -lm-status: documented
    -lm-column: false
    pos: 1
    type: u1
    enum: function_id
    doc: Function identifier
    doc-ref: *v6
types:
  header:
    doc: Datalink manager log record header (DLMLogRecordHeader)
    doc-ref: *v6
    seq:
      - id: component
        -orig-id: Component identifier (=8)
        -lm-status: documented
        type: u1
        enum: db2_server::component
        doc: Component identifier, 8
        doc-ref: *v6
      - id: function_id
        -orig-id: Function identifier
        -lm-status: documented
        type: u1
        enum: function_id
        doc: Function identifier
        doc-ref: 'IBM Db2 V6, Administrative API Reference, "DATALINK Manager Log Records"; its values: V5.2, API Reference, "DATALINK Manager Log Records"'
      - id: padding
        -orig-id: padding
        -lm-status: documented
        size: 2
        doc: Padding
        doc-ref: *v6
  link_file:
    doc: A file is linked
    doc-ref: *v6
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *v6
      - id: server_id
        -orig-id: ServerId
        -lm-status: documented
        type: s4
        doc: ServerId
        doc-ref: *v6
      - id: read_only
        -orig-id: ReadOnly
        -lm-status: documented
        type: s4
        doc: ReadOnly
        doc-ref: *v6
      - id: auth_id
        -orig-id: AuthId
        -codec: database
        -lm-status: documented
        size: 8
        doc: AuthId
        doc-ref: *v6
      - id: group_id
        -orig-id: GroupId
        -codec: database
        -lm-status: documented
        size: 17
        doc: GroupId
        doc-ref: *v6
      - id: padding2
        -orig-id: padding
        -lm-status: documented
        size: 1
        doc: Padding
        doc-ref: *v6
      - id: access_control
        -orig-id: AccessControl
        -lm-status: documented
        type: u2
        doc: AccessControl
        doc-ref: *v6
      - id: prefix_id
        -orig-id: PrefixId
        -lm-status: documented
        size: 9
        doc: PrefixId
        doc-ref: *v6
      - id: padding3
        -orig-id: padding
        -lm-status: documented
        size: 3
        doc: Padding
        doc-ref: *v6
      - id: recovery_id
        -orig-id: RecoveryId
        -lm-status: documented
        size: 7
        doc: RecoveryId
        doc-ref: *v6
      - id: padding4
        -orig-id: padding
        -lm-status: documented
        size: 1
        doc: Padding
        doc-ref: *v6
      - id: time_stamp
        -orig-id: Time stamp
        -lm-status: documented
        -lm-source: |
          That it is there when the length of the name fits is inferred; version 5.2 does not have
          it
        type: u4
        if: has_time_stamp
        doc: Time stamp
        doc-ref: *v6
      - id: stem_name_length
        -orig-id: StemNameLen
        -unit: bytes
        -lm-status: documented
        type: u4
        doc: StemNameLen, the length of the stem name
        doc-ref: *v6
      - id: stem_name
        -orig-id: StemName
        -codec: database
        -lm-status: documented
        size: stem_name_length
        doc: StemName
        doc-ref: *v6
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *v6
    instances:
      stem_name_length_v6:
        -lm-status: documented
        -lm-column: false
        pos: 64
        type: u4
        if: '_io.size >= 68'
        doc: StemNameLen where version 6 has it
        doc-ref: *v6
      has_time_stamp:
        -lm-status: inferred
        -lm-column: false
        value: '_io.size >= 68 and stem_name_length_v6 == _io.size - 68'
        doc: 'Whether the record has a time stamp, as in version 6: the length of the name shows it'
        doc-ref: *v6
  unlink_file:
    doc: A file is unlinked
    doc-ref: *v6
    seq:
      - id: header
        -orig-id: Log header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *v6
      - id: server_id
        -orig-id: ServerId
        -lm-status: documented
        type: s4
        doc: ServerId
        doc-ref: *v6
      - id: prefix_id
        -orig-id: PrefixId
        -lm-status: documented
        size: 9
        doc: PrefixId
        doc-ref: *v6
      - id: padding2
        -orig-id: padding
        -lm-status: documented
        size: 3
        doc: Padding
        doc-ref: *v6
      - id: recovery_id
        -orig-id: RecoveryId
        -lm-status: documented
        size: 7
        doc: RecoveryId
        doc-ref: *v6
      - id: padding3
        -orig-id: padding
        -lm-status: documented
        size: 1
        doc: Padding
        doc-ref: *v6
      - id: time_stamp
        -orig-id: Time stamp
        -lm-status: documented
        -lm-source: |
          That it is there when the length of the name fits is inferred; version 5.2 does not have
          it
        type: u4
        if: has_time_stamp
        doc: Time stamp
        doc-ref: *v6
      - id: stem_name_length
        -orig-id: StemNameLen
        -unit: bytes
        -lm-status: documented
        type: u4
        doc: StemNameLen, the length of the stem name
        doc-ref: *v6
      - id: stem_name
        -orig-id: StemName
        -codec: database
        -lm-status: documented
        size: stem_name_length
        doc: StemName
        doc-ref: *v6
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *v6
    instances:
      stem_name_length_v6:
        -lm-status: documented
        -lm-column: false
        pos: 32
        type: u4
        if: '_io.size >= 36'
        doc: StemNameLen where version 6 has it
        doc-ref: *v6
      has_time_stamp:
        -lm-status: inferred
        -lm-column: false
        value: '_io.size >= 36 and stem_name_length_v6 == _io.size - 36'
        doc: 'Whether the record has a time stamp, as in version 6: the length of the name shows it'
        doc-ref: *v6
  undocumented:
    doc: A record that has only a name
    doc-ref: &v5 'IBM Db2 V5.2, API Reference, "DATALINK Manager Log Records", https://www1.columbia.edu/sec/acis/db2/db2b0/db2b0201.htm'
    seq:
      - id: header
        -lm-status: documented
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *v6
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *v5
enums:
  function_id:
    33:
      id: link_file
      doc: Link file
    34:
      id: unlink_file
      doc: Unlink file
    35:
      id: delete_group
      doc: Delete group
    36:
      id: delete_pgroup
      doc: Delete pgroup
    37:
      id: dlfm_prepare
      doc: DLFM prepare
