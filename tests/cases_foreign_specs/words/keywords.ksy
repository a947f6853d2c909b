meta: {id: keywords}
seq:
  - {id: operation, type: u1, enum: operation}
  - {id: is_not, type: u1, if: 'operation == operation::not'}
  - id: by_kind
    type:
      switch-on: operation
      cases:
        operation::class: import
        operation::none: class
        operation::zlib: u1
    if: operation != operation::is and operation.to_i >= 0
enums:
  operation: {0: none, 1: not, 2: and, 3: class, 4: is, 5: zlib, 6: name, 7: value, 8: self, 9: real, 10: from_bytes}
types:
  import: {seq: [{id: x, type: u1}]}
  class: {seq: [{id: x, type: u1}], params: []}
