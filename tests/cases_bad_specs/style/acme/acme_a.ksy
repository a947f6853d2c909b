# generate: acme/acme_a.ksy:15:5: error: 'oneTwo' is not lower_snake_case [/seq/0/id]
# generate: acme/acme_a.ksy:19:5: error: -lm-status is 'perhaps', not one of documented, inferred, unknown [/seq/0/-lm-status]
# generate: acme/acme_a.ksy:20:5: error: there is no code page 'klingon' [/seq/0/-codec]
# lint: acme/acme_a.ksy:15:5: error: 'oneTwo' is not lower_snake_case [/seq/0/id]
# lint: acme/acme_a.ksy:19:5: error: -lm-status is 'perhaps', not one of documented, inferred, unknown [/seq/0/-lm-status]
# lint: acme/acme_a.ksy:20:5: error: there is no code page 'klingon' [/seq/0/-codec]
meta:
  title: Many breaches of style
  id: acme_a
  license: CC0-1.0
  ks-version: 0.11
  imports:
    - acme_b
seq:
  - id: oneTwo
    doc: Keys out of order
    size: 2
    -mine: 3
    -lm-status: perhaps
    -codec: klingon
  - id: two
    type: u2
    enum: big
enums:
  big:
    9007199254740993: huge
types:
  inner:
    seq:
      - {id: one, size: 1}
