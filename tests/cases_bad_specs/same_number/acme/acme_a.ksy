# generate: acme/acme_a.ksy:12:28: error: 0x1 is the same number as 1 [/types/inner/enums/kind/0x1]
# generate: acme/acme_a.ksy:12:38: error: 0x01 is the same number as 1 [/types/inner/enums/kind/0x01]
# lint: acme/acme_a.ksy:12:28: error: 0x1 is the same number as 1 [/types/inner/enums/kind/0x1]
# lint: acme/acme_a.ksy:12:38: error: 0x01 is the same number as 1 [/types/inner/enums/kind/0x01]
meta: {id: acme_a, title: One number for two members, license: CC0-1.0, ks-version: '0.11'}
doc: d
doc-ref: r
types:
  inner:
    doc: d
    doc-ref: r
    enums: {kind: {1: one, 0x1: two, '0x01': three}}
