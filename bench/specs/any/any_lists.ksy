meta:
  id: any_lists
  title: A list of structs and a list of numbers
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
doc: Each list has up to twenty items.
doc-ref: 'Invented for the benchmarks, see bench/README.md'
seq:
  - {id: id, type: u4}
  - {id: num_items, type: u1}
  - {id: items, type: item, repeat: expr, repeat-expr: num_items}
  - {id: num_values, type: u1}
  - {id: values, type: s4, repeat: expr, repeat-expr: num_values}
types:
  item:
    seq: [{id: key, type: u2}, {id: len_word, type: u1}, {id: word, size: len_word}, {id: value, type: s8}]
