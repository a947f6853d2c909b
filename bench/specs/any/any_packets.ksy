meta:
  id: any_packets
  title: A file with a head and packets of variable length
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
doc: A file is one object; with the option rows each packet is a row.
doc-ref: 'Invented for the benchmarks, see bench/README.md'
seq:
  - {id: head, type: head}
  - {id: packets, type: packet, repeat: eos}
types:
  head:
    seq: [{id: magic, type: u4}, {id: version, type: u4}, {id: reserved, size: 16}]
  packet:
    seq:
      - {id: seconds, type: u4}
      - {id: micros, type: u4}
      - {id: len_data, type: u4}
      - {id: len_whole, type: u4}
      - {id: data, size: len_data}
