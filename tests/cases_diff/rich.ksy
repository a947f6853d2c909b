meta:
  id: acme_log
  title: Log of a meter
  application: Meters
  license: CC0-1.0
  ks-version: '0.11'
  imports:
    - /common/common_rid
    - /common/common_timestamp17
  encoding: ASCII
  endian: be
  bit-endian: be
doc: Whatever a spec may say
doc-ref: 'Meters, "Log"'
to-string: '"a log"'
params:
  - {id: release, type: u1, enum: release, doc: Which one, doc-ref: page 2}
  - {id: stream, type: u1}
seq:
  - {id: magic, contents: [LOG, 0]}
  - {id: length, -unit: bytes, type: u2, valid: {min: 40, max: _io.size}}
  - {id: high, type: b4}
  - {id: low, type: b4}
  - id: state
    -orig-id: STATE
    -codec: ebcdic
    -lm-status: inferred
    -lm-source: a log
    type: u1
    enum: state
    valid: {in-enum: true}
    doc: Whether it works
    doc-ref: page 3
  - {id: amount, -scale: 2, type: s4le}
  - {id: name, type: strz, size: 8, terminator: 32, consume: false, encoding: UTF-8}
  - {id: label, -codec: cp1252, size: 4}
  - {id: rid, type: common_rid}
  - {id: taken, type: common_timestamp17}
  - {id: place, type: point(length), size: 8}
  - {id: more, type: point(1), repeat: expr, repeat-expr: high}
  - id: body
    -lm-type: body
    size: length - _io.pos
    if: _io.pos < length
    type:
      switch-on: state
      cases:
        'state::working': gas
        'state::faulty': power(length)
        _: unlisted
  - {id: padded, size: 4, pad-right: 0x20, process: xor(7), if: low > 3}
  - {id: rest, -lm-type: rest, size-eos: true}
instances:
  kind: {value: state, doc: What it is}
  first: {pos: 4, size: 2, -lm-status: unknown, -orig-id: FIRST}
types:
  point:
    doc: A point
    doc-ref: page 4
    params:
      - {id: scale, type: u1}
    seq:
      - {id: x, type: u2}
      - {id: y, type: u2, if: not _io.eof}
  gas:
    seq:
      - {id: volume, type: f4}
  power:
    params:
      - {id: length, type: u2}
    seq:
      - {id: watts, size: length}
  unlisted:
    -lm-type: bytes
    -lm-source: never seen
    seq:
      - {id: data, size-eos: true}
enums:
  state:
    0xd6: {id: working, -orig-id: O, doc: It works}
    0xc6: {id: faulty, -orig-id: F}
  release:
    1: v1
    2: v2
