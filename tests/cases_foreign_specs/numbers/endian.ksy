meta:
  id: endian
  ks-version: 0.8
types:
  body:
    meta:
      endian:
        switch-on: _root.order
        cases:
          '"II"': le
          '"MM"': be
          _: le
    seq: [{id: x, type: u2}, {id: y, type: f4}]
seq:
  - {id: order, type: str, size: 2, encoding: ASCII}
  - {id: body, type: body}
