meta:
  id: db2_xml
  title: Db2 for LUW, CSL manager log records
  application: IBM Db2 for Linux, UNIX and Windows
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /db2/db2_server
  endian:
    switch-on: byte_order
    cases:
      'db2_server::byte_order::little': le
      _: be
doc: |
  XML documents as text, in pieces, before the record of the row that they are of. Logged from version
  11.5.8 on when DB2_DCC_XML_SERIALIZE is set; without it no XML value can be had from the log.
doc-ref: 'IBM Db2 11.5, "CSL manager log records", https://www.ibm.com/docs/en/db2/11.5.x?topic=records-csl-manager-log; places as applications read them'
params:
  - id: byte_order
    type: u1
    enum: db2_server::byte_order
    doc: Byte order of the server that wrote the log
seq:
  - id: body
    -lm-status: inferred
    -lm-type: body
    type:
      switch-on: kind
      cases:
        'operation::xml_data': xml_data
        _: undocumented
    doc: The record
    doc-ref: &d 'IBM Db2 11.5, "CSL manager log records", https://www.ibm.com/docs/en/db2/11.5.x?topic=records-csl-manager-log; places as applications read them'
instances:
  kind:
    -lm-status: inferred
    -lm-column: false
    pos: 1
    type: u1
    enum: operation
    doc: Operation identifier
    doc-ref: *d
types:
  header:
    doc: CSL manager log record header
    doc-ref: *d
    seq:
      - id: component
        -lm-status: inferred
        type: u1
        enum: db2_server::component
        doc: Component identifier, 15
        doc-ref: *d
      - id: operation_id
        -lm-status: inferred
        type: u1
        enum: operation
        doc: What happened
        doc-ref: *d
      - id: pool_id
        -lm-status: inferred
        type: u2
        doc: Table space of the XML object
        doc-ref: *d
      - id: object_id
        -lm-status: inferred
        type: u2
        doc: XML object
        doc-ref: *d
      - id: parent_pool_id
        -lm-status: inferred
        type: u2
        doc: Table space of the table
        doc-ref: *d
      - id: parent_object_id
        -lm-status: inferred
        type: u2
        doc: Table
        doc-ref: *d
      - id: object_type
        -lm-status: inferred
        type: u1
        doc: Type of the object; 6 for XML
        doc-ref: *d
  xml_data:
    doc: A piece of an XML document
    doc-ref: *d
    seq:
      - id: header
        -lm-status: inferred
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *d
      - id: internal
        -lm-status: unknown
        size: 1
        doc: Kept as it is
        doc-ref: *d
      - id: data_length
        -unit: bytes
        -lm-status: inferred
        type: u4
        doc: Length of the data
        doc-ref: *d
      - id: column_id
        -lm-status: inferred
        type: u2
        doc: Number of the column in the table
        doc-ref: *d
      - id: internal2
        -lm-status: unknown
        size: 6
        doc: Kept as it is
        doc-ref: *d
      - id: data
        -lm-status: inferred
        size: data_length
        doc: Text in UTF-8
        doc-ref: *d
      - id: surplus
        -lm-status: inferred
        -lm-type: rest
        size-eos: true
        valid:
          expr: _.size == 0
        doc: Nothing
        doc-ref: *d
  undocumented:
    doc: A record that has only a number
    doc-ref: *d
    seq:
      - id: header
        -lm-status: inferred
        -lm-type: body
        type: header
        doc: Log header
        doc-ref: *d
      - id: payload
        -lm-status: unknown
        size-eos: true
        doc: Kept as it is
        doc-ref: *d
enums:
  operation:
    114:
      id: xml_data
      doc: XML data
