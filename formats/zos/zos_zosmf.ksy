meta:
  id: zos_zosmf
  title: Length prefix of the z/OSMF file interface
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  Stands before every record that the z/OSMF REST interface, and the tools built on it, deliver in
  record mode.
doc-ref: &page 'IBM z/OS Management Facility Programming Guide, SC27-8420, "z/OS data set and file REST interface", X-IBM-Data-Type: record'
seq:
  - id: length
    -unit: bytes
    -lm-status: documented
    -lm-valid-status: inferred
    type: u4
    valid:
      max: 32760
    doc: |
      Length of the record, these four bytes not included. No record of format V or VB is longer
      than the limit.
    doc-ref: *page
