meta:
  id: any_head
  title: Head of fixed fields with nested types and bit fields, 100 bytes
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
doc: Thirty fields of fixed width, of which eight are in nested types and eight are bit fields.
doc-ref: 'Invented for the benchmarks, see bench/README.md'
seq:
  - {id: magic, type: u4}
  - {id: version, type: u2}
  - {id: flags, type: flags}
  - {id: created, type: u8}
  - {id: origin, type: point}
  - {id: target, type: point}
  - {id: n0, type: u4}
  - {id: n1, type: s4}
  - {id: n2, type: u2}
  - {id: n3, type: s2}
  - {id: n4, type: u1}
  - {id: n5, type: s8}
  - {id: r0, type: f4}
  - {id: r1, type: f8}
  - {id: name, type: str, size: 8, encoding: ASCII}
  - {id: key, size: 13}
types:
  flags:
    seq:
      - {id: is_open, type: b1}
      - {id: is_new, type: b1}
      - {id: level, type: b3}
      - {id: group, type: b3}
      - {id: color, type: b4}
      - {id: shape, type: b4}
      - {id: mode, type: b6}
      - {id: rest, type: b10}
  point:
    seq:
      - {id: x, type: s4}
      - {id: y, type: s4}
      - {id: z, type: s4}
      - {id: unit, type: u2}
