meta:
  id: f_archive
doc: A table of files, whose bodies are elsewhere, and whose cells have the lengths that the head says
seq:
  - id: count
    type: u1
  - id: lengths
    type: length
    repeat: expr
    repeat-expr: 2
  - id: files
    type: file
    size: 4
    repeat: expr
    repeat-expr: count
types:
  length:
    seq:
      - id: value
        type: u1
  file:
    seq:
      - id: cells
        size: _root.lengths[_index].value
        repeat: expr
        repeat-expr: 2
      - id: ofs
        type: u1
    instances:
      body:
        io: _root._io
        pos: ofs
        size: 2
