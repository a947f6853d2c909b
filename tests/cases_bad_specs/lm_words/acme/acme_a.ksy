# generate: acme/acme_a.ksy:14:1: error: there is no -lm-type structs; did you mean struct? [/-lm-type]
# generate: acme/acme_a.ksy:16:15: error: there is no -lm-type decimaltxt; did you mean decimaltext? [/seq/0/-lm-type]
# generate: acme/acme_a.ksy:17:15: error: there is no key -lm-kind in a field; there are id, type, size, size-eos, encoding, terminator, consume, include, eos-error, pad-right, contents, process, enum, valid, repeat, repeat-expr, repeat-until, if, parent, doc, doc-ref, -orig-id, -codec, -unit, -scale, -lm-status, -lm-valid-status, -lm-type, -lm-source [/seq/1/-lm-kind]
# generate: acme/acme_a.ksy:18:17: error: there is no code page 'ebdcic'; did you mean ebcdic? [/seq/2/-codec]
# generate: acme/acme_a.ksy:19:16: error: -lm-status is 'known', not one of documented, inferred, unknown [/seq/3/-lm-status]
# lint: acme/acme_a.ksy:14:1: error: there is no -lm-type structs; did you mean struct? [/-lm-type]
# lint: acme/acme_a.ksy:16:15: error: there is no -lm-type decimaltxt; did you mean decimaltext? [/seq/0/-lm-type]
# lint: acme/acme_a.ksy:17:15: error: there is no key -lm-kind in a field; there are id, type, size, size-eos, encoding, terminator, consume, include, eos-error, pad-right, contents, process, enum, valid, repeat, repeat-expr, repeat-until, if, parent, doc, doc-ref, -orig-id, -codec, -unit, -scale, -lm-status, -lm-valid-status, -lm-type, -lm-source [/seq/1/-lm-kind]
# lint: acme/acme_a.ksy:18:17: error: there is no code page 'ebdcic'; did you mean ebcdic? [/seq/2/-codec]
# lint: acme/acme_a.ksy:19:16: error: -lm-status is 'known', not one of documented, inferred, unknown [/seq/3/-lm-status]
meta: {id: acme_a, title: Words of our own that are misspelt, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
-lm-type: structs
seq:
  - {id: one, -lm-type: decimaltxt, size: 1, doc: d, doc-ref: r}
  - {id: two, -lm-kind: char, size: 1, doc: d, doc-ref: r}
  - {id: three, -codec: ebdcic, size: 1, doc: d, doc-ref: r}
  - {id: four, -lm-status: known, size: 1, doc: d, doc-ref: r}
