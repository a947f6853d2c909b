meta:
  id: f_packet
  endian: be
doc: A record that ends where its spec ends
seq:
  - id: name
    type: strz
    encoding: ASCII
  - id: length
    type: u1
  - id: body
    size: length
  - id: mark
    contents: [0xff]
