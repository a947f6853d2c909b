# generate: acme/acme_a.ksy:6:25: error: a doc may hold neither a backslash nor three quotes: it becomes a docstring [/seq/0/doc]
meta: {id: acme_a, title: t, license: CC0-1.0, ks-version: '0.11', endian: be}
doc: d
doc-ref: r
seq:
  - {id: one, type: u1, doc: 'x"""+str(open("./there","w"))+"""y', doc-ref: r}
