meta: {id: acme_o, endian: be}
seq:
  - {id: kind, type: u1, enum: kind}
  - {id: qty, type: u2}
  - {id: pri, type: u1}
  - {id: part, type: part}
instances:
  total: {value: qty * 2, doc: Twice}
  gone: {value: qty}
  typed: {value: qty + 1}
  worded: {value: kind}
  hidden: {value: qty + 2}
  same: {value: qty - 1}
  cond: {value: qty}
  shown: {value: qty + 3, -lm-column: false}
  obj: {value: part}
types:
  part: {seq: [{id: x, type: u1}], instances: {twice: {value: x * 2}}}
enums:
  kind: {1: a, 2: b}
  other: {1: a, 2: z}
  idle: {1: q}
