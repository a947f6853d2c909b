meta: {id: right, imports: [left]}
seq:
  - {id: more, type: u1}
  - {id: next, type: left, if: more != 0}
