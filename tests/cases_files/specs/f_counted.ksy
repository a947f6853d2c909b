meta:
  id: f_counted
  endian: be
doc: A list with a number of items, whose ends only the parser knows, in an object, and a field behind it
seq:
  - id: body
    type: section
  - id: trailer
    type: u2
types:
  section:
    seq:
      - id: count
        type: u1
      - id: entries
        type: entry
        repeat: expr
        repeat-expr: count
  entry:
    seq:
      - id: key
        type: u1
      - id: text
        type: strz
        encoding: ASCII
      - id: of
        type: u1
        if: key == _parent.count
