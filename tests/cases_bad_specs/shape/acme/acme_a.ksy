# generate: acme/acme_a.ksy:23:3: error: {'common': 'common_rid'} is not text, or a list of texts [/meta/imports]
# generate: acme/acme_a.ksy:27:5: error: there is no id in a parameter [/params/0]
# generate: acme/acme_a.ksy:30:5: error: False is not text, or a list of texts; quote it [/seq/0/-orig-id]
# generate: acme/acme_a.ksy:31:5: error: 'two' is not a whole number [/seq/0/-scale]
# generate: acme/acme_a.ksy:33:5: error: expected a mapping of keys [/seq/1]
# generate: acme/acme_a.ksy:35:3: error: expected a mapping of keys [/types/inner]
# generate: acme/acme_a.ksy:38:5: error: an empty value is not a name [/enums/answer/1]
# generate: acme/acme_a.ksy:39:5: error: 'two' is not a whole number [/enums/answer/two]
# generate: acme/acme_a.ksy:40:5: error: the compiler takes no number of more than 63 bits here [/enums/answer/18446744073709551615]
# lint: acme/acme_a.ksy:23:3: error: {'common': 'common_rid'} is not text, or a list of texts [/meta/imports]
# lint: acme/acme_a.ksy:27:5: error: there is no id in a parameter [/params/0]
# lint: acme/acme_a.ksy:30:5: error: False is not text, or a list of texts; quote it [/seq/0/-orig-id]
# lint: acme/acme_a.ksy:31:5: error: 'two' is not a whole number [/seq/0/-scale]
# lint: acme/acme_a.ksy:33:5: error: expected a mapping of keys [/seq/1]
# lint: acme/acme_a.ksy:35:3: error: expected a mapping of keys [/types/inner]
# lint: acme/acme_a.ksy:38:5: error: an empty value is not a name [/enums/answer/1]
# lint: acme/acme_a.ksy:39:5: error: 'two' is not a whole number [/enums/answer/two]
# lint: acme/acme_a.ksy:40:5: error: the compiler takes no number of more than 63 bits here [/enums/answer/18446744073709551615]
meta:
  id: acme_a
  title: Parts that are not what their place asks for
  license: CC0-1.0
  imports: {common: common_rid}
doc: One
doc-ref: None
params:
  - type: u2
seq:
  - id: one
    -orig-id: NO
    -scale: two
    size: 1
  - two
types:
  inner:
enums:
  answer:
    1: null
    two: two
    18446744073709551615: huge
