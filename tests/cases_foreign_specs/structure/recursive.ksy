meta: {id: recursive, endian: be}
seq: [{id: root, type: node}]
types:
  node:
    seq:
      - {id: kind, type: u1}
      - id: value
        type:
          switch-on: kind
          cases: {0: leaf, 1: node, 2: pair, _: leaf}
  leaf: {seq: [{id: x, type: u1}]}
  pair: {seq: [{id: left, type: node}, {id: right, type: node, parent: _root}]}
