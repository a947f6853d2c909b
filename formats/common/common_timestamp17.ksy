meta:
  id: common_timestamp17
  title: Timestamp of 17 bytes, BIN(17)
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  34 packed digits without a sign: 8 for the date, 6 for the time of day, 20 for the fraction of a
  second. The page splits the fraction as HHMMMM NNN PPP FFF and five zeros, which makes its first
  six digits microseconds; that reading is inferred. All zero means that there is no time.
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
    -lm-status: inferred
    size: 10
    doc: Fraction of the second, then zeros
