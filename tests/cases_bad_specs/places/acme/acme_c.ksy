# generate: acme/acme_c.ksy:5:3: error: there is no cases in an endian that switches [/meta/endian]
# lint: acme/acme_c.ksy:5:3: error: there is no cases in an endian that switches [/meta/endian]
meta:
  id: acme_c
  endian: {switch-on: 1}
