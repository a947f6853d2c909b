meta:
  id: root_level
  file-extension: bin
  endian: le
seq:
  - id: magic
    contents: [0x89, PNG, 0x0d]
  - id: len
    type: u4
  - id: str
    size: len
    type: str
    encoding: UTF-8
  - size: 1
