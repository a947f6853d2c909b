# generate: acme/acme_a.ksy:28:5: error: 'oneTwo' is not lower_snake_case [/seq/0/id]
# generate: acme/acme_a.ksy:33:5: error: there is no code page 'klingon' [/seq/0/-codec]
# lint: acme/acme_a.ksy:20:1: error: doc is missing [/meta]
# lint: acme/acme_a.ksy:20:1: error: doc-ref is missing [/meta]
# lint: acme/acme_a.ksy:20:1: error: endian is missing, and there are numbers of several bytes [/meta]
# lint: acme/acme_a.ksy:22:3: error: id comes after title [/meta/id]
# lint: acme/acme_a.ksy:24:3: error: ks-version is missing or is not quoted text [/meta/ks-version]
# lint: acme/acme_a.ksy:26:7: error: the import acme_b does not start at the root of formats [/meta/imports/0]
# lint: acme/acme_a.ksy:28:5: error: 'oneTwo' is not lower_snake_case [/seq/0/id]
# lint: acme/acme_a.ksy:30:5: error: size comes after doc [/seq/0/size]
# lint: acme/acme_a.ksy:31:5: error: -mine is none of our keys: -codec, -lm-source, -lm-status, -lm-type, -lm-valid-status, -orig-id, -scale, -unit [/seq/0/-mine]
# lint: acme/acme_a.ksy:32:5: error: -lm-status comes after doc [/seq/0/-lm-status]
# lint: acme/acme_a.ksy:32:5: error: -lm-status is 'perhaps', not one of documented, inferred, unknown [/seq/0/-lm-status]
# lint: acme/acme_a.ksy:33:5: error: -codec comes after doc [/seq/0/-codec]
# lint: acme/acme_a.ksy:33:5: error: there is no code page 'klingon' [/seq/0/-codec]
# lint: acme/acme_a.ksy:39:5: error: the number is too large for the compiler; quote it [/enums/big/9007199254740993]
# lint: acme/acme_a.ksy:40:1: error: types comes after enums [/types]
# lint: acme/acme_a.ksy:41:3: error: doc is missing [/types/inner]
# lint: acme/acme_a.ksy:41:3: error: doc-ref is missing [/types/inner]
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
