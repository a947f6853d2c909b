meta:
  id: f_given
doc: Items with a parameter
seq:
  - id: length
    type: u1
  - id: entries
    type: entry(length)
    repeat: eos
types:
  entry:
    params:
      - id: size
        type: u1
    seq:
      - id: key
        type: u1
      - id: body
        size: size
