meta:
  id: f_capture
  endian: le
seq:
  - id: magic
    contents: [0xd4, 0xc3, 0xb2, 0xa1]
  - id: version
    type: u2
  - id: zone
    type: s2
  - id: network
    type: u4
  - id: snaplen
    type: u4
  - id: flags
    type: u4
  - id: spare
    type: u4
  - id: packets
    type: packet
    repeat: eos
types:
  packet:
    seq:
      - id: ts_sec
        type: u4
      - id: ts_usec
        type: u4
      - id: incl_len
        type: u4
      - id: orig_len
        type: u4
      - id: body
        size: incl_len
