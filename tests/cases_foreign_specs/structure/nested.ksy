meta: {id: nested, endian: be}
seq: [{id: a, type: outer::middle::inner}]
types:
  outer:
    types:
      middle:
        types:
          inner:
            seq: [{id: x, type: u1, enum: 'outer::middle::kind'}]
        enums: {kind: {1: one}}
  middle: {seq: [{id: other, type: u1}]}
