# generate: acme/acme_a.ksy:18:25: error: 18 is not text; quote it [/seq/0/doc]
# generate: acme/acme_a.ksy:18:36: error: 5 is not text, or a list of texts; quote it [/seq/0/doc-ref]
# generate: acme/acme_a.ksy:19:15: error: 1 is not true or false [/seq/1/size-eos]
# generate: acme/acme_a.ksy:19:28: error: 256 is not a number from 0 to 255 [/seq/1/terminator]
# generate: acme/acme_a.ksy:19:45: error: ['d'] is not text [/seq/1/doc]
# generate: acme/acme_a.ksy:19:55: error: ['r', 5] is not text, or a list of texts [/seq/1/doc-ref]
# lint: acme/acme_a.ksy:18:25: error: 18 is not text; quote it [/seq/0/doc]
# lint: acme/acme_a.ksy:18:36: error: 5 is not text, or a list of texts; quote it [/seq/0/doc-ref]
# lint: acme/acme_a.ksy:19:15: error: 1 is not true or false [/seq/1/size-eos]
# lint: acme/acme_a.ksy:19:28: error: 256 is not a number from 0 to 255 [/seq/1/terminator]
# lint: acme/acme_a.ksy:19:45: error: ['d'] is not text [/seq/1/doc]
# lint: acme/acme_a.ksy:19:55: error: ['r', 5] is not text, or a list of texts [/seq/1/doc-ref]
# The compiler fails on such values without a message.
meta: {id: acme_a, title: Values of another form, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
seq:
  - {id: one, type: u1, doc: 0x12, doc-ref: 5}
  - {id: two, size-eos: 1, terminator: 256, doc: [d], doc-ref: [r, 5]}
