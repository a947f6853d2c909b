meta: {id: views, endian: le, ks-zero-copy-substream: false}
to-string: '"views of " + count.to_s'
seq:
  - {id: count, type: u1}
  - {id: entries, type: 'entry(_index)', size: 2, repeat: expr, repeat-expr: count, parent: false}
instances:
  last_byte: {pos: _io.size - 1, type: u1}
  names: {io: '_root._io', pos: 0, size: 1, type: str, encoding: ascii}
  title: {value: 'f"{count} of {entries.size}"'}
types:
  entry:
    params: [{id: number, type: s4}]
    seq: [{id: x, type: u1}]
    instances: {is_first: {value: number == 0}}
