meta:
  id: common_timestamp17
  title: Timestamp of 17 bytes, BIN(17)
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  34 digits of four bits each: 8 for the date, 6 for the time, 20 for the fraction of the second
  and padding. That a digit takes half a byte, without a sign, follows from the width of 17 bytes.
  That all zero means that there is no time is inferred.
doc-ref: &page 'BMC AMI Log Master for Db2, "Logical log data file", footnote 1'
-lm-type: timestamp17
seq:
  - id: date
    -orig-id: YYYYMMDD
    -lm-status: documented
    size: 4
    doc: Year, month and day
    doc-ref: *page
  - id: time
    -orig-id: HHMMSS
    -lm-status: documented
    size: 3
    doc: Hour, minute and second
    doc-ref: *page
  - id: fraction
    -orig-id: HHMMMMNNNPPPFFF00000
    -lm-status: documented
    -lm-source: |
      The page writes HHMMMM NNN PPP FFF and five zeros; that the first six digits are
      microseconds is inferred
    size: 10
    doc: Fractional seconds and padding
    doc-ref: *page