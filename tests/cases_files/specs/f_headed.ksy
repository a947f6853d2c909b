meta:
  id: f_headed
  endian: be
doc: A list of texts in an object behind a text that may be no text, with a word, and fields behind the list
seq:
  - id: name
    type: str
    size: 5
    encoding: UTF-7
  - id: level
    type: u1
    enum: level
  - id: body
    type: section
  - id: trailer
    type: u1
instances:
  twice:
    value: level.to_i * 2
types:
  section:
    seq:
      - id: entries
        type: entry
        repeat: expr
        repeat-expr: 2
      - id: level
        type: u1
  entry:
    seq:
      - id: text
        type: strz
        encoding: ASCII
enums:
  level:
    1: low
