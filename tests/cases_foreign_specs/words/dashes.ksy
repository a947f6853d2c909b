-license: none
-webide-representation: '{one:dec} {two}'
meta: {id: dashes, -vendor: {any: thing}}
-orig-id: Dashes
seq:
  - {id: one, type: u1, -affected-by: 15, -orig-id: [One, uno], -webide-parse-mode: eager}
  - {id: two, type: inner, -default: [1, 2]}
types:
  inner: {-webide-representation: '{x}', seq: [{id: x, type: u1}]}
instances:
  three: {value: 3, -webide-parse-mode: eager}
enums:
  e: {1: {id: one, -orig-id: ONE, -affected-by: 3}}
