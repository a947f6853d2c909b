meta: {id: bits, bit-endian: le, endian: be}
seq:
  - {id: a, type: b3}
  - {id: b, type: b13}
  - {id: c, type: b1be}
  - {id: d, type: b7be}
  - {id: e, type: u2le}
  - {id: f, type: f8}
