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
  says who changed which table when, and what became of it; DATA holds the row images.

  The table is the one of release 11.1 and later. `length` rules: a shorter header ends before the
  last two fields, a longer one has more behind them, and DATA starts at `length` in any case.
  When the control file holds XHDF records they describe the header of its data file, and this
  table is the check. Code fields hold EBCDIC letters; their sets are open, a value that is not
  listed is data.
doc-ref: 'BMC AMI Log Master for Db2, "Logical log data file", table "Data change record (LLDF)", https://docs.bmc.com/docs/logmasterfordb2/121/logical-log-data-file-857523064.html'
seq:
  - id: length
    -orig-id: LENGTH
    -unit: bytes
    -lm-status: documented
    -lm-valid-status: inferred
    -lm-source: |
      The least length is that of a header that ends before SQLRIRBA; the manual states none
    type: u2
    valid:
      min: 277
      max: _io.size
    doc: |
      Length of the header in this record; DATA starts here. It differs between releases of the
      product, so it is never taken for granted.
    doc-ref: &table 'BMC AMI Log Master for Db2, "Logical log data file", table "Data change record (LLDF)"'
  - id: system_id
    -orig-id: SYSTEMID
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: Db2 subsystem or data sharing group member that logged the change
    doc-ref: *table
  - id: dbid
    -orig-id: DBID
    -lm-status: documented
    type: u2
    doc: Database id of the changed object; its table record (DTBI) prints it as four hex digits
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -lm-status: documented
    type: u2
    doc: Table space id (page set) of the changed object
    doc-ref: *table
  - id: tbobid
    -orig-id: TBOBID
    -lm-status: documented
    type: u2
    doc: Object id of the table inside its database
    doc-ref: *table
  - id: tbowner_len
    -orig-id: TBOWNERLEN
    -unit: bytes
    -lm-status: documented
    type: u2
    doc: |
      Length of the full owner name; above 8 means that `table_owner` holds only its first 8
      bytes
    doc-ref: *table
  - id: tbname_len
    -orig-id: TBNAMELEN
    -unit: bytes
    -lm-status: documented
    type: u2
    doc: 'Length of the full table name; above 18 means that `table_name` holds a made-up short name'
    doc-ref: *table
  - id: dbname
    -orig-id: DBNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Name of the database
    doc-ref: *table
  - id: tsname
    -orig-id: TSNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Name of the table space
    doc-ref: *table
  - id: table_owner
    -orig-id: TABLEOWNER
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: 'Owner (schema) of the table, or the first 8 bytes of it: see `tbowner_len`'
    doc-ref: *table
  - id: table_name
    -orig-id: TABLENAME
    -codec: ebcdic
    -lm-status: documented
    size: 18
    doc: |
      Name of the table, or the unique short name that SHORTNAME of its DTBI record repeats: see
      `tbname_len`
    doc-ref: *table
  - id: partnum
    -orig-id: PARTNUM
    -lm-status: documented
    type: u2
    doc: Partition that holds the row, zero when the table space has none
    doc-ref: *table
  - id: timestamp
    -orig-id: TIMESTAMP
    -lm-status: documented
    type: common_timestamp17
    doc: When this log record was written. The page names no time zone.
    doc-ref: *table
  - id: log_lrsn
    -orig-id: LOGLRSN
    -lm-status: documented
    -lm-source: That it equals the RBA outside data sharing is inferred
    type: common_lrsn10
    doc: Log record sequence number of the change
    doc-ref: *table
  - id: log_rba
    -orig-id: LOGRBA
    -lm-status: documented
    type: common_rba10
    doc: Relative byte address of the change in the log of its member
    doc-ref: *table
  - id: member_id
    -orig-id: MEMBERID
    -lm-status: documented
    type: u2
    doc: |
      Data sharing member that made the change; zero outside data sharing, and then an LRSN is
      no clock value
    doc-ref: *table
  - id: rid
    -orig-id: RID
    -lm-status: documented
    type: common_rid
    doc: |
      Row id: page number and row (anchor) number. `page_num_fmt` tells whether the page number
      has the partition inside.
    doc-ref: *table
  - id: change_type
    -orig-id: CHANGE TYPE
    -codec: ebcdic
    -lm-status: documented
    type: u2
    enum: change_type
    doc: What was done. Decides what DATA holds.
    doc-ref: *table
  - id: sql_type
    -orig-id: SQLTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: sql_type
    doc: Whether the log record was itself an undo or a redo
    doc-ref: *table
  - id: log_rec_disp
    -orig-id: LOGRECDISP
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: log_rec_disp
    doc: What became of this one log record, as opposed to its unit of recovery
    doc-ref: *table
  - id: sql_src_type
    -orig-id: SQLSRCTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: sql_src_type
    doc: What caused the change when it was not the statement itself
    doc-ref: *table
  - id: log_bytes
    -orig-id: LOGBYTES
    -unit: bytes
    -lm-status: documented
    type: u4
    doc: Bytes that the Db2 log records of this transaction take
    doc-ref: *table
  - id: log_delta
    -orig-id: LOGDELTA
    -unit: bytes
    -lm-status: documented
    type: u2
    doc: |
      Log bytes that DATA CAPTURE CHANGES costs here (when it is on) or would cost (when it is
      off)
    doc-ref: *table
  - id: anomaly_row_id
    -orig-id: ANOMALYROWID
    -lm-status: documented
    type: u1
    doc: Anchor id, from the RID, of the anomaly that brought the record into the log
    doc-ref: *table
  - id: anomaly_type
    -orig-id: ANOMALYTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: anomaly_type
    doc: Why the record is in the logical log. The page lists only N.
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
    type: common_timestamp17
    doc: When the unit of recovery began
    doc-ref: *table
  - id: uor_commit_timestamp
    -orig-id: UORCOMMITTIMESTAMP
    -lm-status: documented
    type: common_timestamp17
    doc: Time in the commit record of the unit of recovery; all zero while there is none
    doc-ref: *table
  - id: uor_disp
    -orig-id: UORDISP
    -codec: ebcdic
    -lm-status: documented
    -lm-source: That any other value means that its end is not in the log is inferred
    type: u1
    enum: uor_disp
    doc: What became of the unit of recovery
    doc-ref: *table
  - id: uor_id_lrsn
    -orig-id: UORIDLRSN
    -lm-status: documented
    type: common_lrsn10
    doc: LRSN of the record that began the unit of recovery
    doc-ref: *table
  - id: uor_id
    -orig-id: UORID
    -lm-status: documented
    type: common_rba10
    doc: 'RBA of the record that began the unit of recovery: its identity inside the member'
    doc-ref: *table
  - id: seg_len
    -orig-id: SEGLEN
    -unit: bytes
    -lm-status: documented
    -lm-source: |
      Whether header and descriptor count is not stated, so nothing is cut by it where the
      framing knows the length
    type: u2
    doc: Length of this segment
    doc-ref: *table
  - id: total_segs
    -orig-id: TOTALSEGS
    -lm-status: documented
    type: u2
    doc: Number of segments the change was cut into; above 1 it is not whole here
    doc-ref: *table
  - id: seg_num
    -orig-id: SEGNUM
    -lm-status: documented
    -lm-source: The base is not stated; 0 and 1 are both accepted as the first
    type: u2
    doc: Number of this segment
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
    doc: 'LRSN of the commit record: the order of commits over all members'
    doc-ref: *table
  - id: uor_commit_point
    -orig-id: UORCOMMITPOINT
    -lm-status: documented
    type: common_rba10
    doc: RBA of the commit record
    doc-ref: *table
  - id: connection_type
    -orig-id: CONNECTIONTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 2
    doc: Kind of connection
    doc-ref: *table
  - id: connect_id
    -orig-id: CONNECTID
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Connection id
    doc-ref: *table
  - id: correlation_id
    -orig-id: CORRELATIONID
    -codec: ebcdic
    -lm-status: documented
    size: 12
    doc: Correlation id
    doc-ref: *table
  - id: auth_id
    -orig-id: AUTHID
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Authorization id that made the change
    doc-ref: *table
  - id: plan
    -orig-id: PLAN
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Name of the plan that made the change
    doc-ref: *table
  - id: luw_network_id
    -orig-id: LUWNETWORKID
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: Network id of the distributed logical unit of work
    doc-ref: *table
  - id: luw_name
    -orig-id: LUWNAME
    -codec: ebcdic
    -lm-status: documented
    size: 8
    doc: LU name of the distributed logical unit of work
    doc-ref: *table
  - id: luw_instance_no
    -orig-id: LUWINSTANCENO
    -lm-status: documented
    size: 6
    doc: Instance number of the distributed logical unit of work
    doc-ref: *table
  - id: luw_sequence_no
    -orig-id: LUWSEQUENCENO
    -lm-status: documented
    type: u2
    doc: Commit sequence number inside the distributed logical unit of work
    doc-ref: *table
  - id: incomplete_trans
    -orig-id: INCOMPLETETRANS
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: incomplete
    doc: 'Y: the unit of recovery has a log record that could not be completed'
    doc-ref: *table
  - id: incomplete_dep
    -orig-id: INCOMPLETEDEP
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: incomplete
    doc: 'Y: the unit of recovery may depend on another one that could not be completed'
    doc-ref: *table
  - id: uor_has_comp
    -orig-id: UORHASCOMP
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    doc: 'Y: the unit of recovery holds compensation log records'
    doc-ref: *table
  - id: sql_ri_rba
    -orig-id: SQLRIRBA
    -lm-status: documented
    -lm-source: That older headers end before it is inferred
    type: common_rba10
    if: _io.pos < length
    doc: Sort key for generated SQL
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
      Whether the page number in `rid` has the partition inside. `partnum` holds the partition
      either way.
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
    size-eos: true
    doc: |
      Row images, names or nothing, as `change_type` says; bmc_lldf_data describes them. A
      segmented record holds one piece of it here.
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
      doc: Mass delete; data segments, where there are any, hold partition limit keys
    0xc4e3:
      id: truncate
      -orig-id: 'DT'
      doc: Truncate
    0xc4d9:
      id: truncate_reuse
      -orig-id: 'DR'
      doc: Truncate that keeps the storage
    0xc9d3:
      id: load_insert
      -orig-id: 'IL'
      doc: 'Insert by a load: the row after'
    0xc3d6:
      id: catalog_object
      -orig-id: 'CO'
      doc: 'Catalog object: DDL'
    0xc540:
      id: exchange
      -orig-id: 'E'
      doc: Exchange of data with the clone table
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
      doc: Undoes an earlier change
    0xd9:
      id: redo
      -orig-id: 'R'
      doc: Redoes it
    0x40:
      id: other
      -orig-id: ' '
      doc: Neither
  log_rec_disp:
    0xc3:
      id: committed
      -orig-id: 'C'
      doc: Committed
    0xc1:
      id: aborted
      -orig-id: 'A'
      doc: Taken back by a rollback of the unit of recovery
    0xe2:
      id: savepoint
      -orig-id: 'S'
      doc: Taken back by a rollback to a savepoint
    0xd6:
      id: reversed
      -orig-id: 'O'
      doc: Taken back by Db2 itself, for example after a negative SQL code
  sql_src_type:
    0xd9:
      id: ri_constraint
      -orig-id: 'R'
      doc: Made by a referential constraint
    0xe3:
      id: trigger
      -orig-id: 'T'
      doc: Made by a trigger
    0xc2:
      id: ri_and_trigger
      -orig-id: 'B'
      doc: Made by both; the constraint takes precedence
    0xc8:
      id: history
      -orig-id: 'H'
      doc: Made by the history of a system-period temporal table
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
      doc: Rolled back
  incomplete:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
      doc: A log record cannot be completed
    0xd5:
      id: 'no'
      -orig-id: 'N'
      -lm-status: inferred
      doc: The opposite of Y, which is the only value in the manual
  yes_no:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
    0xd5:
      id: 'no'
      -orig-id: 'N'
  page_num_fmt:
    0xc1:
      id: absolute
      -orig-id: 'A'
      doc: 'PAGENUM ABSOLUTE: the page number holds the partition number too'
    0xd9:
      id: relative
      -orig-id: 'R'
      doc: 'PAGENUM RELATIVE: the page number is only that'
