meta: {id: packed}
seq:
  - {id: byte, contents: A}
  - {id: list, contents: [A, 66, '67']}
  - {id: padded, size: 4, pad-right: 0x20, terminator: 0, type: str, encoding: ASCII}
  - {id: ended, type: strz, encoding: utf-8, consume: true}
  - {id: checked, type: u1, valid: 1}
  - {id: expressed, type: u1, valid: {expr: '_ < 5 or true'}}
  - {id: many, type: u1, repeat: until, repeat-until: '_ == 0 or _io.eof'}
