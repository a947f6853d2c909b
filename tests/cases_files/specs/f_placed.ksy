meta:
  id: f_placed
  endian: le
doc: Lists at positions
seq:
  - id: ofs
    type: u1
instances:
  index:
    pos: ofs
    type: index
    if: ofs != 0
  sized:
    pos: 1
    type: part
    size: 2
    repeat: expr
    repeat-expr: 2
  tail:
    pos: ofs + 3
    type: entry
    repeat: eos
types:
  index:
    seq:
      - id: count
        type: u1
      - id: entries
        type: entry
        repeat: expr
        repeat-expr: count
  entry:
    seq:
      - id: value
        type: u1
      - id: more
        type: u1
  part:
    seq:
      - id: first
        type: u1
    instances:
      chosen:
        pos: _root.ofs - 4
        type: u1
