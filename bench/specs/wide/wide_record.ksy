meta:
  id: wide_record
  title: Wide record, 1,341 bytes in 167 columns
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - /common/common_lrsn10
    - /common/common_timestamp17
  endian: be
doc: |
  A customer with addresses, twelve months and ten products: what many columns cost.
doc-ref: 'Invented for the benchmarks, see bench/README.md'
seq:
  - id: number
    type: u8
    doc: Customer number
  - id: kind
    -codec: ebcdic
    type: u1
    enum: kind
    doc: Person or company
  - id: state
    -codec: ebcdic
    type: u1
    enum: state
    doc: What became of the customer
  - id: name
    -codec: ebcdic
    size: 30
  - id: first_name
    -codec: ebcdic
    size: 20
  - id: title
    -codec: ebcdic
    size: 8
  - id: language
    -codec: ebcdic
    size: 2
  - id: nationality
    -codec: ebcdic
    size: 2
  - id: born
    -codec: ebcdic
    size: 10
    doc: Date as yyyy-mm-dd
  - id: opened
    type: common_timestamp17
  - id: changed
    type: common_timestamp17
    doc: Zero when it never was
  - id: street1
    -codec: ebcdic
    size: 25
  - id: house1
    -codec: ebcdic
    size: 5
  - id: postcode1
    -codec: ebcdic
    size: 8
  - id: city1
    -codec: ebcdic
    size: 20
  - id: country1
    -codec: ebcdic
    size: 2
  - id: valid_from1
    -codec: ebcdic
    size: 10
  - id: street2
    -codec: ebcdic
    size: 25
  - id: house2
    -codec: ebcdic
    size: 5
  - id: postcode2
    -codec: ebcdic
    size: 8
  - id: city2
    -codec: ebcdic
    size: 20
  - id: country2
    -codec: ebcdic
    size: 2
  - id: valid_from2
    -codec: ebcdic
    size: 10
  - id: street3
    -codec: ebcdic
    size: 25
  - id: house3
    -codec: ebcdic
    size: 5
  - id: postcode3
    -codec: ebcdic
    size: 8
  - id: city3
    -codec: ebcdic
    size: 20
  - id: country3
    -codec: ebcdic
    size: 2
  - id: valid_from3
    -codec: ebcdic
    size: 10
  - id: month01_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month01_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month01_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month01_num_debits
    type: u4
  - id: month01_num_credits
    type: u4
  - id: month01_lowest
    type: s4
  - id: month01_rate
    type: u2
  - id: month01_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month02_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month02_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month02_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month02_num_debits
    type: u4
  - id: month02_num_credits
    type: u4
  - id: month02_lowest
    type: s4
  - id: month02_rate
    type: u2
  - id: month02_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month03_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month03_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month03_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month03_num_debits
    type: u4
  - id: month03_num_credits
    type: u4
  - id: month03_lowest
    type: s4
  - id: month03_rate
    type: u2
  - id: month03_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month04_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month04_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month04_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month04_num_debits
    type: u4
  - id: month04_num_credits
    type: u4
  - id: month04_lowest
    type: s4
  - id: month04_rate
    type: u2
  - id: month04_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month05_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month05_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month05_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month05_num_debits
    type: u4
  - id: month05_num_credits
    type: u4
  - id: month05_lowest
    type: s4
  - id: month05_rate
    type: u2
  - id: month05_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month06_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month06_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month06_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month06_num_debits
    type: u4
  - id: month06_num_credits
    type: u4
  - id: month06_lowest
    type: s4
  - id: month06_rate
    type: u2
  - id: month06_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month07_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month07_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month07_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month07_num_debits
    type: u4
  - id: month07_num_credits
    type: u4
  - id: month07_lowest
    type: s4
  - id: month07_rate
    type: u2
  - id: month07_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month08_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month08_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month08_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month08_num_debits
    type: u4
  - id: month08_num_credits
    type: u4
  - id: month08_lowest
    type: s4
  - id: month08_rate
    type: u2
  - id: month08_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month09_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month09_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month09_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month09_num_debits
    type: u4
  - id: month09_num_credits
    type: u4
  - id: month09_lowest
    type: s4
  - id: month09_rate
    type: u2
  - id: month09_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month10_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month10_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month10_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month10_num_debits
    type: u4
  - id: month10_num_credits
    type: u4
  - id: month10_lowest
    type: s4
  - id: month10_rate
    type: u2
  - id: month10_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month11_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month11_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month11_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month11_num_debits
    type: u4
  - id: month11_num_credits
    type: u4
  - id: month11_lowest
    type: s4
  - id: month11_rate
    type: u2
  - id: month11_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: month12_balance
    -unit: 0.01 of the currency
    type: s8
  - id: month12_debit
    -unit: 0.01 of the currency
    type: s8
  - id: month12_credit
    -unit: 0.01 of the currency
    type: s8
  - id: month12_num_debits
    type: u4
  - id: month12_num_credits
    type: u4
  - id: month12_lowest
    type: s4
  - id: month12_rate
    type: u2
  - id: month12_state
    -codec: ebcdic
    type: u1
    enum: state
  - id: product01_number
    -codec: ebcdic
    size: 12
  - id: product01_position
    type: common_lrsn10
  - id: product01_branch
    type: u2
  - id: product01_text
    -codec: ebcdic
    size: 16
  - id: product02_number
    -codec: ebcdic
    size: 12
  - id: product02_position
    type: common_lrsn10
  - id: product02_branch
    type: u2
  - id: product02_text
    -codec: ebcdic
    size: 16
  - id: product03_number
    -codec: ebcdic
    size: 12
  - id: product03_position
    type: common_lrsn10
  - id: product03_branch
    type: u2
  - id: product03_text
    -codec: ebcdic
    size: 16
  - id: product04_number
    -codec: ebcdic
    size: 12
  - id: product04_position
    type: common_lrsn10
  - id: product04_branch
    type: u2
  - id: product04_text
    -codec: ebcdic
    size: 16
  - id: product05_number
    -codec: ebcdic
    size: 12
  - id: product05_position
    type: common_lrsn10
  - id: product05_branch
    type: u2
  - id: product05_text
    -codec: ebcdic
    size: 16
  - id: product06_number
    -codec: ebcdic
    size: 12
  - id: product06_position
    type: common_lrsn10
  - id: product06_branch
    type: u2
  - id: product06_text
    -codec: ebcdic
    size: 16
  - id: product07_number
    -codec: ebcdic
    size: 12
  - id: product07_position
    type: common_lrsn10
  - id: product07_branch
    type: u2
  - id: product07_text
    -codec: ebcdic
    size: 16
  - id: product08_number
    -codec: ebcdic
    size: 12
  - id: product08_position
    type: common_lrsn10
  - id: product08_branch
    type: u2
  - id: product08_text
    -codec: ebcdic
    size: 16
  - id: product09_number
    -codec: ebcdic
    size: 12
  - id: product09_position
    type: common_lrsn10
  - id: product09_branch
    type: u2
  - id: product09_text
    -codec: ebcdic
    size: 16
  - id: product10_number
    -codec: ebcdic
    size: 12
  - id: product10_position
    type: common_lrsn10
  - id: product10_branch
    type: u2
  - id: product10_text
    -codec: ebcdic
    size: 16
  - id: remark
    -codec: ebcdic
    size: 120
  - id: audit
    size: 27
    doc: Bytes that only their owner understands
enums:
  kind:
    0xd7:
      id: person
      -orig-id: 'P'
      doc: One person
    0xc3:
      id: company
      -orig-id: 'C'
      doc: A company
  state:
    0xc1:
      id: active
      -orig-id: 'A'
      doc: In use
    0xc2:
      id: blocked
      -orig-id: 'B'
      doc: Blocked
    0xc4:
      id: closed
      -orig-id: 'D'
      doc: Closed
