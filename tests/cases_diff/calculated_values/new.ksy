meta: {id: acme_o, endian: be}
seq:
  - {id: kind, type: u1, enum: other}
  - {id: qty, type: u2}
  - {id: pri, type: u1, enum: idle}
  - {id: part, type: part}
instances:
  total: {value: qty * 3, doc: Thrice, -unit: pieces}
  added: {value: qty}
  typed: {value: qty / 2.0}
  worded: {value: kind}
  hidden: {value: qty + 2, -lm-column: false}
  same: {value: qty  -  1}
  cond: {value: qty, if: qty > 1}
  shown: {value: qty + 3}
  obj: {value: part.x}
types:
  part: {seq: [{id: x, type: u1}], instances: {twice: {value: x * 2 > 3}}}
enums:
  kind: {1: a, 2: b}
  other: {1: a, 2: z}
  idle: {1: q}
