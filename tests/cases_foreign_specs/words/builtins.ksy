meta: {id: builtins}
params: [{id: list, type: u1}, {id: bytes, type: u1}]
seq:
  - {id: self, type: u1}
  - {id: close, type: u1}
  - {id: collections, size: 1, process: xor(5)}
  - {id: zlib, size-eos: true, process: zlib, if: self == 77}
  - {id: len, type: u1, repeat: expr, repeat-expr: 2}
  - {id: io, type: u1, if: self == len.size}
instances:
  property: {value: 'self + len[0] + len.size'}
  from_bytes: {pos: 0, size: 1}
