meta:
  id: bmc_control
  title: Log Master control file, any record
  application: BMC AMI Log Master for Db2
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /bmc/bmc_dcxi
    - /bmc/bmc_dfds
    - /bmc/bmc_dfid
    - /bmc/bmc_dicl
    - /bmc/bmc_dlci
    - /bmc/bmc_dlds
    - /bmc/bmc_dlge
    - /bmc/bmc_dlob
    - /bmc/bmc_dtbi
    - /bmc/bmc_dtob
    - /bmc/bmc_dxml
    - /bmc/bmc_dxsf
    - /bmc/bmc_unlisted
    - /bmc/bmc_xhdf
    - /bmc/bmc_xtyp
  endian: be
doc: |
  One record of the control file that belongs to a logical log. Its first four characters say what
  it is. Only the place of the type record is fixed: it is the first of the file. The list of codes
  is open; a record whose layout is not known keeps its code and its bytes.
doc-ref: 'BMC AMI Log Master for Db2 12.1, "Logical log control file", https://docs.bmc.com/xwiki/bin/view/Mainframe/Data-for-Db2/BMC-AMI-Log-Master-for-Db2/LogMast121/Administering/Logical-log-files/Logical-log-control-file'
seq:
  - id: body
    -lm-status: documented
    -lm-type: body
    -lm-source: |
      That the first four characters say which record it is follows from CNTLRECORDTYPE at offset
      0 of all tables
    type:
      switch-on: record_code
      cases:
        'record_code::type_record': bmc_xtyp
        'record_code::data_set': bmc_dlds
        'record_code::log_end': bmc_dlge
        'record_code::table': bmc_dtbi
        'record_code::synonym_or_alias': bmc_dtob
        'record_code::index': bmc_dcxi
        'record_code::clustering_index': bmc_dcxi
        'record_code::index_columns': bmc_dicl
        'record_code::column': bmc_dlci
        'record_code::header_field': bmc_xhdf
        'record_code::lob_column': bmc_dlob
        'record_code::xml_column': bmc_dxml
        'record_code::xmlstring': bmc_dxsf
        'record_code::filter': bmc_dfid
        'record_code::filter_description': bmc_dfds
        _: bmc_unlisted
    doc: The record as its own spec describes it
    doc-ref: 'BMC AMI Log Master for Db2 12.1, "Logical log control file"'
instances:
  record_code:
    -codec: ebcdic
    -lm-status: documented
    -lm-column: false
    -lm-source: |
      That they say which record it is follows from CNTLRECORDTYPE at offset 0 of all tables
    pos: 0
    type: u4
    enum: record_code
    doc: The first four characters of the record
    doc-ref: 'BMC AMI Log Master for Db2 12.1, "Logical log control file"'
enums:
  record_code:
    0xe7e3e8d7:
      id: type_record
      -orig-id: 'XTYP'
      -lm-status: documented
      doc: Type record, first of the file
    0xc4d3c4e2:
      id: data_set
      -orig-id: 'DLDS'
      -lm-status: documented
      doc: Logical log data set
    0xc4d3c7c5:
      id: log_end
      -orig-id: 'DLGE'
      -lm-status: documented
      doc: Log information end
    0xc4e3c2c9:
      id: table
      -orig-id: 'DTBI'
      -lm-status: documented
      doc: Table information
    0xc4e3d6c2:
      id: synonym_or_alias
      -orig-id: 'DTOB'
      -lm-status: documented
      doc: Table synonym or alias
    0xc4c9e7c9:
      id: index
      -orig-id: 'DIXI'
      -lm-status: documented
      doc: Index information
    0xc4c3e7c9:
      id: clustering_index
      -orig-id: 'DCXI'
      -lm-status: documented
      doc: Clustering index information
    0xc4c9c3d3:
      id: index_columns
      -orig-id: 'DICL'
      -lm-status: documented
      doc: Index column description
    0xc4d3c3c9:
      id: column
      -orig-id: 'DLCI'
      -lm-status: documented
      doc: Logical log column information
    0xe7c8c4c6:
      id: header_field
      -orig-id: 'XHDF'
      -lm-status: documented
      doc: Data change header description
    0xc4d3d6c2:
      id: lob_column
      -orig-id: 'DLOB'
      -lm-status: documented
      doc: LOB column description
    0xc4e7d4d3:
      id: xml_column
      -orig-id: 'DXML'
      -lm-status: documented
      doc: XML column description
    0xc4e7e2c6:
      id: xmlstring
      -orig-id: 'DXSF'
      -lm-status: documented
      doc: XMLSTRING data set name
    0xc4c6c9c4:
      id: filter
      -orig-id: 'DFID'
      -lm-status: documented
      doc: Filter ID
    0xc4c6c4e2:
      id: filter_description
      -orig-id: 'DFDS'
      -lm-status: documented
      doc: Filter description
    0xc4e3e2c9:
      id: table_space
      -orig-id: 'DTSI'
      -lm-status: inferred
      doc: Table space information, inferred from the code; pages at hand give only the code
    0xc4c3d3c9:
      id: db2_column
      -orig-id: 'DCLI'
      -lm-status: inferred
      doc: Column information of Db2, inferred from the code; pages at hand give only the code
    0xc4c3d3f2:
      id: db2_column2
      -orig-id: 'DCL2'
      -lm-status: inferred
      doc: Second column information, inferred from the code; pages at hand give only the code
