meta: {id: left, imports: [right]}
seq:
  - {id: more, type: u1}
  - {id: next, type: right, if: more != 0}
