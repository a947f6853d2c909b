meta:
  id: common_rid
  title: Row id of 5 bytes
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  Where the row stands: page and row number. In a table space with PAGENUM ABSOLUTE the page
  number contains the partition number too. That its leading bits do, and that how many depends on
  the table space, is inferred; the partition is taken from PARTNUM in any case.
doc-ref: &page 'BMC AMI Log Master for Db2, "Logical log data file", table "Data change record (LLDF)", RID and PAGENUMFMT'
-lm-type: bytes
seq:
  - id: page
    -lm-status: inferred
    -lm-source: The table has five bytes, page and row; that the last one is the row is not stated
    type: u4
    doc: Page number
    doc-ref: *page
  - id: row
    -lm-status: inferred
    -lm-source: The table has five bytes, page and row; that the last one is the row is not stated
    type: u1
    doc: Row number in the page
    doc-ref: *page
