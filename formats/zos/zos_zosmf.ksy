meta:
  id: zos_zosmf
  title: Length prefix of the z/OSMF file interface
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  Stands before every record that the z/OSMF REST interface, and the tools built on it, deliver in
  record mode.
doc-ref: &page 'IBM z/OSMF collection for Ansible, module documentation, data type "record"'
seq:
  - id: length
    -unit: bytes
    -lm-status: documented
    -lm-valid-status: inferred
    -lm-source: The greatest length is that of records of format V and VB; the page gives none
    type: u4
    valid:
      max: 32760
    doc: Length of the record, these four bytes not included; zero for an empty record
    doc-ref: *page
