meta: {id: processed}
seq:
  - {id: key, type: u1}
  - {id: one, size: 2, process: xor(key), type: inner}
  - {id: two, size: 2, process: 'rol(3)'}
  - {id: three, size: 1, process: 'xor([1, 2])', repeat: expr, repeat-expr: 2}
  - {id: four, terminator: 0x0a, eos-error: false, include: true}
types:
  inner: {seq: [{id: x, type: u2le}]}
