meta:
  id: bmc_xtyp
  title: Log Master control file, type record (XTYP)
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  First record of every control file. Describes the originating Db2 subsystem, the version of the
  logical log format, and the default character sets and encoding schemes of the database. The copy
  of the page at hand breaks off inside the table, so the last field is inferred from the pattern of
  those before it.

  That a record may end before any field but the first, and go on behind the last, is inferred:
  releases differ.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Type record (XTYP)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Type-record-XTYP'
seq:
  - id: cntl_record_type
    -orig-id: CNTLRECORDTYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    doc: 'Control record type: XTYP, Type Record'
    doc-ref: &table 'BMC AMI Log Master for Db2 12.1, "Type record (XTYP)", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file/Type-record-XTYP'
  - id: cntl_file_type
    -orig-id: CNTLFILETYPE
    -codec: ebcdic
    -lm-status: documented
    size: 4
    if: not _io.eof
    doc: 'Type (format) of the control file: DB2 represents Db2'
    doc-ref: *table
  - id: cntl_file_type_version
    -orig-id: CNTLFILETYPEVERSION
    -codec: ebcdic
    -lm-status: documented
    size: 6
    if: not _io.eof
    doc: |
      Version of the control file: Vvvrm from 10.1.00 on (V1010), ALPvrm until 9.2.00 (ALP920). It
      might differ from the current version of the product.
    doc-ref: *table
  - id: cntl_file_sysid
    -orig-id: CNTLFILESYSID
    -codec: ebcdic
    -lm-status: documented
    size: 4
    if: not _io.eof
    doc: Originating Db2 subsystem ID
    doc-ref: *table
  - id: sql_delimiter
    -orig-id: SQLDELIMITER
    -codec: ebcdic
    -lm-status: documented
    size: 1
    if: not _io.eof
    doc: SQL delimiter, as DSNZPARM defines it on the system where the log was created
    doc-ref: *table
  - id: mixed
    -orig-id: MIXED
    -codec: ebcdic
    -lm-status: documented
    type: u1
    enum: yes_no
    if: not _io.eof
    doc: Whether mixed DBCS and SBCS is allowed
    doc-ref: *table
  - id: decimal_point
    -orig-id: DECIMALPOINT
    -codec: ebcdic
    -lm-status: documented
    size: 1
    if: not _io.eof
    doc: Decimal point character, either a comma or a period
    doc-ref: *table
  - id: ebcdic_single_ccsid
    -orig-id: EBCDICSINGLECCSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Default CCSID used for single-byte EBCDIC on the originating Db2 subsystem
    doc-ref: *table
  - id: ebcdic_double_ccsid
    -orig-id: EBCDICDOUBLECCSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Default CCSID used for double-byte EBCDIC on the originating Db2 subsystem
    doc-ref: *table
  - id: ebcdic_mixed_ccsid
    -orig-id: EBCDICMIXEDCCSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Default CCSID used for mixed EBCDIC on the originating Db2 subsystem
    doc-ref: *table
  - id: ascii_single_ccsid
    -orig-id: ASCIISINGLECCSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Default CCSID used for single-byte ASCII on the originating Db2 subsystem
    doc-ref: *table
  - id: ascii_double_ccsid
    -orig-id: ASCIIDOUBLECCSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Default CCSID used for double-byte ASCII on the originating Db2 subsystem
    doc-ref: *table
  - id: ascii_mixed_ccsid
    -orig-id: ASCIIMIXEDCCSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Default CCSID used for mixed ASCII on the originating Db2 subsystem
    doc-ref: *table
  - id: unicode_single_ccsid
    -orig-id: UNICODESINGLECCSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: |
      Default CCSID used for single-byte Unicode on the originating Db2 subsystem; blanks if it
      does not support Unicode
    doc-ref: *table
  - id: unicode_double_ccsid
    -orig-id: UNICODEDOUBLECCSID
    -codec: ebcdic
    -lm-status: documented
    -lm-type: decimaltext
    size: 5
    if: not _io.eof
    doc: Default CCSID used for double-byte Unicode on the originating Db2 subsystem
    doc-ref: *table
  - id: unicode_mixed_ccsid
    -orig-id: UNICODEMIXEDCCSID
    -codec: ebcdic
    -lm-status: inferred
    -lm-type: decimaltext
    -lm-source: |
      The copy of the page at hand breaks off after UNICODEDOUBLECCSID; the triple single, double,
      mixed repeats
    size: 5
    if: not _io.eof
    doc: Default CCSID used for mixed Unicode on the originating Db2 subsystem
    doc-ref: *table
  - id: rest
    -lm-status: unknown
    -lm-type: rest
    size-eos: true
    if: not _io.eof
    doc: Bytes behind the fields known here; kept as they are
    doc-ref: *table
enums:
  no_ccsid:
    0:
      id: not_set
      -lm-status: inferred
      doc: The subsystem has no default of this kind (inferred)
    65534:
      id: unavailable
      -lm-status: inferred
      doc: "IBM's CCSID for data without one (inferred)"
  yes_no:
    0xe8:
      id: 'yes'
      -orig-id: 'Y'
      doc: Mixed DBCS/SBCS allowed
    0xd5:
      id: 'no'
      -orig-id: 'N'
      doc: Mixed DBCS/SBCS not allowed
