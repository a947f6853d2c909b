meta:
  id: db2_server
  title: Db2 for LUW, what a log record does not say of itself
  application: IBM Db2 for Linux, UNIX and Windows
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  A log record names neither the release nor the machine that wrote it. Which form its header has, and
  in which order the bytes of its numbers stand, is found from the records of a whole stream by
  arithmetic, or said by the caller. That versions 8.1 to 9.5 kept the header of version 7 is inferred.

  The components, whose number every record of one begins with, are here for the specs of all of them.
doc-ref: 'IBM Db2 for LUW, db2ReadLog API and "Log record header" of versions 5 to 12.1'
enums:
  generation:
    7:
      id: v7
      -orig-id: v7
      -lm-status: documented
      doc: |
        Versions 5 to 7, and taken for 8.1 to 9.5: header of 20, 26 or 32 bytes, log sequence
        numbers of 6 bytes
    97:
      id: v9_7
      -orig-id: v9.7
      -lm-status: inferred
      doc: 'Version 9.7: header of 24, 32 or 40 bytes, log sequence numbers of 8 bytes'
    10:
      id: v10
      -orig-id: v10
      -lm-status: documented
      doc: |
        Versions 10.1 to 12.1: header of 40, 56 or 64 bytes, with log flush sequence, log stream
        and log sequence offsets
  byte_order:
    0:
      id: little
      -lm-status: inferred
      doc: 'x86-64, POWER little-endian: the least significant byte comes first'
    1:
      id: big
      -lm-status: inferred
      doc: |
        POWER with AIX, SPARC, HP-UX, System z with Linux: the most significant byte comes first
  component:
    1:
      id: dms
      -lm-status: documented
      doc: Data manager services
    3:
      id: long_field
      -lm-status: documented
      doc: Long field manager
    4:
      id: dom
      -lm-status: documented
      doc: Data object manager
    5:
      id: lob
      -lm-status: documented
      doc: LOB manager
    6:
      id: storage
      -lm-status: inferred
      doc: Storage manager; internal
    8:
      id: datalink
      -lm-status: documented
      doc: Datalink manager, versions 5.2 to 7
    11:
      id: relation
      -lm-status: inferred
      doc: 'Relation manager: DDL statements'
    15:
      id: csl
      -lm-status: inferred
      doc: 'CSL manager: XML documents'
  record_class:
    78:
      id: normal
      -lm-status: inferred
      doc: Redone by rollforward, undone by rollback
    82:
      id: redo
      -lm-status: inferred
      doc: Redone only
    85:
      id: undo
      -lm-status: inferred
      doc: Undone only
    67:
      id: compensation
      -lm-status: inferred
      doc: Written while something was undone
