meta:
  id: bmc_lldf
  title: Log Master logical log, data change record (LLDF)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /common/common_lrsn10
    - /common/common_rba10
    - /common/common_rid
    - /common/common_timestamp17
  endian: be
doc: |
  One change in the data file of a logical log, without its record descriptor word. The header
  says which table was changed, when, and what became of it; DATA holds the row images.

  The table is the one of release 11.1 and later. DATA starts at `length`. That a shorter header
  ends before the last two fields, and that a longer one has more behind them, is inferred. When
  the control file holds XHDF records they describe the header of its data file, and this table is
  the check. That text and code fields are EBCDIC, and that the sets of codes are open, so that a
  value that is not listed is data, is inferred.
doc-ref: 'BMC AMI Log Master for Db2, "Logical log data file", table "Data change record (LLDF)", https://docs.bmc.com/docs/logmasterfordb2/121/logical-log-data-file-857523064.html'
seq:
  - id: length
    -orig-id: LENGTH
    -unit: bytes
    -lm-status: documented
    -lm-valid-status: inferred
    -lm-source: |
      The least length is that of a header that ends before SQLRIRBA; the manual states none. That
      DATA starts here follows from the table, where DATA is behind the header
    type: u2
    valid:
      min: 277
      max: _io.size
    doc: |
      Length of the header. It can change in different versions of the product; the page says to
      take it from here.
    doc-ref: &table 'BMC AMI Log Master for Db2, "Logical log data file", table "Data change record (LLDF)"'
  - id: system_id
    -orig-id: SYSTEMID
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: Originating Db2 system
    doc-ref: *table
  - id: dbid
    -orig-id: DBID
    -lm-status: documented
    type: u2
    doc: Database id of the object that the record is for
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -lm-status: documented
    type: u2
    doc: Table space id of the object that the record is for
    doc-ref: *table
  - id: tbobid
    -orig-id: TBOBID
    -lm-status: documented
    type: u2
    doc: Object id (OBID) of the table
    doc-ref: *table
  - id: tbowner_len
    -orig-id: TBOWNERLEN
    -unit: bytes
    -lm-status: documented
    -lm-source: |
      That it is the length of the full name, not of the 8 bytes, follows from the description of
      TABLEOWNER
    type: u2
    doc: Length of TABLEOWNER; above 8, `table_owner` holds only the first 8 bytes of the owner name
    doc-ref: *table
  - id: tbname_len
    -orig-id: TBNAMELEN
    -unit: bytes
    -lm-status: documented
    -lm-source: |
      That it is the length of the full name, not of the 18 bytes, follows from the description of
      TABLENAME
    type: u2
    doc: Length of TABLENAME; above 18, `table_name` holds a unique, shortened version of the name
    doc-ref: *table
  - id: dbname
    -orig-id: DBNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Database name
    doc-ref: *table
  - id: tsname
    -orig-id: TSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Table space name
    doc-ref: *table
  - id: table_owner
    -orig-id: TABLEOWNER
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: |
      Owner ID for the table, or the first 8 bytes of the name, as SHORTOWNER of the DTBI record
      has it: see `tbowner_len`
    doc-ref: *table
  - id: table_name
    -orig-id: TABLENAME
    -codec: ebcdic
    -lm-status: documented
    size: 18
    doc: |
      Table name, or the unique, shortened version of it that SHORTNAME of the DTBI record has:
      see `tbname_len`
    doc-ref: *table
  - id: partnum
    -orig-id: PARTNUM
    -lm-status: documented
    -lm-source: |
      The page adds "if table space"; that it means a table space with partitions, and that the
      number is zero for others, is inferred
    type: u2
    doc: Partition number
    doc-ref: *table
  - id: timestamp
    -orig-id: TIMESTAMP
    -lm-status: documented
    type: common_timestamp17
    doc: Timestamp for this log record. The page names no time zone.
    doc-ref: *table
  - id: log_lrsn
    -orig-id: LOGLRSN
    -lm-status: documented
    -lm-source: That it equals the RBA outside data sharing is inferred
    type: common_lrsn10
    doc: LRSN for this update
    doc-ref: *table
  - id: log_rba
    -orig-id: LOGRBA
    -lm-status: documented
    -lm-source: That it is an address in the log of one member is inferred
    type: common_rba10
    doc: RBA for this update
    doc-ref: *table
  - id: member_id
    -orig-id: MEMBERID
    -lm-status: documented
    -lm-source: That an LRSN is no clock value when this is zero is inferred
    type: u2
    doc: Data sharing member ID, zero if not data sharing
    doc-ref: *table
  - id: rid
    -orig-id: RID
    -lm-status: documented
    type: common_rid
    doc: |
      Row ID: page and row number. `page_num_fmt` says whether the page number contains the
      partition number.
    doc-ref: *table
  - id: change_type
    -orig-id: CHANGE TYPE
    -codec: ebcdic
    -lm-status: documented
    type: u2
    enum: change_type
    doc: Type of update. What DATA contains depends on it.
    doc-ref: *table
  - id: sql_type
    -orig-id: SQLTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: sql_type
    doc: Undo, redo or other
    doc-ref: *table
  - id: log_rec_disp
    -orig-id: LOGRECDISP
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: log_rec_disp
    doc: Disposition of the log record, as opposed to that of its unit of recovery
    doc-ref: *table
  - id: sql_src_type
    -orig-id: SQLSRCTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: sql_src_type
    doc: 'What generated the record: an RI constraint, trigger activity, both, or history activity'
    doc-ref: *table
  - id: log_bytes
    -orig-id: LOGBYTES
    -unit: bytes
    -lm-status: documented
    type: u4
    doc: Number of bytes contained in the Db2 log records for this transaction
    doc-ref: *table
  - id: log_delta
    -orig-id: LOGDELTA
    -unit: bytes
    -lm-status: documented
    -lm-source: |
      Which of the two it is is not stated; that DATA CHANGES, as the page calls it in the second
      place, is DATA CAPTURE CHANGES is inferred
    type: u2
    doc: |
      Log bytes that would have been saved had DATA CAPTURE CHANGES been off, or the additional
      bytes that would have been logged had DATA CHANGES been on
    doc-ref: *table
  - id: anomaly_row_id
    -orig-id: ANOMALYROWID
    -lm-status: documented
    type: u1
    doc: Anomaly anchor ID from the RID
    doc-ref: *table
  - id: anomaly_type
    -orig-id: ANOMALYTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: anomaly_type
    doc: Why this record is in the logical log. The page lists only N.
    doc-ref: *table
  - id: anomaly_rba
    -orig-id: ANOMALYRBA
    -lm-status: documented
    type: common_rba10
    doc: RBA or LRSN of the anomaly anchor point
    doc-ref: *table
  - id: uor_timestamp
    -orig-id: UORTIMESTAMP
    -lm-status: documented
    -lm-source: That it is the time at which it began is inferred
    type: common_timestamp17
    doc: Timestamp for this unit of recovery
    doc-ref: *table
  - id: uor_commit_timestamp
    -orig-id: UORCOMMITTIMESTAMP
    -lm-status: documented
    -lm-source: That it is all zero while there is none is inferred
    type: common_timestamp17
    doc: Timestamp value for the commit record for this unit of recovery
    doc-ref: *table
  - id: uor_disp
    -orig-id: UORDISP
    -codec: ebcdic
    -lm-status: documented
    -lm-source: That any other value means that its end is not in the log is inferred
    type: u1
    enum: uor_disp
    doc: Disposition of the unit of recovery
    doc-ref: *table
  - id: uor_id_lrsn
    -orig-id: UORIDLRSN
    -lm-status: documented
    -lm-source: That this is the record that began it is inferred
    type: common_lrsn10
    doc: LRSN of the unit of recovery record
    doc-ref: *table
  - id: uor_id
    -orig-id: UORID
    -lm-status: documented
    -lm-source: |
      That this is the record that began it, and that the address names the unit inside its
      member, is inferred
    type: common_rba10
    doc: RBA of the unit of recovery record
    doc-ref: *table
  - id: seg_len
    -orig-id: SEGLEN
    -unit: bytes
    -lm-status: documented
    -lm-source: |
      Whether header and descriptor count is not stated, so nothing is cut by it where the
      framing knows the length
    type: u2
    doc: Length of the segment
    doc-ref: *table
  - id: total_segs
    -orig-id: TOTALSEGS
    -lm-status: documented
    type: u2
    doc: Total number of segments; above 1, the change takes up more than one segment
    doc-ref: 'BMC AMI Log Master for Db2, "Logical log data file", table "Data change record (LLDF)"; "Normal and segmented logical log record formats"'
  - id: seg_num
    -orig-id: SEGNUM
    -lm-status: documented
    -lm-source: The base is not stated; 0 and 1 are both accepted as the first
    type: u2
    doc: Sequence number of the current segment
    doc-ref: *table
  - id: reserved
    -lm-status: documented
    -lm-source: The text of the page speaks of ORDERVALUE, a sort key that the table does not list
    size: 4
    doc: Reserved
    doc-ref: *table
  - id: uor_commit_lrsn
    -orig-id: UORCOMMITLRSN
    -lm-status: documented
    type: common_lrsn10
    doc: |
      LRSN of the commit record for this unit of recovery. The page names it as a sort key for the
      original order of units of recovery.
    doc-ref: *table
  - id: uor_commit_point
    -orig-id: UORCOMMITPOINT
    -lm-status: documented
    type: common_rba10
    doc: RBA of the commit record for this unit of recovery
    doc-ref: *table
  - id: connection_type
    -orig-id: CONNECTIONTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 2
    doc: Type of connection
    doc-ref: *table
  - id: connect_id
    -orig-id: CONNECTID
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Connection ID
    doc-ref: *table
  - id: correlation_id
    -orig-id: CORRELATIONID
    -codec: ebcdic
    -lm-status: documented
    size: 12
    doc: Correlation ID
    doc-ref: *table
  - id: auth_id
    -orig-id: AUTHID
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Authorization ID
    doc-ref: *table
  - id: plan
    -orig-id: PLAN
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Plan name
    doc-ref: *table
  - id: luw_network_id
    -orig-id: LUWNETWORKID
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Logical unit of work (LUW) network ID
    doc-ref: *table
  - id: luw_name
    -orig-id: LUWNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: LUW name
    doc-ref: *table
  - id: luw_instance_no
    -orig-id: LUWINSTANCENO
    -lm-status: documented
    size: 6
    doc: LUW instance number
    doc-ref: *table
  - id: luw_sequence_no
    -orig-id: LUWSEQUENCENO
    -lm-status: documented
    type: u2
    doc: LUW commit sequence number
    doc-ref: *table
  - id: incomplete_trans
    -orig-id: INCOMPLETETRANS
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: incomplete_trans
    doc: |
      Y: part of a transaction (URID) that contains at least one log record that Log Master cannot
      complete
    doc-ref: *table
  - id: incomplete_dep
    -orig-id: INCOMPLETEDEP
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: incomplete_dep
    doc: |
      Y: part of a transaction (URID) that might depend on another URID that contains at least one
      record that Log Master cannot complete
    doc-ref: *table
  - id: uor_has_comp
    -orig-id: UORHASCOMP
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    doc: Whether the transaction (URID) contains compensation log records
    doc-ref: *table
  - id: sql_ri_rba
    -orig-id: SQLRIRBA
    -lm-status: documented
    -lm-source: That older headers end before it is inferred
    type: common_rba10
    if: _io.pos < length
    doc: Used for sort key for SQL sort
    doc-ref: *table
  - id: page_num_fmt
    -orig-id: PAGENUMFMT
    -codec: ebcdic
    -lm-status: documented
    -lm-source: That older headers end before it is inferred
    type: u1
    enum: page_num_fmt
    if: _io.pos < length
    doc: |
      Whether the page number in `rid` contains the partition number. `partnum` contains it in
      both cases.
    doc-ref: *table
  - id: header_rest
    -lm-status: inferred
    -lm-type: rest
    size: length - _io.pos
    doc: What a later release put behind the header known here; kept as it is
    doc-ref: *table
  - id: data
    -orig-id: DATA
    -lm-status: documented
    -lm-source: |
      How a record is cut into segments is not stated; that each has the whole header and a piece
      of DATA, so that one piece is here, is inferred
    size-eos: true
    doc: Row images or names, as `change_type` says; bmc_lldf_data describes them
    doc-ref: *table
enums:
  change_type:
    0xe4c2:
      id: update
      -orig-id: 'UB'
      doc: 'Update: the row before, then the row after'
    0xc940:
      id: insert
      -orig-id: 'I'
      doc: 'Insert: the row after'
    0xc440:
      id: delete
      -orig-id: 'D'
      doc: 'Delete: the row before'
    0xc4d4:
      id: mass_delete
      -orig-id: 'DM'
      doc: |
        Mass delete; data segments, where there are any, define the limit key values of a
        partition
    0xc4e3:
      id: truncate
      -orig-id: 'DT'
      doc: Truncate
    0xc4d9:
      id: truncate_reuse
      -orig-id: 'DR'
      doc: Truncate with reuse option
    0xc9d3:
      id: load_insert
      -orig-id: 'IL'
      doc: Insert due to load action
    0xc3d6:
      id: catalog_object
      -orig-id: 'CO'
      doc: Catalog object (DDL information)
    0xc540:
      id: exchange
      -orig-id: 'E'
      doc: Exchange; DATA names the clone table
    0xc3d4:
      id: command
      -orig-id: 'CM'
      doc: Db2 command
    0xe2c3:
      id: status_change
      -orig-id: 'SC'
      doc: Status change
  sql_type:
    0xe4:
      id: undo
      -orig-id: 'U'
      doc: UNDO
    0xd9:
      id: redo
      -orig-id: 'R'
      doc: REDO
    0x40:
      id: other
      -orig-id: ' '
      doc: Other
  log_rec_disp:
    0xc3:
      id: committed
      -orig-id: 'C'
      doc: Record was committed
    0xc1:
      id: aborted
      -orig-id: 'A'
      doc: Record was aborted (included in a ROLLBACK action)
    0xe2:
      id: savepoint
      -orig-id: 'S'
      doc: Record was included in a ROLLBACK TO SAVEPOINT action
    0xd6:
      id: reversed
      -orig-id: 'O'
      doc: Record was reversed by Db2, for example in response to some negative SQL codes
  sql_src_type:
    0xd9:
      id: ri_constraint
      -orig-id: 'R'
      doc: Generated by an RI constraint
    0xe3:
      id: trigger
      -orig-id: 'T'
      doc: Generated by trigger activity
    0xc2:
      id: ri_and_trigger
      -orig-id: 'B'
      doc: Generated by both an RI constraint and trigger activity; RI takes precedence
    0xc8:
      id: history
      -orig-id: 'H'
      doc: Generated by history activity on a system-maintained temporal table
  anomaly_type:
    0xd5:
      id: normal
      -orig-id: 'N'
      doc: Normal record, selected by the filter
  uor_disp:
    0xc3:
      id: committed
      -orig-id: 'C'
      doc: Committed
    0xc1:
      id: aborted
      -orig-id: 'A'
      doc: Aborted
  incomplete_trans:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
      doc: Part of a transaction with at least one log record that Log Master cannot complete
    0xd5:
      id: 'no'
      -orig-id: 'N'
      -lm-status: inferred
      doc: The opposite of Y, which is the only value in the manual
  incomplete_dep:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
      doc: Part of a transaction that might depend on one with such a record
    0xd5:
      id: 'no'
      -orig-id: 'N'
      -lm-status: inferred
      doc: The opposite of Y, which is the only value in the manual
  yes_no:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
      doc: Part of a transaction that contains at least one compensation log record
    0xd5:
      id: 'no'
      -orig-id: 'N'
      doc: Part of a transaction that contains no compensation log records
  page_num_fmt:
    0xc1:
      id: absolute
      -orig-id: 'A'
      doc: |
        Table space with PAGENUM ABSOLUTE: the page number contains the embedded partition number
    0xd9:
      id: relative
      -orig-id: 'R'
      doc: 'Table space with PAGENUM RELATIVE: the page number is only the page number'
