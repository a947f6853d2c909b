meta:
  id: any_texts
  title: Texts with a length in front and texts with a terminator, between numbers
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
  encoding: UTF-8
doc: Nothing behind the first text has a fixed place.
doc-ref: 'Invented for the benchmarks, see bench/README.md'
seq:
  - {id: id, type: u4}
  - {id: len_name, type: u1}
  - {id: name, type: str, size: len_name}
  - {id: amount, type: s8}
  - {id: city, type: strz}
  - {id: code, type: u2}
  - {id: len_note, type: u2}
  - {id: note, type: str, size: len_note}
  - {id: total, type: f8}
