meta: {id: backslashes}
doc: |
  A path, C:\Users\x, a pattern, \d+\, and """three quotes""", """" four.
  \N{DASH} \x41 \u0041 ends with \
doc-ref: 'http://example.org/a\b "quoted"'
seq:
  - {id: one, type: u1, doc: 'ends with a quote"', doc-ref: ['a\b', 'https://example.org/x A title"""']}
  - {id: two, type: u1, doc: 'a \', -orig-id: 'a\b'}
  - {id: three, type: u1, enum: kind, doc: "NUL \0, form feed \f, tab \t"}
types:
  inner: {doc: '"""'}
enums:
  kind: {1: {id: one, doc: 'c:\one"""'}}
instances:
  four: {value: 4, doc: '\'}
