# generate: acme/acme_a.ksy:7:24: error: 'subprocess.popen(["touch", "./there"])' is not one of xor(), rol(), ror() and zlib [/seq/0/process]
# lint: acme/acme_a.ksy:7:24: error: 'subprocess.popen(["touch", "./there"])' is not one of xor(), rol(), ror() and zlib [/seq/0/process]
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
seq:
  - {id: one, size: 1, process: 'subprocess.popen(["touch", "./there"])', doc: d, doc-ref: r}
