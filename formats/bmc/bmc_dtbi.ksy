meta:
  id: bmc_dtbi
  title: Log Master control file, table information record (DTBI)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /common/common_rba10
  endian: be
doc: |
  One instance of one table. That it is in force from `create_rba` until `drop_rba`, and that its
  columns are the DLCI records with the same ids and the same sequence number, is inferred.

  The page prints the first reserved field at decimal 54, hex 34; hex 34 is 52, the decimal number
  is a misprint. The copy at hand breaks off after DBNAME. That the table space, the full owner and
  table names
  and their short forms follow is inferred, as other pages name SHORTOWNER and SHORTNAME.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Table information record (DTBI)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Table-information-record-DTBI'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: DTBI, Table Information Record'
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Table information record (DTBI)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Table-information-record-DTBI'
  - id: sysid
    -orig-id: SYSID
    -codec: ebcdic
    -lm-status: documented
    size: 4
    if: not _io.eof
    doc: Originating SYSID
    doc-ref: *table
  - id: dbid
    -orig-id: DBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Originating database ID (hexadecimal)
    doc-ref: *table
  - id: psid
    -orig-id: PSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Originating table space ID (hexadecimal)
    doc-ref: *table
  - id: tbobid
    -orig-id: TBOBID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: hextext
    size: 4
    if: not _io.eof
    doc: Originating table ID (hexadecimal)
    doc-ref: *table
  - id: object_type
    -orig-id: OBJECTTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 2
    if: not _io.eof
    doc: 'Type of object: TB, table'
    doc-ref: *table
  - id: db2_num_col
    -orig-id: DB2NUMCOL
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Number of columns in the originating table
    doc-ref: *table
  - id: db2_max_row_len
    -orig-id: DB2MAXROWLEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Maximum row length, in Db2 internal format
    doc-ref: *table
  - id: ll_num_col
    -orig-id: LLNUMCOL
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Number of columns in the logical log data record
    doc-ref: *table
  - id: ll_max_row_len
    -orig-id: LLMAXROWLEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Maximum row length of data in the logical log record
    doc-ref: *table
  - id: row_type
    -orig-id: ROWTYPE
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: row_type
    if: not _io.eof
    doc: Whether rows are varying or of fixed length
    doc-ref: *table
  - id: sequence_number
    -orig-id: SEQUENCENUMBER
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: |
      Distinguishes versions of the same database object, 001 by default; equal to the sequence
      number of its DIXI, DCXI, DCLI and DLCI records
    doc-ref: *table
  - id: create_rba
    -orig-id: CREATERBA
    -lm-status: documented
    -lm-source: That the instance is in force from there on is inferred
    type: common_rba10
    if: not _io.eof
    doc: Create RBA or LRSN of this instance of the table
    doc-ref: *table
  - id: reserved1
    -lm-status: documented
    size: 2
    if: not _io.eof
    doc: Reserved
    doc-ref: *table
  - id: drop_rba
    -orig-id: DROPRBA
    -lm-status: documented
    -lm-source: That it is zero while the table is not dropped is inferred
    type: common_rba10
    if: not _io.eof
    doc: Drop RBA or LRSN of this instance of the table
    doc-ref: *table
  - id: reserved2
    -lm-status: documented
    size: 2
    if: not _io.eof
    doc: Reserved
    doc-ref: *table
  - id: encoding_scheme
    -orig-id: ENCODINGSCHEME
    -codec: ebcdic
    -lm-status: documented
    -lm-source: |
      That the character columns in row images have this encoding is inferred from the page on
      Unicode
    type: u1
    enum: encoding_scheme
    if: not _io.eof
    doc: ASCII, EBCDIC or Unicode
    doc-ref: *table
  - id: editproc_name_len
    -orig-id: EDITPROCNAMELEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Length of the edit procedure name, zero if none
    doc-ref: *table
  - id: editproc_name
    -orig-id: EDITPROCNAME
    -codec: ebcdic
    -lm-status: documented
    size: 24
    if: not _io.eof
    doc: Name of the edit procedure for the table, blanks if none
    doc-ref: *table
  - id: dbname_len
    -orig-id: DBNAMELEN
    -codec: ebcdic
    -unit: bytes
    -lm-status: documented
    -lm-type: decimaltext
    size: 3
    if: not _io.eof
    doc: Length of the database name
    doc-ref: *table
  - id: dbname
    -orig-id: DBNAME
    -codec: ebcdic
    -lm-status: documented
    size: 24
    if: not _io.eof
    doc: Database name
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: |
      What follows DBNAME: table space, owner, name, short owner and short name among it, as other
      pages suggest. Full names are taken from here only where the lengths in the change record
      prove them.
    doc-ref: *table
enums:
  row_type:
    0xe5:
      id: varying
      -orig-id: 'V'
      doc: Varying
    0xc6:
      id: fixed
      -orig-id: 'F'
      doc: Fixed length
  encoding_scheme:
    0xc1:
      id: ascii
      -orig-id: 'A'
      doc: ASCII
    0xc5:
      id: ebcdic
      -orig-id: 'E'
      doc: EBCDIC
    0xe4:
      id: unicode
      -orig-id: 'U'
      doc: Unicode
