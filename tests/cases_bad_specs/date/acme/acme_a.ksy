# generate: acme/acme_a.ksy:8:6: error: '2026-03-14' is a timestamp in YAML; put it in quotes
# lint: acme/acme_a.ksy:8:6: error: '2026-03-14' is a timestamp in YAML; put it in quotes
meta:
  id: acme_a
  title: What YAML takes for a date
  license: CC0-1.0
  ks-version: '0.11'
doc: 2026-03-14
doc-ref: None
seq:
  - {id: one, size: 2}
