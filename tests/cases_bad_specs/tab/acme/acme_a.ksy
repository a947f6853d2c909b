# generate: acme/acme_a.ksy:13:1: error: found character '\t' that cannot start any token: indent with blanks, not with tabs, and quote a text that begins with such a character
# lint: acme/acme_a.ksy:13:1: error: found character '\t' that cannot start any token: indent with blanks, not with tabs, and quote a text that begins with such a character
meta:
  id: acme_a
  title: A tab
  license: CC0-1.0
  ks-version: '0.11'
  endian: be
doc: One
doc-ref: None
seq:
  - id: one
	type: u1
