meta:
  id: f_table
  endian: le
doc: A list in a part with a size of its own, of items with a size that the head says, and nothing behind them
seq:
  - id: width
    type: u1
  - id: count
    type: u2
  - id: part
    size: 12
    type: rows
  - id: more
    type: u1
types:
  rows:
    seq:
      - id: rows
        type: row
        size: _root.width
        repeat: expr
        repeat-expr: _root.count
  row:
    seq:
      - id: number
        type: u2
      - id: rest
        size-eos: true
