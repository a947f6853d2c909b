# generate: acme/acme_a.ksy:9:45: error: 'middle' is not le or be [/meta/endian/cases/2]
# generate: acme/acme_a.ksy:13:5: error: the key is empty, or a word that YAML reads as nothing: give a name, or quote it [/seq/0/None]
# generate: acme/acme_a.ksy:15:3: error: the key is empty, or a word that YAML reads as nothing: give a name, or quote it [/types/None]
# lint: acme/acme_a.ksy:9:45: error: 'middle' is not le or be [/meta/endian/cases/2]
# lint: acme/acme_a.ksy:13:5: error: the key is empty, or a word that YAML reads as nothing: give a name, or quote it [/seq/0/None]
# lint: acme/acme_a.ksy:15:3: error: the key is empty, or a word that YAML reads as nothing: give a name, or quote it [/types/None]
meta:
  id: acme_a
  endian: {switch-on: order, cases: {1: be, 2: middle}}
seq:
  - id: order
    type: u1
    ~: 1
types:
  null: {}
