meta:
  id: f_ordered
doc: Items whose length is calculated from numbers in a byte order, and from a most, that the head says
seq:
  - id: order
    type: u2be
  - id: data
    type: data
types:
  data:
    meta:
      endian:
        switch-on: _root.order
        cases:
          0x4949: le
          _: be
    seq:
      - id: most
        type: u2
      - id: entries
        type: entry
        repeat: eos
    types:
      entry:
        seq:
          - id: front
            type: front
          - id: body
            size: 'front.len < _parent.most ? front.len : _parent.most'
          - id: pad
            size: '(4 - front.len) & 3'
        types:
          front:
            seq:
              - id: tag
                type: u1
              - id: len
                type: u2
