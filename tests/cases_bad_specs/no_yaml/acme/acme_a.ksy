# generate: acme/acme_a.ksy:6:4: error: expected ',' or ']', but got ':'
# lint: acme/acme_a.ksy:6:4: error: expected ',' or ']', but got ':'
meta:
  id: acme_a
  title: [never closed
seq:
  - id: one
