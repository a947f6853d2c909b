meta:
  id: common_raw
  title: Record of any file, as its bytes
  license: Apache-2.0
  ks-version: '0.11'
doc: A record of which only the framing is known.
doc-ref: 'lmparse, "Files of others" (docs/framing.md)'
seq:
  - id: data
    -lm-status: unknown
    size-eos: true
    doc: All bytes of the record
