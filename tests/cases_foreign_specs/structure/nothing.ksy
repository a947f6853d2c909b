meta: {id: nothing}
enums:
  fruit: {1: apple, 2: pear}
types:
  empty: {}
  unused: {seq: []}
