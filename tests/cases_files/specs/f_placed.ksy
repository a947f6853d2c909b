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
